"""The scores of a question's items for each record code, whose means estimate shares; and moments of the scores.

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
    """The scores of one question's items by record code, and the law of the codes.

    A class is a set of true answers that the disguise treats alike, and an item is a union of classes.

    `chance`: probability of a code given a class, class x code. `scores`: score z of a class for a code, code x class.
    `names`: True if a disguised code stands for a class, code x class. `true_class`: for each code the class of an open
    record with this code, -1 if no open record has it. `items`: True if a class is in an item, item x class.
    `fallback`: for each item one class inside and one outside, used where no record of that side is expected.
    """

    chance: Floats
    scores: Floats
    names: Bits
    true_class: NDArray[np.int64]
    items: Bits
    fallback: NDArray[np.int64]

    @cached_property
    def scores_by_code_and_item(self) -> Floats:
        """The score z of a disguised record, code x item."""
        return np.asarray(self.scores @ self.items.T.astype(np.float64))

    @cached_property
    def least_and_greatest_scores(self) -> Floats:
        """The smallest and the greatest score z of a disguised record, by item."""
        return np.stack([self.scores_by_code_and_item.min(axis=0), self.scores_by_code_and_item.max(axis=0)])

    @cached_property
    def open_code_has_item(self) -> Bits:
        """Whether an open record with this code belongs to the item, code x item."""
        return np.where((self.true_class >= 0)[:, None], self.items.T[self.true_class], False)

    @cached_property
    def code_names_class_of_item(self) -> Bits:
        """Whether a disguised record with this code stands for a class of the item, code x item."""
        return np.asarray(self.names.astype(np.int64) @ self.items.T.astype(np.int64) > 0)

    @cached_property
    def class_moments(self) -> Floats:
        """Moments e_k of a disguised record's score, means of its k-th power: k = 0 .. 3 x item x class."""
        powers = [self.scores_by_code_and_item**k for k in range(HIGHEST_POWER + 1)]
        return np.stack([(self.chance @ power).T for power in powers])

    def moments(self, item: NDArray[np.integer], share: Floats) -> Floats:
        """Returns the moments mu_k of the scores of these items, among people without and with the item.

        The shape is 2 x power k x row. `item`: an item for each row; `share`: assumed shares of the classes,
        class x row.
        """
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
