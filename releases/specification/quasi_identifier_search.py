"""Finds small sets of columns that separate the records of a table, and measures separation.

Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2008.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

ROWS, CELLS = 20_000, 1_000_000
"""Largest numbers of rows, and of cells, of a table in which a separating set is searched."""
SEPARATES = 0.999
"""Share of all pairs of rows that a large enough set of columns separates."""


def compute_separation(counts: Integers) -> float:
    """Returns the share of all pairs of records that differ.

    `counts`: number of records of each distinct value, fewer than 2**31 in all.
    """
    records = int(counts.sum())
    pairs = records * (records - 1)
    same = int((counts * (counts - 1)).sum())
    return (pairs - same) / pairs if pairs else 0.0


class RowSample:
    """A uniform random sample of at most `ROWS` rows of a table (reservoir sampling); the same table gives the same
    sample."""

    def __init__(self, columns: int) -> None:
        self._most = max(min(ROWS, CELLS // columns), 1)
        self._rows: list[list[str]] = []
        self._seen, self._random = 0, np.random.default_rng(0)

    def add(self, rows: Sequence[list[str]]) -> None:
        free = self._most - len(self._rows)
        self._rows += rows[:free]
        rest = rows[free:]
        seen = self._seen + len(rows[:free]) + np.arange(len(rest))
        replaced = (self._random.random(len(rest)) * (seen + 1)).astype(np.int64)
        for index in np.flatnonzero(replaced < self._most).tolist():
            self._rows[replaced[index]] = rest[index]
        self._seen += len(rows)

    def column_codes(self, index: int) -> Integers:
        """Returns the values of a column as integer codes."""
        return np.unique([row[index] for row in self._rows], return_inverse=True)[1].astype(np.int64).ravel()


@dataclass(frozen=True)
class SeparatingSet:
    """Columns whose combined values separate rows, and how well.

    `columns`: their indices. `singled_out`: share of rows with a unique combination of values.
    """

    columns: tuple[int, ...]
    singled_out: float


def find_separating_set(sample: RowSample, candidates: Sequence[int]) -> SeparatingSet:
    """Returns a small set of columns that together distinguish most rows.

    Greedy: adds the column that separates most pairs, until the share `SEPARATES` of them is separated or no column
    helps. `candidates`: indices of columns.
    """
    codes = {index: sample.column_codes(index) for index in candidates}
    chosen: list[int] = []
    # Rows that the chosen columns do not tell apart have one label.
    labels, reached = np.zeros(len(next(iter(codes.values()), ())), np.int64), 0.0
    while codes and reached < SEPARATES:
        keys = {index: labels * (int(column.max(initial=0)) + 1) + column for index, column in codes.items()}
        shares = {
            index: compute_separation(np.unique(joint, return_counts=True)[1])
            for index, joint in keys.items()
        }
        best = max(shares, key=lambda index: shares[index])
        if shares[best] <= reached:
            break
        chosen.append(best)
        reached, labels = shares[best], np.unique(keys[best], return_inverse=True)[1].ravel()
        del codes[best]
    unique = int(np.count_nonzero(np.bincount(labels) == 1))
    return SeparatingSet(tuple(sorted(chosen)), unique / max(len(labels), 1))
