"""How well sets of columns tell people apart: distinction and separation (Motwani and Xu, 2008)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.table import Codes, Column

Integers = NDArray[np.int64]
SEPARATES = 0.999
"""A set of columns that separates this share of all pairs tells nearly everybody apart."""


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """`distinction`: distinct rows / records; `separation`: the share of the pairs of records that differ."""

    names: tuple[str, ...]
    distinction: float
    separation: float


def column_set(columns: Sequence[Column]) -> ColumnSet:
    keys = _keys([column.codes for column in columns])
    return _of_keys(tuple(column.name for column in columns), keys)


def proposed(columns: Sequence[Column], enough: float = SEPARATES) -> tuple[ColumnSet, ...]:
    """The column that separates most, that and the one that then separates most, and so on until they are enough.

    Columns after that add next to nothing to what tells people apart.
    """
    rest, chosen = list(columns), list[Column]()
    keys = np.zeros(len(columns[0].codes), np.int64)
    sets: list[ColumnSet] = []
    while rest and not (sets and sets[-1].separation >= enough):
        scored = [
            (_of_keys((), _joined(keys, column.codes)).separation, -at) for at, column in enumerate(rest)
        ]
        best = rest.pop(-max(scored)[1])
        chosen.append(best)
        keys = _joined(keys, best.codes)
        sets.append(_of_keys(tuple(column.name for column in chosen), keys))
    return tuple(sets)


def _of_keys(names: tuple[str, ...], keys: Integers) -> ColumnSet:
    counts = np.bincount(keys)
    counts = counts[counts > 0]
    return ColumnSet(names, len(counts) / len(keys), separation_of(counts))


def separation_of(counts: Integers) -> float:
    """The share of all pairs of records that differ; `counts`: of each distinct value, fewer than 2**31 in all."""
    records = int(counts.sum())
    pairs = records * (records - 1)
    same = int((counts * (counts - 1)).sum())
    return (pairs - same) / pairs if pairs else 0.0


def _keys(codes: Sequence[Codes]) -> Integers:
    keys = np.zeros(len(codes[0]), np.int64)
    for own in codes:
        keys = _joined(keys, own)
    return keys


def _joined(keys: Integers, codes: Codes) -> Integers:
    _values, joined = np.unique(keys * (int(codes.max()) + 1) + codes, return_inverse=True)
    return np.asarray(joined.ravel(), np.int64)
