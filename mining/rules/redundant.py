"""Redundant rules: a reported rule with the same consequent and a part of the antecedent is at least as confident."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Numbers
from mining.reconstruction.laws import Floats
from mining.rows import one_key


def redundant(
    itemsets: Numbers, bound: int, row: NDArray[Any], antecedent: NDArray[Any], confidence: Floats
) -> NDArray[np.bool_]:
    """Which reported rules are redundant; a rule is a row of `itemsets` and its antecedent, a mask of places."""
    is_redundant = np.zeros(len(row), np.bool_)
    items = itemsets[row] if len(row) else itemsets[:0]
    places = np.arange(itemsets.shape[1])
    inside = (antecedent[:, None] >> places & 1).astype(np.bool_)
    is_item = items != NONE
    many_first = (inside & is_item).sum(axis=1)
    many_second = (~inside & is_item).sum(axis=1)
    reported: dict[tuple[int, int], _Best] = {}
    for first in range(1, itemsets.shape[1]):
        for second in range(1, itemsets.shape[1] - first + 1):
            mine = np.flatnonzero((many_first == first) & (many_second == second))
            if not len(mine):
                continue
            own_items = items[mine]
            a = own_items[inside[mine] & (own_items != NONE)].reshape(-1, first)
            c = own_items[~inside[mine] & (own_items != NONE)].reshape(-1, second)
            best = np.full(len(mine), np.nan)
            for size in range(1, first):
                shorter = reported.get((size, second))
                if shorter:
                    for chosen in combinations(range(first), size):
                        best = np.fmax(best, shorter.confidence_of(a[:, list(chosen)], c, bound))
            is_redundant[mine] = confidence[mine] <= best
            reported[first, second] = _Best(a, c, confidence[mine], bound)
    return is_redundant


class _Best:
    """Looks up the confidences of rules with one size of antecedent and one of consequent."""

    def __init__(self, a: Numbers, c: Numbers, confidence: Floats, bound: int) -> None:
        keys = _keys(a, c, bound)
        order = np.argsort(keys, kind="stable")
        self.keys, self.confidence = keys[order], confidence[order]

    def confidence_of(self, a: Numbers, c: Numbers, bound: int) -> Floats:
        """NaN where there is no such rule."""
        keys = _keys(a, c, bound)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.confidence[places], np.nan)


def _keys(a: Numbers, c: Numbers, bound: int) -> NDArray[Any]:
    return one_key(np.concatenate([a, c], axis=1), bound)
