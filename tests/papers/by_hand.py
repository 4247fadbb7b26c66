"""The grouped model's experiment on one small data set, person by person and without any of the product's counting.

Everything is one section of yes/no questions with one theta; an itemset is the set of its questions' places.
"""

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from papers.grouped_model.repeated_mining import SimulatedRecords
from papers.grouped_model.simulated_survey import SimulatedSurvey

Itemset = frozenset[int]
Rule = tuple[Itemset, Itemset]


@dataclass(frozen=True)
class ByHand:
    survey: SimulatedSurvey
    records: SimulatedRecords

    @cached_property
    def people(self) -> list[tuple[bool, set[int], set[int]]]:
        """Of each whether they answered openly, what is true and what was received."""
        group, *tables = (table.tolist() for table in self.records)
        true, received = (
            [{q for q, code in enumerate(of) if code} for of in zip(*table, strict=True)] for table in tables
        )
        return list(zip((not disguised for disguised in group), true, received, strict=True))

    @property
    def itemsets(self) -> list[Itemset]:
        return [
            frozenset(at) for size in (1, 2, 3) for at in combinations(range(self.survey.questions), size)
        ]

    def true_support(self, itemset: Itemset) -> float:
        return sum(itemset <= true for _, true, _ in self.people) / len(self.people)

    def support(self, itemset: Itemset, estimator: str) -> float:
        """The estimators, with the sums written out (docs/mathematics.md, Estimators)."""
        n = len(self.people)
        p, chance = self.survey.keep, (1 - self.survey.keep) * self.survey.theta ** len(itemset)
        seen = [(is_open, itemset <= received) for is_open, _, received in self.people]
        opened = [float(has) for is_open, has in seen if is_open]
        disguised = [(has - chance) / p for is_open, has in seen if not is_open]
        if estimator == "pooled":
            k = len(opened) / n
            return (sum(has for _, has in seen) / n - (1 - k) * chance) / (k + (1 - k) * p)
        stratified = (sum(opened) + sum(disguised)) / n
        if estimator == "stratified":
            return stratified
        m0, m1 = sum(opened) / len(opened), sum(disguised) / len(disguised)
        slope = (1 - 2 * chance) / p
        constant = sum(z * z for z in disguised) / len(disguised) - slope * m1
        common = stratified
        for _ in range(3):
            at = min(max(common, 0.5 / n), 1 - 0.5 / n)
            v0 = at * (1 - at) / len(opened)
            v1 = max(constant + slope * at - at * at, at * (1 - at)) / len(disguised)
            common = (m0 / v0 + m1 / v1) / (1 / v0 + 1 / v1)
        return common

    def frequent(self, supports: dict[Itemset, float], least: float) -> set[Itemset]:
        return {itemset for itemset, support in supports.items() if support >= least - 1e-9}

    def rules(self, supports: dict[Itemset, float], least: float, confident: float) -> set[Rule]:
        return {
            (frozenset(first), itemset - frozenset(first))
            for itemset in self.frequent(supports, least)
            for size in range(1, len(itemset))
            for first in combinations(sorted(itemset), size)
            if supports[itemset] / supports[frozenset(first)] >= confident - 1e-9
        }

    def counts(self, estimator: str, least: float, confident: float) -> list[list[int]]:
        """Of itemsets, then of rules: in D, in D*, false, missed."""
        true = {itemset: self.true_support(itemset) for itemset in self.itemsets}
        found = {itemset: self.support(itemset, estimator) for itemset in self.itemsets}
        itemsets = self.frequent(true, least), self.frequent(found, least)
        rules = self.rules(true, least, confident), self.rules(found, least, confident)
        return [against(*itemsets), against(*rules)]


def against(in_d: Set[object], in_d_star: Set[object]) -> list[int]:
    return [len(in_d), len(in_d_star), len(in_d_star - in_d), len(in_d - in_d_star)]
