"""Compares the results of the two engines in one order: itemsets, supports, rules and confidences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from mining.disclosure.verdict import Verdict
from mining.engines.candor_engine import MiningResult
from mining.itemsets.candidates import single_items
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Numbering
from privacy.designs import Design

EXACT = 1e-12
"""Largest difference between two equal supports, where a record's score is of the size of 1."""

Itemset = frozenset[int]
Sides = tuple[Itemset, Itemset]


@dataclass(frozen=True)
class FoundItemset:
    """An itemset with its support; `spread` is the standard deviation of a record's score.

    The spread bounds the rounding error of the mean.
    """

    support: float
    spread: float


@dataclass(frozen=True)
class FoundRule:
    confidence: float
    antecedent_support: float


@dataclass(frozen=True)
class EngineResult:
    """Itemsets and rules that one engine found, by item numbers of `mining.queries_and_counters.Numbering`, without
    items of scores."""

    itemsets: Mapping[Itemset, FoundItemset]
    rules: Mapping[Sides, FoundRule]

    @classmethod
    def from_mining_result(cls, found: MiningResult, numbering: Numbering) -> "EngineResult":
        """Returns Candor's result for the comparison, without the itemsets and rules with items of scores, which
        mlxtend cannot mine."""
        supports, rules = found.frequent.supports, found.rules
        spread = (supports.se * np.sqrt(supports.base)).tolist()
        scored: list[bool] = np.any(numbering.scored_mask(supports.itemsets), axis=1).tolist()
        rows = zip(supports.itemsets.tolist(), supports.support.tolist(), spread, scored, strict=True)
        itemsets = {
            frozenset(number for number in row if number != NONE): FoundItemset(support, spread)
            for row, support, spread, is_scored in rows
            if not is_scored
        }
        numbers = zip(rules["confidence"].tolist(), rules["antecedent_support"].tolist(), strict=True)
        by_sides = {
            (frozenset(first), frozenset(second)): FoundRule(*row)
            for (first, second), row in zip(map(rules.sides, range(len(rules))), numbers, strict=True)
        }
        return cls(
            itemsets, {sides: rule for sides, rule in by_sides.items() if sides[0] | sides[1] in itemsets}
        )


@dataclass(frozen=True)
class Difference:
    """The first difference between the engines: an itemset with both supports, or a rule with both confidences.

    Empty `consequent`: it is an itemset. `candor` or `mlxtend` None: that engine does not find it.
    """

    items: tuple[int, ...]
    consequent: tuple[int, ...]
    candor: float | None
    mlxtend: float | None


@dataclass(frozen=True)
class Comparison:
    """Number of itemsets and rules compared, and the first difference, None if all are equal.

    A rule and its converse count as one in `rules` and as two in `directed`.
    """

    itemsets: int
    rules: int
    directed: int
    difference: Difference | None


def count_incomparable_items(design: Design, *, absences: bool, verdict: Verdict) -> int:
    """Returns how many items of the search are counted by scores (of numbers and sets of choices), which mlxtend cannot
    mine."""
    numbering = Numbering(design)
    singles = single_items(design, numbering, absences=absences, verdict=verdict)
    return int(numbering.scored_mask(singles).sum())


def limit_below_stopped_size(stopped_size: int | None, parameters: Parameters) -> Parameters:
    """Returns the run's parameters for mlxtend, with the itemset size below the size `stopped_size` at which Candor's
    search stopped; None: it did not stop.

    `parameters` are the parameters of the run.
    """
    return parameters if stopped_size is None else replace(parameters, max_size=stopped_size - 1)


def compare_results(candor: EngineResult, mlxtend: EngineResult) -> Comparison:
    return Comparison(
        len(candor.itemsets),
        len({frozenset(sides) for sides in candor.rules}),
        len(candor.rules),
        next(_differences(candor, mlxtend), None),
    )


def _differences(candor: EngineResult, mlxtend: EngineResult) -> Iterator[Difference]:
    """Yields the differences between both engines' results: itemsets, the smaller ones first, then rules."""
    for itemset in sorted(candor.itemsets.keys() | mlxtend.itemsets.keys(), key=_sort_key):
        ours, theirs = candor.itemsets.get(itemset), mlxtend.itemsets.get(itemset)
        if ours and theirs and _is_near(ours.support, theirs.support, _rounding_bound(ours)):
            continue
        yield Difference(
            tuple(sorted(itemset)),
            (),
            ours.support if ours else None,
            theirs.support if theirs else None,
        )
    rules = candor.rules.keys() | mlxtend.rules.keys()
    for sides in sorted(rules, key=lambda sides: (*_sort_key(sides[0] | sides[1]), *_sort_key(sides[0]))):
        our_rule, their_rule = candor.rules.get(sides), mlxtend.rules.get(sides)
        if our_rule and their_rule:
            # c = s/a: an error of d in s and a is one of d (1 + |c|) / |a| in c.
            whole = candor.itemsets.get(sides[0] | sides[1], FoundItemset(0, 1))
            growth = (1 + abs(our_rule.confidence)) / abs(our_rule.antecedent_support)
            if _is_near(our_rule.confidence, their_rule.confidence, _rounding_bound(whole) * growth):
                continue
        antecedent, consequent = (tuple(sorted(side)) for side in sides)
        yield Difference(
            antecedent,
            consequent,
            our_rule.confidence if our_rule else None,
            their_rule.confidence if their_rule else None,
        )


def _sort_key(itemset: Itemset) -> tuple[int, tuple[int, ...]]:
    return len(itemset), tuple(sorted(itemset))


def _rounding_bound(itemset: FoundItemset) -> float:
    return EXACT * max(1.0, itemset.spread if isfinite(itemset.spread) else 1.0)


def _is_near(first: float, second: float, most: float) -> bool:
    return abs(first - second) <= most
