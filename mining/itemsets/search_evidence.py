"""The evidence of the itemsets that a search reported, corrected for all that it looked at."""

from dataclasses import replace

import numpy as np

from mining.counts import NONE, Item
from mining.inference.selection import level_after, q_holds
from mining.itemsets.family import itemsets_by_size
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, Supports
from mining.reconstruction.evidence import EvidenceRequest
from mining.reconstruction.supports import evidence


def with_evidence(known: CachedCounter, found: Supports, wanted: Parameters, singles: int) -> Supports:
    """The reported itemsets with their intervals, those after the search, and q'.

    The family has every single item that was counted (`singles`), frequent or not, and every larger itemset of items
    that are frequent, alone or in a reported itemset.
    """
    family = singles + sum(itemsets_by_size(known.design, items_of(known, found), wanted.max_size)[2:])
    level = level_after(len(found), family)
    of, shown = evidence(
        known,
        found.itemsets,
        wanted.estimator,
        EvidenceRequest(level_after=level, threshold=wanted.min_support),
    )
    return replace(
        found,
        low=of.low,
        high=of.high,
        low_after=of.low_after,
        high_after=of.high_after,
        p=of.p,
        q_holds=q_holds(of.p, family),
        low_shown=shown.low,
        high_shown=shown.high,
    )


def items_of(known: CachedCounter, found: Supports) -> list[Item]:
    """The items of these itemsets."""
    numbers = np.unique(found.itemsets[found.itemsets != NONE])
    return [known.numbering.item(number) for number in numbers.tolist()]
