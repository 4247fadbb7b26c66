"""Special uniques (SUDA): records that few columns make unique (Elliot, Manning and Ford, 2002).

A minimal sample unique is a set of columns in whose values a record is alone, and in no smaller part of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.searches.lattice import dense
from privacy.anonymity.tables.table import Column

Integers = NDArray[np.int64]
Numbered = tuple[Integers, int]
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
    classes: dict[tuple[int, ...], Numbered] = {(): (np.zeros(records, np.int64), 1)}
    for size in range(1, min(largest, many) + 1):
        score = prod(many - step for step in range(size, min(largest, many - 1) + 1))
        before, classes = classes, {}
        for chosen in combinations(range(many), size):
            labels, number = _divided(before[chosen[:-1]], columns[chosen[-1]])
            if size < largest:
                classes[chosen] = labels, number
            alone = np.bincount(labels)[labels] == 1
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


def _divided(classes: Numbered, column: Column) -> Numbered:
    """The classes of records that agree in a further column, numbered without gaps, and how many there are."""
    labels, number = classes
    values = len(column.texts)
    return dense(labels * values + column.codes, number * values)
