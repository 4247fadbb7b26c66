"""Marginal distributions that a release gives, with those of the table that was read."""

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.tables.table import Codes, Column, QuasiColumn

Floats = NDArray[np.float64]


def marginal_distances(outcome: AnonymisedTable) -> dict[str, float]:
    """Total variation distance of each published column to the source, from 0 to 1 (docs/mathematics.md, Utility).

    A class counts its records evenly over the values that it shows.
    """
    source, table, classes = outcome.source, outcome.table, outcome.partition
    distances = {}
    for at, column in enumerate(source.quasi):
        ends = column.covered(classes.lows[:, at], classes.highs[:, at])
        distances[column.name] = _distance(column, spread(column, *ends, classes.sizes))
    for true, published in zip(
        (*source.sensitive, *source.other), (*table.sensitive, *table.other), strict=True
    ):
        distances[true.name] = _distance(true, _counts(published))
    return distances


def spread(column: QuasiColumn, first: Codes, last: Codes, sizes: NDArray[np.int64]) -> Floats:
    """The expected number of records by code, where each class spreads its records evenly from first to last code."""
    density = sizes / (last - first + 1)
    change = np.bincount(first, density, len(column.texts) + 1)
    change -= np.bincount(last + 1, density, len(column.texts) + 1)
    return np.asarray(np.cumsum(change)[:-1], np.float64)


def _counts(column: Column) -> Floats:
    return np.bincount(column.codes, minlength=len(column.texts)).astype(np.float64)


def _distance(true: Column, published: Floats) -> float:
    difference = published / published.sum() - _counts(true) / len(true.codes)
    return float(np.abs(difference).sum() / 2)
