"""Rules that are no better than a shorter one: fewer reasons for the same conclusion, at least as sure."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Numbers
from mining.reconstruction.counted import row_keys
from mining.reconstruction.shapes import Floats


def redundant(
    itemsets: Numbers, bits: int, row: NDArray[Any], antecedent: NDArray[Any], confidence: Floats
) -> NDArray[np.bool_]:
    """Of each rule, given as a row of `itemsets` and the places of its antecedent as a mask."""
    found = np.zeros(len(row), np.bool_)
    sizes = (itemsets != NONE).sum(axis=1)
    best: dict[int, _Level] = {}
    for size in range(2, int(sizes.max(initial=0)) + 1):
        level = _Level(itemsets, np.flatnonzero(sizes == size), size, bits)
        mine = np.flatnonzero(sizes[row] == size)
        at = np.searchsorted(level.rows, row[mine])
        shorter = level.best_shorter(best.get(size - 1))
        found[mine] = confidence[mine] <= shorter[at, antecedent[mine]]
        level.confidence[at, antecedent[mine]] = confidence[mine]
        level.confidence = np.fmax(level.confidence, shorter)
        best[size] = level
    return found


class _Level:
    """The itemsets of one size; for each mask the best confidence of its rule and of all shorter ones."""

    def __init__(self, itemsets: Numbers, rows: NDArray[np.intp], size: int, bits: int) -> None:
        self.size, self.rows, self.bits = size, rows, bits
        self.items = itemsets[rows, :size]
        keys = row_keys(list(self.items.T), len(rows), bits)
        self.order = np.argsort(keys)
        self.keys = keys[self.order]
        self.confidence = np.full((len(rows), 1 << size), np.nan)

    def find(self, items: Numbers) -> NDArray[np.intp]:
        """Which of these itemsets has these items; -1: none."""
        keys = row_keys(list(items.T), len(items), self.bits)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.order[places], -1)

    def best_shorter(self, before: "_Level | None") -> Floats:
        shorter = np.full(self.confidence.shape, np.nan)
        if before is None or not len(before.rows):
            return shorter
        for left_out in range(self.size):
            at = before.find(np.delete(self.items, left_out, axis=1))
            known = np.where((at >= 0)[:, None], before.confidence[at], np.nan)
            for mask in range(1, (1 << self.size) - 1):
                if mask >> left_out & 1 and mask != 1 << left_out:
                    below = mask & ((1 << left_out) - 1)
                    rest = below | (mask >> (left_out + 1) << left_out)
                    shorter[:, mask] = np.fmax(shorter[:, mask], known[:, rest])
        return shorter
