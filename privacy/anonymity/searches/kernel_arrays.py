"""Converts a table and its specification to the flat arrays of the compiled searches."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria_check import SensitiveView, views_of_sensitive_columns
from privacy.anonymity.information_loss import loss_weights_by_record
from privacy.anonymity.kernels import class_criteria
from privacy.anonymity.kernels.class_criteria import ClassRules
from privacy.anonymity.kernels.column_penalties import Points, Shapes
from privacy.anonymity.tables.specification import Criteria, DiversityKind, Specification
from privacy.anonymity.tables.table import QuasiColumn, Table

Integers = NDArray[np.int64]
KINDS = {
    None: class_criteria.NONE,
    DiversityKind.DISTINCT: class_criteria.DISTINCT,
    DiversityKind.ENTROPY: class_criteria.ENTROPY,
    DiversityKind.RECURSIVE: class_criteria.RECURSIVE,
}


SPREAD = 0.05
"""Penalty on large classes: loss added to a record in a class of k records; n / k times as much in one of n.

It hardly changes the loss, and splits classes much larger than k: discernibility falls.
"""


class KernelArrays(NamedTuple):
    """The arrays of a table for the compiled searches.

    `records`: a point for every record. `shapes`: scales and hierarchies of the columns. `rules`: the
    criteria. `cells`: length of a histogram of sensitive values.
    """

    records: Points
    shapes: Shapes
    rules: ClassRules
    cells: int

    @property
    def max_code_count(self) -> int:
        """Number of codes of the quasi-identifier with the most codes."""
        return int(self.shapes.leaves.max())

    def take_records(self, indexes: Integers) -> "KernelArrays":
        """Returns the arrays of the records at these indexes; the criteria stay those of the whole table."""
        codes, sizes, weights, _start, cells = self.records
        records = Points(
            codes[indexes], sizes[indexes], weights[indexes], np.arange(len(indexes) + 1), cells[indexes]
        )
        return self._replace(records=records)


def new_stop_flag() -> Integers:
    """Returns a flag that ends a running search soon once its one element is set to 1."""
    return np.zeros(1, np.int64)


def prepare_kernel_arrays(
    table: Table, specification: Specification, stop: Integers | None = None
) -> KernelArrays:
    """Converts a table and its specification to arrays for the compiled searches; `stop`: ends a search."""
    views = views_of_sensitive_columns(table, specification)
    # The search treats the codes of a bin as one, so that more records are equal.
    codes = np.ascontiguousarray(np.stack([column.bins[column.codes] for column in table.quasi], axis=1))
    size = len(codes)
    ends = np.cumsum([0, *(view.values * view.groups for view in views)])
    cells = np.zeros((size, len(views)), np.int32)
    for index, view in enumerate(views):
        cells[:, index] = ends[index] + view.group * view.values + view.codes
    records = Points(
        np.ascontiguousarray(codes),
        np.ones(size, np.int64),
        loss_weights_by_record(table, specification),
        np.arange(size + 1),
        cells,
    )
    totals = np.bincount(cells.ravel(), minlength=int(ends[-1])).astype(np.int64)
    flag = new_stop_flag() if stop is None else stop
    rules = _rules_of_criteria(specification.criteria, views, size, ends.astype(np.int64), totals, flag)
    return KernelArrays(records, _flat_hierarchies(table.quasi), rules, int(ends[-1]))


def _flat_hierarchies(columns: tuple[QuasiColumn, ...]) -> Shapes:
    """Returns the scales and generalisation hierarchies of the columns in flat arrays."""
    firsts = [np.unique(column.bins, return_index=True)[1] for column in columns]
    leaves = np.array(list(map(len, firsts)))
    nodes = np.array([len(column.hierarchy.labels) if column.hierarchy else 0 for column in columns])
    lengths = np.maximum(leaves, nodes)
    offset = np.cumsum(lengths) - lengths
    cost, upper = np.zeros(lengths.sum()), np.zeros(lengths.sum())
    parent, first, last = (np.zeros(lengths.sum(), int) for _array in range(3))
    for column, index, start, length in zip(columns, firsts, offset, lengths, strict=True):
        own = slice(start, start + length)
        if column.hierarchy:
            cost[own] = column.hierarchy.penalties
            parent[own], first[own] = column.hierarchy.parent, column.hierarchy.first
            last[own] = column.hierarchy.last
        else:
            cost[own], upper[own] = (ends[index] for ends in column.scaled_ranges)
    numeric = np.array([column.hierarchy is None for column in columns])
    return Shapes(numeric, offset, leaves, nodes, cost, upper, parent, first, last)


def _rules_of_criteria(
    criteria: Criteria,
    views: tuple[SensitiveView, ...],
    records: int,
    ends: Integers,
    totals: Integers,
    stop: Integers,
) -> ClassRules:
    """Returns the anonymity criteria as arrays by view of a sensitive column.

    `records`: number of records of the table. `ends`: bounds of the cells of each view in a histogram.
    `totals`: number of records by cell. `stop`: the flag that ends a search.
    """
    whole = np.array([view.whole for view in views], np.int64)
    diverse = [view.diversity for view in views]
    low, high = criteria.breach or (0, 0)
    closeness = -1 if criteria.closeness is None else criteria.closeness
    return ClassRules(
        k=criteria.k,
        records=records,
        start=ends,
        width=np.array([view.values for view in views], np.int64),
        kind=np.array([KINDS[diversity.kind if diversity else None] for diversity in diverse], np.int64),
        least=np.array([diversity.least if diversity else 0 for diversity in diverse], np.int64),
        c=np.array([diversity.c if diversity else 0 for diversity in diverse], np.int64),
        closeness=np.where(whole, closeness, -1).astype(np.int64),
        ordered=np.array([view.ordered for view in views], np.int64),
        cap=whole * (criteria.max_frequency or 0),
        rho_low=whole * low,
        rho_high=whole * high,
        totals=totals,
        spread=SPREAD / criteria.k,
        stop=stop,
    )


def points_and_record_order(
    records: Points, most_codes: int, most_records: int = 0
) -> tuple[Points, Integers]:
    """Groups records with equal codes into points; returns the points, and the indexes of the records in their order.

    `most_records`: most records of a point; 0: no limit.
    """
    codes = records.codes
    keys = np.zeros(len(codes), np.int64)
    if float(most_codes) ** codes.shape[1] < 2**62:
        for column in codes.T:
            keys = keys * most_codes + column
    else:
        keys = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(keys, kind="stable")
    new = np.flatnonzero(np.concatenate([[True], np.diff(keys[order]) != 0]))
    if most_records:
        sizes = np.diff(np.concatenate([new, [len(codes)]]))
        parts = -(-sizes // most_records)
        within = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        new = np.repeat(new, parts) + within * most_records
    start = np.concatenate([new, [len(codes)]])
    weights = np.add.reduceat(records.weights[order], new, axis=0)
    points = Points(
        np.ascontiguousarray(codes[order[new]]), np.diff(start), weights, start, records.cells[order]
    )
    return points, order
