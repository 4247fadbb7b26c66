"""What is mined of D and of D*, held by counting person by person."""

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pytest

from mining.parameters import Parameters
from papers.grouped_model import repeated_mining as repeated
from papers.grouped_model.simulated_survey import (
    SHARES,
    PaperSetting,
    SimulatedSurvey,
    answer_distribution,
    itemsets_up_to_three,
    question_indexes_by_itemset,
    true_supports,
)

pytestmark = pytest.mark.proof
SMALL = SimulatedSurvey(open_share=0.3, keep=0.5, theta=0.6, questions=3, respondents=400)
WANTED = Parameters(0.15, 0.55)
SEEDS = range(12)


Itemset = frozenset[int]
Rule = tuple[Itemset, Itemset]


@dataclass(frozen=True)
class ByHand:
    """The experiment on one small data set, person by person and without any of the product's counting.

    Everything is one section of yes/no questions with one theta; an itemset is the set of its questions' places.
    """

    survey: SimulatedSurvey
    records: repeated.SimulatedRecords

    @cached_property
    def people(self) -> list[tuple[bool, set[int], set[int]]]:
        """Of each whether they answered openly, what is true and what was received."""
        group, *tables = (table.tolist() for table in self.records)
        answers = (zip(*table, strict=True) for table in tables)
        true, received = ([{q for q, code in enumerate(of) if code} for of in table] for table in answers)
        return list(zip((not disguised for disguised in group), true, received, strict=True))

    @property
    def itemsets(self) -> list[Itemset]:
        places = range(self.survey.questions)
        return [frozenset(at) for size in (1, 2, 3) for at in combinations(places, size)]

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
        return [difference_sizes(*itemsets), difference_sizes(*rules)]


def difference_sizes(in_d: Set[object], in_d_star: Set[object]) -> list[int]:
    return [len(in_d), len(in_d_star), len(in_d_star - in_d), len(in_d - in_d_star)]


def by_hand(survey: SimulatedSurvey, seed: int) -> ByHand:
    rng = np.random.default_rng(seed)
    return ByHand(survey, repeated.draw_records(survey.design, survey.population, survey.respondents, rng))


@pytest.mark.at_push(1)
@pytest.mark.parametrize("estimator", repeated.MINED)
def test_what_is_found_false_and_missed_is_as_counted_by_hand(estimator: str) -> None:
    seen = np.zeros((2, 4), np.int64)
    for seed in SEEDS:
        hand = by_hand(SMALL, seed)
        of = repeated.true_and_received_counters(SMALL.design, hand.records)
        itemsets = repeated.reconstruct_itemsets(of.received, itemsets_up_to_three(3))
        found = repeated.compare_mining_results(of, WANTED, itemsets)[estimator]
        expected = hand.counts(estimator, WANTED.min_support, WANTED.min_confidence)
        assert found.tolist() == expected
        seen += expected
    # Everything that is counted has occurred.
    assert (seen > 0).all()


def test_coherent_itemsets_are_compared_and_no_rules_made_of_them() -> None:
    hand = by_hand(SMALL, 1)
    of = repeated.true_and_received_counters(SMALL.design, hand.records)
    found = repeated.reconstruct_itemsets(of.received, itemsets_up_to_three(3))
    compared = repeated.compare_mining_results(of, WANTED, found)[repeated.COHERENT]
    (in_d, in_star, false, missed), rules = compared.tolist()
    true = hand.frequent({itemset: hand.true_support(itemset) for itemset in hand.itemsets}, 0.15)
    itemsets = map(frozenset, question_indexes_by_itemset(3))
    coherent = dict(zip(itemsets, found.support[repeated.COHERENT].tolist(), strict=True))
    star = hand.frequent(coherent, 0.15)
    assert [in_d, in_star, false, missed] == [len(true), len(star), len(star - true), len(true - star)]
    assert rules[0] == len(hand.rules({of: hand.true_support(of) for of in hand.itemsets}, 0.15, 0.55))
    assert np.isnan(rules[1:]).all()
    # A support of the whole is never above that of a part.
    pairs = ((part, whole) for part in coherent for whole in coherent if part <= whole)
    assert all(coherent[part] >= coherent[whole] - 1e-9 for part, whole in pairs)


