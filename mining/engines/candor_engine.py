"""Candor's own mining engine: counts, reconstructs and prunes level by level, then makes all rules."""

from dataclasses import dataclass

from mining.disclosure.verdict import Verdict
from mining.inference.selection_correction import NO_FRONT, RulePairCorrection
from mining.itemsets.frequent import (
    ROUNDING,
    Frequent,
    Watch,
    find_frequent_itemsets,
    ignore_progress,
    search_itemsets_without_intervals,
)
from mining.parameters import Parameters
from mining.queries_and_counters import Counter, Numbers
from mining.reconstruction import CachedCounter
from mining.reconstruction.cached_counter import as_cached
from mining.rules import Rules, Sides, reconstruct_rules, reported_sides
from privacy.designs import InputError
from privacy.grammar.input_error import mark_for_translation as _


@dataclass(frozen=True)
class MiningResult:
    """The frequent itemsets and the rules that an engine found."""

    frequent: Frequent
    rules: Rules


class Disagreement(InputError):
    """Raised if the two engines make different rules of the same itemsets, so that both results are in doubt."""

    def __init__(self) -> None:
        reason = _(
            "Candor and mlxtend make different rules of the same itemsets, so one of them is wrong. "
            "Nothing is reported; tell your administrator."
        )
        super().__init__("engine", reason)


def mine_rules(
    counter: Counter | CachedCounter,
    parameters: Parameters,
    watch: Watch = ignore_progress,
    *,
    heads: bool = False,
    verdict: Verdict | None = None,
    front: RulePairCorrection = NO_FRONT,
) -> MiningResult:
    """Mines frequent itemsets and their rules; a `verdict` limits them to items that may be published.

    `watch` is called at each level. `heads`: also compute the intervals for all shorter lists. `front`: the other
    families and hypotheses that the critical values of the intervals of pairs take account of.
    """
    cache = as_cached(counter)
    itemsets = find_frequent_itemsets(cache, parameters, watch, heads=heads, verdict=verdict)
    return MiningResult(
        itemsets, make_rules(cache, itemsets, parameters, heads=heads, verdict=verdict, front=front)
    )


def find_reported_rule_sides(
    counter: CachedCounter, parameters: Parameters, verdict: Verdict | None = None
) -> set[Sides]:
    """Returns antecedent and consequent of each rule that `mine_rules` would report; much faster, since it computes no
    intervals."""
    return confident_rule_sides(
        counter, search_itemsets_without_intervals(counter, parameters, verdict=verdict).itemsets, parameters
    )


def confident_rule_sides(counter: CachedCounter, itemsets: Numbers, parameters: Parameters) -> set[Sides]:
    """Returns antecedent and consequent, as item numbers, of each rule of these itemsets that reaches the smallest
    confidence."""
    return set(reported_sides(counter, itemsets, parameters.min_confidence - ROUNDING, parameters.estimator))


def make_rules(
    counter: CachedCounter,
    itemsets: Frequent,
    parameters: Parameters,
    *,
    heads: bool = False,
    verdict: Verdict | None = None,
    front: RulePairCorrection = NO_FRONT,
) -> Rules:
    """Returns the rules of these itemsets that reach the smallest confidence, with intervals and tests.

    q is corrected for all rules that the items of `itemsets` could form and that may be published.
    """
    return reconstruct_rules(
        counter,
        itemsets.supports,
        parameters.min_confidence - ROUNDING,
        parameters.estimator,
        max_size=parameters.max_size,
        heads=heads,
        verdict=verdict,
        front=front,
    )
