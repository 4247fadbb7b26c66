"""Rules that are no better than a shorter one: fewer reasons for the same conclusion, at least as sure."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Numbers
from mining.reconstruction.laws import Floats
from mining.rows import one_key


def redundant(
    itemsets: Numbers, bound: int, row: NDArray[Any], antecedent: NDArray[Any], confidence: Floats
) -> NDArray[np.bool_]:
    """Of each rule, given as a row of `itemsets` and the places of its antecedent as a mask."""
    found = np.zeros(len(row), np.bool_)
    sizes = (itemsets != NONE).sum(axis=1)
    sizes_of_rules = sizes[row]
    before = _Level(np.empty((0, 1), np.int32), bound)
    for size in range(2, int(sizes.max(initial=0)) + 1):
        rows = np.flatnonzero(sizes == size)
        place = np.empty(len(itemsets), np.intp)
        place[rows] = np.arange(len(rows))
        level = _Level(itemsets[rows, :size], bound)
        shorter = level.best_shorter(before)
        mine = np.flatnonzero(sizes_of_rules == size)
        at = antecedent[mine], place[row[mine]]
        found[mine] = confidence[mine] <= shorter[at]
        level.best[at] = confidence[mine]
        np.fmax(level.best, shorter, out=level.best)
        before = level
    return found


class _Level:
    """The itemsets of one size; for each mask the best confidence of its rule and of all shorter ones."""

    def __init__(self, items: Numbers, bound: int) -> None:
        self.items, self.bound = items, bound
        self.best = np.full((1 << items.shape[1], len(items)), np.nan)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        # Itemsets mostly come in order, which a stable sort notices.
        return np.argsort(self.unsorted, kind="stable")

    @cached_property
    def keys(self) -> NDArray[Any]:
        return self.unsorted[self.order]

    @cached_property
    def unsorted(self) -> NDArray[Any]:
        return one_key(self.items, self.bound)

    def find(self, items: Numbers) -> NDArray[np.intp]:
        """Which of these itemsets has these items; -1: none."""
        keys = one_key(items, self.bound)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.order[places], -1)

    def best_shorter(self, before: "_Level") -> Floats:
        shorter = np.full(self.best.shape, np.nan)
        if not len(before.items):
            return shorter
        size = self.items.shape[1]
        for left_out in range(size):
            at = before.find(self.items[:, [place for place in range(size) if place != left_out]])
            for mask in range(1, (1 << size) - 1):
                if mask >> left_out & 1 and mask != 1 << left_out:
                    below = mask & ((1 << left_out) - 1)
                    rest = below | (mask >> (left_out + 1) << left_out)
                    known = np.where(at >= 0, before.best[rest, at], np.nan)
                    shorter[mask] = np.fmax(shorter[mask], known)
        return shorter
