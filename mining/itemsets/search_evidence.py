"""The evidence of the itemsets that a search reported, corrected for all that it looked at."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Item
from mining.disclosure.verdict import Verdict
from mining.inference.selection import HEADS, levels_at
from mining.itemsets.family import itemsets_by_size
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, Supports
from mining.reconstruction.supports import columns, evidence

DIGITS = 9
"""Estimates that differ by rounding alone count as equal in the order of a list."""


def with_evidence(
    counter: CachedCounter,
    supports: Supports,
    parameters: Parameters,
    singles: int,
    verdict: Verdict,
    *,
    heads: bool,
) -> Supports:
    """The reported itemsets with their intervals, those at their places in the list by support, and with `heads` those
    in shorter lists.

    The family has every single item that was counted (`singles`), frequent or not, and every larger itemset that may be
    told of items that are frequent, alone or in a reported itemset.
    """
    family = singles + sum(itemsets_by_size(verdict, items_of(counter, supports), parameters.max_size)[2:])
    levels = levels_at(support_places(supports), family, heads=heads)
    ends, shown = evidence(counter, supports.itemsets, parameters.estimator, levels)
    return replace(
        supports,
        **columns(("low", "high", "low_listed", "high_listed"), ends),
        **columns(("low_shown", "high_shown"), shown),
        heads=ends[:, HEADS:],
    )


def support_places(supports: Supports) -> NDArray[np.int64]:
    """The place of each itemset in the list by the estimated support, from 1."""
    order = np.lexsort((np.arange(len(supports)), -supports.support.round(DIGITS)))
    places = np.empty(len(supports), np.int64)
    places[order] = np.arange(1, len(supports) + 1)
    return places


def items_of(counter: CachedCounter, supports: Supports) -> list[Item]:
    """The items of these itemsets."""
    numbers = np.unique(supports.itemsets[supports.itemsets != NONE])
    return [counter.numbering.item(number) for number in numbers.tolist()]
