"""Links two tables of the same people: finds the rows that match in their shared columns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria_check import joint_class_size_by_record, joint_labels
from privacy.anonymity.risk.cell_parsers import Overlaps, has_overlap
from privacy.anonymity.risk.table_seen_by_attacker import ShownColumn, ShownTable
from privacy.anonymity.tables.table import Column

Integers = NDArray[np.int64]
Tick = Callable[[float], None]
"""Called with the share that is done; may raise to stop."""
NO_VALUE, MANY_VALUES = -2, -1
BY_CHANCE = 0.01
"""Probability below which two tables in matching order count as not shuffled."""


@dataclass(frozen=True, slots=True)
class RegisterLinkage:
    """Result of linking a published file with a register of people.

    For each person: `records`, the number of records that fit; `rows`, the index of the record that is surely
    theirs (the only one that fits, and fits nobody else), or -1; `values`, by sensitive column the code that
    all fitting records share, or a negative number. `same_order`: the rows of the file are in the order of
    the register. `candidates`: for each record the number of people who fit, at least the size of its class.
    """

    records: Integers
    rows: Integers
    values: dict[str, Integers]
    same_order: bool
    candidates: Integers

    @property
    def expected_matches(self) -> float:
        """Expected number of people found if a fitting record is picked at random for each.

        Assumes that all people of the register are in the file.
        """
        return float((1 / self.records[self.records > 0]).sum())


def register_linkage(published: ShownTable, register: ShownTable, tick: Tick) -> RegisterLinkage:
    """Links the records of a published file with the people of a register, class by class.

    `tick`: called with the share that is done; it may raise to stop.
    """
    labels = published.labels
    classes, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    everybody = len(register.rows)
    values = {column.name: np.full(everybody, NO_VALUE) for column in published.sensitive}
    of_classes = {column.name: single_value_by_class(labels, column) for column in published.sensitive}
    records, last = np.zeros(everybody, np.int64), np.full(everybody, -1)
    people = np.zeros(len(classes), np.int64)
    pairs = _shared_cells_and_overlaps(published.take_rows(first), register)
    for own, fitting in _fitting_rows(pairs, np.arange(len(classes)), np.arange(everybody), tick):
        people[own] += len(fitting)
        records[fitting] += sizes[own].sum()
        last[fitting] = own[0]
        for name, single in of_classes.items():
            value = single[own[0]] if (single[own] == single[own[0]]).all() else MANY_VALUES
            earlier = values[name][fitting]
            values[name][fitting] = np.where((earlier == NO_VALUE) | (earlier == value), value, MANY_VALUES)
    alone = (records == 1) & (people[last] == 1)
    share = float((records / len(labels)).mean())
    same = (
        everybody == len(labels)
        and _has_rows_in_order_of(published, register)
        and share**everybody < BY_CHANCE
    )
    candidates = np.maximum(people, sizes)[labels]
    return RegisterLinkage(records, np.where(alone, first[last], -1), values, same, candidates)


def single_value_by_class(labels: Integers, column: Column) -> Integers:
    """Returns for each class the code that all its records share, or MANY_VALUES if they differ."""
    lows = np.full(int(labels.max()) + 1, len(column.texts))
    highs = np.full(len(lows), -1)
    np.minimum.at(lows, labels, column.codes)
    np.maximum.at(highs, labels, column.codes)
    return np.where(lows == highs, lows, MANY_VALUES)


@dataclass(frozen=True, slots=True)
class FileLinkage:
    """Result of linking a published file with another file of the same people.

    `sizes`: for each record the largest possible size of its joint class, 0 if no record of the other file
    fits. `same_order`: the rows of both are in the same order; then the sizes are exact.
    """

    sizes: Integers
    same_order: bool


def file_linkage(published: ShownTable, other: ShownTable, tick: Tick) -> FileLinkage:
    """Links the rows of two published files of the same people by quasi-identifiers and unchanged values.

    Of people in the class E of this file and F of the other, at most SUM_v min(n_E(v), n_F(v)) are in both, v being the
    unchanged values. If this file has more records, some are absent from the other: at most the difference.
    """
    labels, others = published.labels, other.labels
    values, other_values = _label_shared_value_combinations(published, other)
    # For each kind of record, a class with values: the number of records, and the largest joint class.
    number = int(max(values.max(), other_values.max())) + 1
    kinds, of_row, counts = np.unique(labels * number + values, return_inverse=True, return_counts=True)
    classes, first = np.unique(labels, return_index=True)
    starts = np.searchsorted(kinds // number, np.arange(len(classes) + 1))
    surplus = max(len(labels) - len(others), 0)
    largest = np.minimum(surplus, np.bincount(labels))[kinds // number]
    held, other_first = _value_counts(others, other_values, number), np.unique(others, return_index=True)[1]
    pairs, agreeing = _shared_cells_and_overlaps(published.take_rows(first), other.take_rows(other_first)), 0
    for own, fitting in _fitting_rows(pairs, np.arange(len(classes)), np.arange(len(other_first)), tick):
        for label in own.tolist():
            inside = slice(starts[label], starts[label + 1])
            shared_counts = held[fitting][:, kinds[inside] % number].toarray()
            together = np.minimum(shared_counts, counts[inside]).sum(axis=1)
            best = np.where(shared_counts > 0, together[:, None], 0).max(axis=0)
            largest[inside] = np.maximum(largest[inside], best)
            agreeing += int((shared_counts * counts[inside]).sum())
    share = agreeing / len(labels) / len(others)
    if (
        _has_rows_in_order_of(published, other)
        and (values == other_values).all()
        and share ** len(labels) < BY_CHANCE
    ):
        return FileLinkage(joint_class_size_by_record(joint_labels(labels, others)), same_order=True)
    return FileLinkage(largest[of_row.ravel()], same_order=False)


def _value_counts(labels: Integers, values: Integers, number: int) -> Any:
    """Returns a sparse array of record counts, class x value; `number`: number of values."""
    from scipy.sparse import csr_array  # late for cost

    return csr_array(
        (np.ones(len(labels), np.int64), (labels, values)), shape=(int(labels.max()) + 1, number)
    )


def _label_shared_value_combinations(published: ShownTable, other: ShownTable) -> tuple[Integers, Integers]:
    """Labels combinations of values in the columns that both files share, with equal labels in both.

    Only columns with unchanged values count. Returns the label of each row of `published`, and of `other`.
    """
    theirs = {column.name: column for column in (*other.sensitive, *other.other)}
    codes = [np.zeros(len(published.rows) + len(other.rows), np.int64)]
    for column in (*published.sensitive, *published.other):
        if column.name in theirs:
            texts = np.array([*column.texts, *theirs[column.name].texts], np.str_)
            code = np.unique(texts, return_inverse=True)[1]
            codes.append(code[np.concatenate([column.codes, theirs[column.name].codes + len(column.texts)])])
    labels = joint_labels(*codes)
    return labels[: len(published.rows)], labels[len(published.rows) :]


def _shared_cells_and_overlaps(
    first: ShownTable, second: ShownTable
) -> list[tuple[Integers, Overlaps, Integers]]:
    """Returns the quasi-identifiers that two tables share, columns with few distinct cells first.

    For each: the cell of each row of the first table, the overlapping cells, and the cell of each row of the second.
    """
    pairs = sorted(_columns_with_same_name(first, second), key=lambda pair: len(pair[0].cells))
    return [
        (
            column.codes.astype(np.int64),
            Overlaps(column.meanings, other.meanings),
            other.codes.astype(np.int64),
        )
        for column, other in pairs
    ]


def _columns_with_same_name(first: ShownTable, second: ShownTable) -> list[tuple[ShownColumn, ShownColumn]]:
    """Pairs the quasi-identifiers of both tables that have the same name."""
    theirs = {column.name: column for column in second.quasi}
    return [(column, theirs[column.name]) for column in first.quasi if column.name in theirs]


def _fitting_rows(
    columns: Sequence[tuple[Integers, Overlaps, Integers]], rows: Integers, others: Integers, tick: Tick
) -> Iterator[tuple[Integers, Integers]]:
    """Yields groups of rows with equal cells, each with the rows of the other table that match it.

    `rows`, `others`: the rows of the first and of the other table. Works as a trie over the columns: each column leaves
    fewer matching rows. Groups without a match are left out.
    """
    waiting, done, everything = [(0, rows, others)], 0, len(rows)
    while waiting:
        depth, own, fitting = waiting.pop()
        if depth == len(columns) or not len(fitting):
            done += len(own)
            tick(done / everything)
            if len(fitting):
                yield own, fitting
            continue
        shown, overlaps, other_shown = columns[depth]
        order = np.argsort(shown[own], kind="stable")
        cells, starts = np.unique(shown[own][order], return_index=True)
        for cell, part in zip(cells.tolist(), np.split(own[order], starts[1:]), strict=True):
            waiting.append((depth + 1, part, fitting[overlaps.find_overlapping(cell)[other_shown[fitting]]]))


def _has_rows_in_order_of(first: ShownTable, second: ShownTable) -> bool:
    """Returns True if the rows of two files seem to be in the same order.

    Then every row of `first` can be the row of `second` with the same index. False if the rows are sorted by class:
    such an order follows from the cells, so it reveals nothing.
    """
    labels = first.labels
    by_class = np.count_nonzero(np.diff(labels)) == labels.max()
    if by_class or len(first.rows) != len(second.rows):
        return False
    for column, other in _columns_with_same_name(first, second):
        for cell, shown in np.unique(np.stack([column.codes, other.codes]), axis=1).T.tolist():
            if not has_overlap(column.meanings[cell], other.meanings[shown]):
                return False
    return True
