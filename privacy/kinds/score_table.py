"""Score table: the scores of one question's items by the code of a record, and their moments where the law is known.

See docs/mathematics.md, Scores of codes.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]

HIGHEST_POWER = 3


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of a question: `scores` by code and class, `chance` the law by class and code, `names` classes by code.

    `names` says which classes a code names. `true_class` by code is the class that an open record with it is in, -1
    where none sends it. `items` says by item which classes are in it. Where no record is expected on one side of an
    item, `fallback` by item is the class that is for those in it, and the one for those outside.
    """

    chance: Floats
    scores: Floats
    names: Bits
    true_class: NDArray[np.int64]
    items: Bits
    fallback: NDArray[np.int64]

    @cached_property
    def scores_by_item(self) -> Floats:
        """The score z of a disguised record, by code and item."""
        return np.asarray(self.scores @ self.items.T.astype(np.float64))

    @cached_property
    def ends(self) -> Floats:
        """Smallest and greatest score z of a disguised record, by item."""
        return np.stack([self.scores_by_item.min(axis=0), self.scores_by_item.max(axis=0)])

    @cached_property
    def open_items(self) -> Bits:
        """True if an open record is in the item, by code and item."""
        return np.where((self.true_class >= 0)[:, None], self.items.T[self.true_class], False)

    @cached_property
    def touches(self) -> Bits:
        """True if a disguised record names a class of the item, by code and item; if not, it is received without it."""
        return np.asarray(self.names.astype(np.int64) @ self.items.T.astype(np.int64) > 0)

    @cached_property
    def class_moments(self) -> Floats:
        """e_k: the mean of z^k of a disguised record, by power k = 0 .. 3, item and class."""
        powers = [self.scores_by_item**k for k in range(HIGHEST_POWER + 1)]
        return np.stack([(self.chance @ power).T for power in powers])

    def moments(self, item: NDArray[np.integer], share: Floats) -> Floats:
        """mu_k of these items where the classes have these shares (class by row): absent or there, by power, by row."""
        inside = self.items[item].T
        table = np.empty((2, HIGHEST_POWER + 1, len(item)))
        rows = np.arange(len(item))
        for there in (0, 1):
            weight = np.where(inside == there, share, 0.0)
            total = weight.sum(axis=0)
            weight /= np.where(total > 0, total, 1.0)
            alone = self.fallback[item, 1 - there]
            weight[alone[total <= 0], rows[total <= 0]] = 1.0
            table[there] = (self.class_moments[:, item] * weight.T).sum(axis=2)
            table[there, 0], table[there, 1] = 1.0, there
        return table
