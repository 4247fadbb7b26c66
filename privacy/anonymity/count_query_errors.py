"""Utility of an anonymised table: errors of count queries, and distances of its distributions
from the source's.

LeFevre, DeWitt, Ramakrishnan (Workload-aware anonymization); Xiao, Tao (Anatomy: simple and effective privacy
preservation). docs/mathematics.md, Utility.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.information_loss import ClassValues, Partition
from privacy.anonymity.tables.table import Codes, Column, QuasiColumn, Table

QUERIES = 2000
SELECTIVITY = 0.05
"""Share of a table with independent, evenly spread columns that a query selects."""
SANITY = 0.001
"""Smallest divisor of relative errors, as a share of the records, so that rare answers do not dominate."""

MOST_BITS = 2**29
"""Most bits of the bitmaps of all values of all columns together: 64 MB."""
MOST_WORK = 6_000_000_000
"""Most work of all queries: a query costs one unit per record and column, `VALUE` units per value."""
VALUE = 600
FEWEST = 20
AT_ONCE = 200_000
"""Most classes times queries whose estimates are computed at once, so that the arrays take a few MB."""

Draw = Callable[[int], NDArray[np.float64]]
"""Returns n random numbers, 0 <= x < 1."""
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]
Bits = NDArray[np.uint8]


class CountQuery(NamedTuple):
    """A count query: how many records have allowed values in each of some columns?

    `quasi`: by index of a quasi-identifier, True for each allowed code. `sensitive`: index of a sensitive column, or
    None. `values`: True for each allowed code of the sensitive column.
    """

    quasi: dict[int, Truths]
    sensitive: int | None
    values: Truths


@dataclass(frozen=True, slots=True)
class QueryErrors:
    """Median and mean relative error of the counts that a release gives for a number of `queries`."""

    queries: int
    median: float
    mean: float


@dataclass(frozen=True, slots=True)
class AskedQueries:
    """Random count queries on a table before anonymisation, with their true answers.

    `exact`: number of records that each query selects. `least`: smallest divisor of the relative errors.
    """

    queries: list[CountQuery]
    exact: list[int]
    least: float


def query_errors(outcome: AnonymisedTable, draw: Draw, queries: int = QUERIES) -> QueryErrors:
    """Compares counts in the source with counts estimated from the classes of a release, for random queries.

    `queries`: number of queries; large tables get fewer. It takes under a second for 2,000 queries on
    Adult (30,000 records).
    """
    return errors_of_asked_queries(outcome, draw_queries(outcome.source, draw, queries))


def draw_queries(table: Table, draw: Draw, queries: int = QUERIES) -> AskedQueries:
    """Draws random queries on this table and counts their true answers, for one or more of its releases."""
    every = [draw_query(table, draw) for _query in range(min(queries, max_queries_within_seconds(table)))]
    exact = ExactCounts(table)
    return AskedQueries(every, [exact.count(query) for query in every], max(1.0, SANITY * table.records))


def errors_of_asked_queries(outcome: AnonymisedTable, asked_queries: AskedQueries) -> QueryErrors:
    """Compares the true answers of count queries with estimates from an anonymised table; returns the errors.

    `asked_queries`: queries on the source table of `outcome`, with their true answers.
    """
    exact = np.array(asked_queries.exact)
    estimated = EstimatedCounts(outcome.table, outcome.partition).estimate(asked_queries.queries)
    errors = np.abs(estimated - exact) / np.maximum(exact, asked_queries.least)
    return QueryErrors(len(errors), float(np.median(errors)), float(errors.mean()))


def max_queries_within_seconds(table: Table) -> int:
    """Returns the largest number of queries that can be answered on this table within seconds."""
    columns = (*table.quasi, *table.sensitive)
    work = table.records * len(columns) + VALUE * sum(len(column.texts) for column in columns)
    return max(FEWEST, MOST_WORK // work)


def draw_query(table: Table, draw: Draw) -> CountQuery:
    """Draws a query on one or more quasi-identifiers and, if the table has any, one sensitive column."""
    width = 1 + int(draw(1)[0] * len(table.quasi))
    places = np.argsort(draw(len(table.quasi)))[:width].tolist()
    share = SELECTIVITY ** (1 / (width + bool(table.sensitive)))
    quasi = {
        index: _draw_allowed_codes(
            len(table.quasi[index].texts), table.quasi[index].hierarchy is None, share, draw
        )
        for index in places
    }
    if not table.sensitive:
        return CountQuery(quasi, None, np.ones(0, bool))
    at = int(draw(1)[0] * len(table.sensitive))
    return CountQuery(quasi, at, _draw_allowed_codes(len(table.sensitive[at].texts), False, share, draw))


def _draw_allowed_codes(code_count: int, ordered: bool, share: float, draw: Draw) -> Truths:
    """Draws the allowed codes of a query: the share `share` of the codes 0 .. `code_count` - 1, at least one.

    Returns a mask over the codes. The drawn codes are neighbours if `ordered`.
    """
    size = min(code_count, ceil(code_count * share))
    allowed = np.zeros(code_count, bool)
    if ordered:
        start = int(draw(1)[0] * (code_count - size + 1))
        allowed[start : start + size] = True
    else:
        allowed[np.argpartition(draw(code_count), size - 1)[:size]] = True
    return allowed


class ExactCounts:
    """Counts the records of a source table that a query selects."""

    def __init__(self, table: Table) -> None:
        room = MOST_BITS // (len(table.quasi) + len(table.sensitive))
        self._quasi = [_record_selector(column, room) for column in table.quasi]
        self._sensitive = [_record_selector(column, room) for column in table.sensitive]

    def count(self, query: CountQuery) -> int:
        """Returns the number of records that the query selects."""
        selected = [self._quasi[index](allowed) for index, allowed in query.quasi.items()]
        if query.sensitive is not None:
            selected.append(self._sensitive[query.sensitive](query.values))
        return int(np.bitwise_count(np.bitwise_and.reduce(selected)).sum())


def _record_selector(column: Column, room: int) -> Callable[[Truths], Bits]:
    """Returns a function that selects the records with allowed codes in a column.

    The function turns a mask of the allowed codes into one bit for each record, packed. It keeps one bitmap for each
    code if all together need at most `room` bits.
    """
    if len(column.texts) * len(column.codes) > room:
        codes = column.codes.astype(np.intp)
        return lambda allowed: np.packbits(allowed.take(codes))
    by_value = np.stack([np.packbits(column.codes == value) for value in range(len(column.texts))])
    return lambda allowed: np.bitwise_or.reduce(by_value[allowed], axis=0)


class EstimatedCounts:
    """Estimates from an anonymised table the number of source records that a query selects.

    It assumes that the records of a class are spread evenly over the values that it shows, independently by column.
    """

    def __init__(self, table: Table, classes: Partition) -> None:
        self._sizes = classes.sizes.astype(np.float64)
        self._distinct_spans = [
            _distinct_spans(*column.shown_code_ranges(classes.lows[:, at], classes.highs[:, at]))
            for at, column in enumerate(table.quasi)
        ]
        every = [ClassValues.from_classes(classes, column) for column in table.sensitive]
        # With the classes and the index at which the pairs of each begin.
        self._pairs = [(pairs, np.unique(pairs.owner, return_index=True)) for pairs in every]

    def estimate(self, queries: Sequence[CountQuery]) -> Floats:
        """Returns the estimated number of selected records of each query."""
        step = max(1, AT_ONCE // len(self._sizes))
        parts = [self._estimate_chunk(queries[at : at + step]) for at in range(0, len(queries), step)]
        return np.array([estimate for part in parts for estimate in part])

    def _estimate_chunk(self, queries: Sequence[CountQuery]) -> Iterator[float]:
        """Yields the estimated count of each query; `queries` are few enough to fit into memory."""
        shares = [
            self._allowed_shares_of_ranges(index, queries) for index in range(len(self._distinct_spans))
        ]
        for query in queries:
            expected = self._sizes
            if query.sensitive is not None:
                expected = self._records_with_values(query.sensitive, query.values)
            for index in query.quasi:
                expected = expected * next(shares[index]).take(self._distinct_spans[index][2])
            yield expected.sum()

    def _allowed_shares_of_ranges(self, index: int, queries: Sequence[CountQuery]) -> Iterator[Floats]:
        """Yields, by query, the allowed share of each range of codes that classes show in a quasi-identifier.

        `index`: index of the quasi-identifier. Queries that do not name it are left out.
        """
        asking = [query.quasi[index] for query in queries if index in query.quasi]
        if not asking:
            return iter(())
        first, end, _span = self._distinct_spans[index]
        before = np.zeros((len(asking), len(asking[0]) + 1), np.int64)
        np.cumsum(asking, axis=1, out=before[:, 1:])
        return iter((before[:, end] - before[:, first]) / (end - first))

    def _records_with_values(self, index: int, values: Truths) -> Floats:
        """Returns for each class the number of its records with an allowed value in a sensitive column.

        `index`: index of the column; `values`: mask of the allowed values.
        """
        pairs, (owner, start) = self._pairs[index]
        sums = np.zeros(len(self._sizes))
        sums[owner] = np.add.reduceat(pairs.count * values.take(pairs.value), start)
        return sums


def _distinct_spans(first: Codes, last: Codes) -> Sequence[Integers]:
    """Returns the distinct code ranges that classes show: their first codes, ends, and each class's range.

    `first`, `last`: first and last code that each class shows.
    """
    spans, index = np.unique(np.stack([first, last + 1]), axis=1, return_inverse=True)
    return spans[0], spans[1], index.ravel()


# --- marginals
# Marginal distributions of a release, compared with those of the table that was read.


def marginal_distances(outcome: AnonymisedTable) -> dict[str, float]:
    """Returns each column's total variation distance between release and source, from 0 to 1.

    A class counts its records evenly over the values that it shows (docs/mathematics.md, Utility).
    """
    source, table, classes = outcome.source, outcome.table, outcome.partition
    distances = {}
    for at, column in enumerate(source.quasi):
        ends = column.shown_code_ranges(classes.lows[:, at], classes.highs[:, at])
        distances[column.name] = _total_variation(
            column, expected_record_counts_by_code(column, *ends, classes.sizes)
        )
    for true, published in zip(
        (*source.sensitive, *source.other), (*table.sensitive, *table.other), strict=True
    ):
        distances[true.name] = _total_variation(true, _record_counts_by_code(published))
    return distances


def expected_record_counts_by_code(
    column: QuasiColumn, first: Codes, last: Codes, sizes: NDArray[np.int64]
) -> Floats:
    """Returns the expected number of records of each code if each class spreads its records evenly over its range.

    `first`, `last`: first and last code of each class; `sizes`: its number of records.
    """
    density = sizes / (last - first + 1)
    change = np.bincount(first, density, len(column.texts) + 1)
    change -= np.bincount(last + 1, density, len(column.texts) + 1)
    return np.asarray(np.cumsum(change)[:-1], np.float64)


def _record_counts_by_code(column: Column) -> Floats:
    """Returns the number of records of each code of a column."""
    return np.bincount(column.codes, minlength=len(column.texts)).astype(np.float64)


def _total_variation(true: Column, published: Floats) -> float:
    """Returns the total variation distance of the published counts from the `true` column, from 0 to 1."""
    difference = published / published.sum() - _record_counts_by_code(true) / len(true.codes)
    return float(np.abs(difference).sum() / 2)
