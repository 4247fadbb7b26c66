"""Error of count queries, the usual measure of what a release is still good for.

LeFevre, DeWitt, Ramakrishnan (Workload-aware anonymization); Xiao, Tao (Anatomy: simple and effective privacy
preservation). docs/mathematics.md, Utility.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.losses import Partition
from privacy.anonymity.table import Column, QuasiColumn, Table

QUERIES = 2000
SELECTIVITY = 0.05
"""The share of a table with independent, evenly spread columns that a query selects."""
SANITY = 0.001
"""Errors are relative to at least this share of the records, so that rare answers do not rule the mean."""

Draw = Callable[[int], NDArray[np.float64]]
"""So many numbers by chance from 0 up to 1."""
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


class _Span(NamedTuple):
    """The codes that each class shows, from the first up to the end."""

    first: NDArray[np.intp]
    end: NDArray[np.intp]


class CountQuery(NamedTuple):
    """A conjunction: by the place of a quasi-identifier the codes that it allows; the same of one sensitive column."""

    quasi: dict[int, Truths]
    sensitive: int | None
    values: Truths


@dataclass(frozen=True, slots=True)
class QueryErrors:
    """Relative errors of the counts; `queries`: how many were asked."""

    queries: int
    median: float
    mean: float

    def as_json(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in self.__slots__}


def query_errors(outcome: AnonymisedTable, draw: Draw, queries: int = QUERIES) -> QueryErrors:
    """Count in the source and estimate from the classes; under a second for 2,000 queries on Adult."""
    least = max(1.0, SANITY * outcome.source.records)
    exact, estimated = ExactCounts(outcome.source), EstimatedCounts(outcome.table, outcome.partition)
    errors = np.zeros(queries)
    for place in range(queries):
        query = drawn(outcome.source, draw)
        true = exact.of(query)
        errors[place] = abs(estimated.of(query) - true) / max(true, least)
    return QueryErrors(queries, float(np.median(errors)), float(errors.mean()))


def drawn(table: Table, draw: Draw) -> CountQuery:
    """A query on one or more quasi-identifiers and, where there are any, one sensitive column."""
    asked = 1 + int(draw(1)[0] * len(table.quasi))
    places = np.argsort(draw(len(table.quasi)))[:asked].tolist()
    share = SELECTIVITY ** (1 / (asked + bool(table.sensitive)))
    quasi = {
        place: _allowed(len(table.quasi[place].texts), _ordered(table.quasi[place]), share, draw)
        for place in places
    }
    if not table.sensitive:
        return CountQuery(quasi, None, np.ones(0, bool))
    at = int(draw(1)[0] * len(table.sensitive))
    return CountQuery(quasi, at, _allowed(len(table.sensitive[at].texts), False, share, draw))


def _ordered(column: QuasiColumn) -> bool:
    return column.hierarchy is None


def _allowed(values: int, ordered: bool, share: float, draw: Draw) -> Truths:
    """Neighbours where the values are ordered, else any; at least one."""
    size = min(values, ceil(values * share))
    allowed = np.zeros(values, bool)
    if ordered:
        start = int(draw(1)[0] * (values - size + 1))
        allowed[start : start + size] = True
    else:
        allowed[np.argsort(draw(values))[:size]] = True
    return allowed


class ExactCounts:
    """How many records of a table a query selects."""

    def __init__(self, table: Table) -> None:
        self._quasi = [column.codes.astype(np.intp) for column in table.quasi]
        self._sensitive = [column.codes.astype(np.intp) for column in table.sensitive]

    def of(self, query: CountQuery) -> int:
        filters = [(self._quasi[place], allowed) for place, allowed in query.quasi.items()]
        if query.sensitive is not None:
            filters.append((self._sensitive[query.sensitive], query.values))
        selected = np.ones(len(self._quasi[0]), bool)
        for codes, allowed in filters:
            selected &= allowed.take(codes)
        return int(np.count_nonzero(selected))


class EstimatedCounts:
    """What a release answers: a class spreads evenly over what it shows, in each column on its own."""

    def __init__(self, table: Table, classes: Partition) -> None:
        self._sizes = classes.sizes.astype(np.float64)
        ends = [
            column.covered(classes.lows[:, at], classes.highs[:, at]) for at, column in enumerate(table.quasi)
        ]
        self._spans = [_Span(first.astype(np.intp), last + np.intp(1)) for first, last in ends]
        self._pairs = [_pairs(column, classes) for column in table.sensitive]

    def of(self, query: CountQuery) -> float:
        expected = self._sizes if query.sensitive is None else self._holding(query.sensitive, query.values)
        for place, allowed in query.quasi.items():
            first, end = self._spans[place]
            before = np.concatenate([[0], np.cumsum(allowed)])
            expected = expected * (before.take(end) - before.take(first)) / (end - first)
        return float(expected.sum())

    def _holding(self, place: int, values: Truths) -> Floats:
        """By class, the records with one of these values."""
        owner, value, count = self._pairs[place]
        return np.asarray(np.bincount(owner, count * values.take(value), len(self._sizes)), np.float64)


def _pairs(column: Column, classes: Partition) -> Sequence[NDArray[np.int64]]:
    """The pairs of class and value that occur, and how often."""
    keys, count = np.unique(classes.labels * len(column.texts) + column.codes, return_counts=True)
    return keys // len(column.texts), keys % len(column.texts), count
