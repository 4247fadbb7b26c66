"""Special uniques (SUDA): records that few columns make unique (Elliot, Manning and Ford, 2002).

A minimal sample unique is a set of columns in whose values a record is alone, and in no smaller part of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.table import Column

Integers = NDArray[np.int64]
LARGEST = 3
"""Columns of the largest sets that are looked at."""
MOST_LOOKED_AT = 50_000_000
"""Records times sets of columns that are looked at; of larger tables smaller sets alone."""


@dataclass(frozen=True, slots=True)
class SpecialUniques:
    """`scores`: of each record, 0 of one that is not special; `columns`: the share of all scores that each has part in.

    `largest`: the columns of the largest sets that were looked at.
    """

    scores: Integers
    columns: dict[str, float]
    largest: int

    def as_json(self) -> dict[str, object]:
        return {
            "records": int((self.scores > 0).sum()),
            "largest": self.largest,
            "columns": self.columns,
        }


def special_uniques(columns: Sequence[Column], largest: int = LARGEST) -> SpecialUniques:
    """A set of s columns scores PROD_(i = s..largest) (columns - i), a record the sum of its sets."""
    many, records = len(columns), len(columns[0].codes)
    while largest > 1 and records * sum(comb(many, size) for size in range(1, largest + 1)) > MOST_LOOKED_AT:
        largest -= 1
    scores, parts = np.zeros(records, np.int64), np.zeros(many, np.int64)
    unique: dict[tuple[int, ...], NDArray[np.bool_]] = {}
    for size in range(1, min(largest, many) + 1):
        score = prod(many - step for step in range(size, min(largest, many - 1) + 1))
        for chosen in combinations(range(many), size):
            alone = _alone([columns[at].codes for at in chosen])
            smaller = [unique[part] for part in combinations(chosen, size - 1) if part in unique]
            # What is unique in a part stays so in the whole, and is minimal no more.
            minimal = alone & ~np.any(smaller, axis=0) if smaller else alone
            if alone.any():
                unique[chosen] = alone
            scores[minimal] += score
            parts[list(chosen)] += score * int(minimal.sum())
    total = max(int(scores.sum()), 1)
    shares = {column.name: int(part) / total for column, part in zip(columns, parts, strict=True)}
    return SpecialUniques(scores, shares, largest)


def _alone(codes: Sequence[NDArray[np.int32]]) -> NDArray[np.bool_]:
    """The records that no other agrees with."""
    keys = np.zeros(len(codes[0]), np.int64)
    for own in codes:
        _values, keys = np.unique(keys * (int(own.max()) + 1) + own, return_inverse=True)
        keys = keys.ravel()
    return np.asarray(np.bincount(keys)[keys] == 1)