def test_w_is_the_distance_from_the_support_in_d() -> None:
    result = repeated.mine_repeatedly(SMALL, [], 2, 7)
    rng = SMALL.rng(7)
    for repetition in range(2):
        hand = ByHand(SMALL, repeated.draw_records(SMALL.design, SMALL.population, SMALL.respondents, rng))
        for estimator in repeated.MINED:
            expected = [abs(hand.support(of, estimator) - hand.true_support(of)) for of in hand.itemsets]
            assert result.w[estimator][repetition].tolist() == pytest.approx(expected, abs=1e-12)


def test_a_survey_draws_the_same_whatever_else_is_mined() -> None:
    alone = repeated.mine_repeatedly(SMALL, [WANTED], 2, 7)
    among = repeated.mine_repeatedly(SMALL, [Parameters(0.3, 0.5), WANTED], 3, 7)
    for name in repeated.ESTIMATORS:
        assert (alone.w[name] == among.w[name][:2]).all()
        both = alone.counts[WANTED][name], among.counts[WANTED][name][:2]
        assert np.array_equal(*both, equal_nan=True)
    assert (repeated.mine_repeatedly(SMALL, [], 2, 8).w["pooled"] != alone.w["pooled"]).all()


def test_with_everybody_open_nothing_is_false_missed_or_off() -> None:
    result = repeated.mine_repeatedly(PaperSetting("open", k=1).survey, [WANTED], 2, 1)
    for name in repeated.ESTIMATORS:
        assert result.w[name] == pytest.approx(0, abs=1e-9)
        itemsets_, rules = result.counts[WANTED][name][0].tolist()
        assert itemsets_[:2] == [itemsets_[0]] * 2
        assert itemsets_[2:] == [0, 0]
        assert name == repeated.COHERENT or rules == [rules[0], rules[0], 0, 0]


def test_both_readings_are_the_same_surveys_under_k_and_its_complement() -> None:
    for k in (0.0, 0.2, 0.3, 0.7, 1.0):
        assert PaperSetting("open", k=k).survey == PaperSetting("randomised", k=round(1 - k, 1)).survey
    assert PaperSetting("open", k=0.2).survey.open_share == 0.2
    assert PaperSetting("randomised", k=0.2).survey.open_share == 0.8


def test_the_population_has_the_stated_supports() -> None:
    a, b, c, ab, ac, bc, abc = true_supports(3).tolist()
    assert (a, b, c, abc) == pytest.approx((0.44, 0.36, 0.26, 0.10))
    assert (ab, ac, bc) == pytest.approx((0.22, 0.16, 0.14))
    assert sum(SHARES) == pytest.approx(1)


@pytest.mark.parametrize("questions", [3, 6, 9])
def test_what_is_drawn_has_the_supports_of_the_population(questions: int) -> None:
    table, itemsets = answer_distribution(questions), question_indexes_by_itemset(questions)
    rows = list(zip(table.answers, table.shares, strict=True))
    of_hand = [sum(share for row, share in rows if all(row[at] for at in of)) for of in itemsets]
    assert true_supports(questions).tolist() == pytest.approx(of_hand)
    # Threes are independent: a of one and a of the next.
    if questions > 3:
        assert true_supports(questions)[itemsets.index((0, 3))] == pytest.approx(0.44**2)


def test_pooled_is_off_where_open_answerers_differ_and_stratified_is_not() -> None:
    found = repeated.estimates_where_groups_differ(40, 1, [0.3])
    # .1 and .4: (.5 * .1 + .5 * .12) / .65 = .1692, its error over 40 repetitions below .001.
    assert found["pooled"][0].mean == pytest.approx(0.1692, abs=0.003)
    assert found["stratified"][0].mean == pytest.approx(0.25, abs=0.008)
    assert found["combined"][0].mean < found["pooled"][0].mean
    for (spread,) in found.values():
        assert spread.low < spread.mean < spread.high
