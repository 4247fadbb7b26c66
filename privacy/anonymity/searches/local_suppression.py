"""Local suppression: hides one column's cell in some records, and groups these records by other columns.

A suppressed cell shows `*`, a value of its own: it matches no other value, so that a class is the records
that show the same. It has the full loss (NCP 1), as has a cell that shows the whole column
(docs/mathematics.md, Anonymised tables).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria_check import violations
from privacy.anonymity.information_loss import (
    certainty_penalties_by_class,
    loss_weights_by_record,
    partition_from_labels,
)
from privacy.anonymity.searches.kernel_arrays import KernelArrays, prepare_kernel_arrays
from privacy.anonymity.searches.tree import TreeSearch
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.json_node import PARTS

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_COMPARED = 4
"""Number of records grouped without a column, as a multiple of the cells that may still be suppressed."""
ENOUGH = 1e-9
NONE = -1


@dataclass(frozen=True, slots=True)
class LocalSuppression:
    """Result of local suppression.

    `labels`: the class of each record. `column`: for each record the index of the column whose cell is suppressed, or
    NONE. `whole`: False if the search was stopped before its end.
    """

    labels: Integers
    column: Integers
    whole: bool


@dataclass(frozen=True, slots=True)
class SuppressionAttempt:
    """A candidate step of local suppression: suppress the cells of `column` in the records `places`.

    `labels`: the classes of these records afterwards, numbered from 0. `saved`: by how much the loss falls.
    """

    column: int
    places: Integers
    labels: Integers
    saved: float


def suppress_cells(
    table: Table, specification: Specification, labels: Integers, stop: Integers
) -> LocalSuppression:
    """Suppresses cells of quasi-identifiers, at most the allowed share; returns the new equivalence classes.

    Each column is tried, in the records of the classes that lose most: they are grouped by the other columns,
    and the new classes that save most have their cells of this column suppressed, as many as allowed. The
    remaining records of the old classes are grouped again by all columns. The column that saves most is
    taken, if all classes then keep the criteria and the loss falls; this is repeated until nothing is saved.
    A record loses at most one cell. Each repetition takes a search for each column.
    """
    left = specification.cell_suppression * table.records * len(table.quasi) // PARTS
    _names, labels = np.unique(labels, return_inverse=True)
    column, weights = np.full(table.records, NONE), loss_weights_by_record(table, specification)
    lost = (_cell_penalties_by_record(table, labels) * weights).sum(axis=1)
    whole = prepare_kernel_arrays(table, specification, stop)
    without = [
        prepare_kernel_arrays(_without_column(table, at), specification, stop)
        for at in range(len(table.quasi))
        if len(table.quasi) > 1
    ]
    while left and not stop[0]:
        compared = _records_of_worst_classes(labels, lost, column == NONE, MOST_COMPARED * left)
        attempts = [
            _attempt_without_column(prepared, compared, lost, weights[:, at], at, left, specification.seed)
            for at, prepared in enumerate(without)
            if len(compared)
        ]
        best = max(attempts, key=lambda attempt: attempt.saved, default=None)
        if best is None or best.saved <= ENOUGH:
            break
        changed, cost = labels.copy(), lost.copy()
        changed[best.places] = labels.max() + 1 + best.labels
        rest = np.setdiff1d(compared, best.places)
        if len(rest):
            changed[rest] = (
                changed.max() + 1 + TreeSearch(whole.take_records(rest), specification.seed).labels
            )
            cost[rest] = (
                _cell_penalties_by_record(table.take_records(rest), changed[rest]) * weights[rest]
            ).sum(axis=1)
        shown = _cell_penalties_by_record(
            _without_column(table, best.column).take_records(best.places), best.labels
        )
        own = weights[best.places]
        cost[best.places] = own[:, best.column] + (shown * np.delete(own, best.column, axis=1)).sum(axis=1)
        _names, changed = np.unique(changed, return_inverse=True)
        kept = not any(violations(table, specification, changed).values())
        if not kept or cost.sum() >= lost.sum() - ENOUGH:
            break
        labels, lost, left = changed, cost, left - len(best.places)
        column[best.places] = best.column
    return LocalSuppression(labels, column, not stop[0])


def _without_column(table: Table, index: int) -> Table:
    """Returns the table without the quasi-identifier with this index."""
    return replace(table, quasi=(*table.quasi[:index], *table.quasi[index + 1 :]))


def _cell_penalties_by_record(table: Table, labels: Integers) -> Floats:
    """Returns the information loss (NCP) of each cell, record x quasi-identifier, for these classes."""
    classes = partition_from_labels(table, labels)
    return certainty_penalties_by_class(table, classes)[classes.labels]


def _records_of_worst_classes(labels: Integers, lost: Floats, free: NDArray[np.bool_], most: int) -> Integers:
    """Returns about `most` records of the classes with the highest loss per record.

    Only classes that lose more than one whole cell per record count. `lost`: loss of each record; `free`: True for the
    records that have no suppressed cell yet.
    """
    sizes = np.maximum(np.bincount(labels), 1)
    means = np.bincount(labels, lost) / sizes
    classes = np.unique(labels[free])
    classes = classes[means[classes] > 1]
    order = classes[np.argsort(-means[classes], kind="stable")]
    number = int(np.searchsorted(np.cumsum(sizes[order]), most)) + 1
    return np.flatnonzero(np.isin(labels, order[:number]))


def _attempt_without_column(
    prepared: KernelArrays,
    indexes: Integers,
    lost: Floats,
    weights: Floats,
    column: int,
    left: int,
    seed: int,
) -> SuppressionAttempt:
    """Tries to suppress a column in some records: groups them without it, keeps the classes that save most.

    `indexes`: the records. `lost`: present loss of each record of the table; `weights`: weight of each record's cell in
    the column; `left`: number of cells that may still be suppressed.
    """
    search = TreeSearch(prepared.take_records(indexes), seed)
    sizes = np.bincount(search.labels)
    saved = np.bincount(search.labels, lost[indexes] - weights[indexes]) - search.losses
    order = np.argsort(-saved / sizes, kind="stable")
    order = order[saved[order] > 0]
    chosen = order[: np.searchsorted(np.cumsum(sizes[order]), left, side="right")]
    taken = np.isin(search.labels, chosen)
    return SuppressionAttempt(column, indexes[taken], search.labels[taken], float(saved[chosen].sum()))
