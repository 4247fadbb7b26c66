"""The result of an anonymisation method: published records, their classes, shown cells, and the changes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.information_loss import Losses, Partition, information_losses, partition_from_labels
from privacy.anonymity.tables.hierarchies import EVERYTHING
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Column, QuasiColumn, Table
from privacy.designs.formula_escape import escape_formula

Integers = NDArray[np.int64]
DAY = "2020-12-31"
"""Example of a whole date: a label of this length is a day, not a month, quarter or year."""


@dataclass(frozen=True, slots=True)
class AnonymisedTable:
    """The result of an anonymisation method: the published records of a table and their equivalence classes.

    `source`: the table that was read. `kept`: ascending indexes of the published records in `source`. `table`: these
    records, with their sensitive values as published. `partition`: the classes of the records of `table`. `tries`:
    number of tries of the search, which with its seed give the same classes again; None if the method does not count
    tries. `suppressed_cell_count`: number of cells of published records that local suppression replaced by `*`.
    """

    source: Table
    kept: Integers
    table: Table
    partition: Partition
    tries: int | None = None
    suppressed_cell_count: int = 0

    @property
    def left_out_record_count(self) -> int:
        """Number of records of the source that are left out."""
        return self.source.records - len(self.kept)

    @property
    def falsified_record_count(self) -> int:
        """Number of published records of which at least one sensitive value was changed."""
        pairs = zip(self.source.sensitive, self.table.sensitive, strict=True)
        changed = np.zeros(len(self.kept), bool)
        for true, published in pairs:
            changed |= true.codes[self.kept] != published.codes
        return int(np.count_nonzero(changed))

    def information_losses(self, specification: Specification) -> Losses:
        """Measures the information that this anonymised table loses (NCP and others, see `Losses`)."""
        return information_losses(
            self.table, specification, self.partition, self.falsified_record_count, self.left_out_record_count
        )


def outcome_from_labels(table: Table, labels: Integers, tries: int | None = None) -> AnonymisedTable:
    """Returns the anonymised table that publishes every record without changing its sensitive values.

    `labels`: the equivalence class of each record. A class shows the least range that covers its records.
    """
    return AnonymisedTable(
        table, np.arange(table.records), table, partition_from_labels(table, labels), tries
    )


def outcome_with_suppressed_cells(
    table: Table, labels: Integers, suppressed_columns: Integers, tries: int | None
) -> AnonymisedTable:
    """Returns the anonymised table that publishes every record, some of them with one suppressed cell.

    `labels`: the equivalence class of each record. `suppressed_columns`: for each record the index of the column whose
    cell is suppressed, or -1 for none; all records of a class have the same index.
    """
    outcome = outcome_from_labels(table, labels, tries)
    classes = outcome.partition
    of_class = np.full(classes.class_count, -1)
    of_class[classes.labels] = suppressed_columns
    places = np.flatnonzero(of_class >= 0)
    lows, highs = classes.lows.copy(), classes.highs.copy()
    lows[places, of_class[places]] = 0
    ends = np.array([len(quasi.texts) - 1 for quasi in table.quasi], np.int32)
    highs[places, of_class[places]] = ends[of_class[places]]
    return replace(
        outcome,
        partition=replace(classes, lows=lows, highs=highs, suppressed=of_class),
        suppressed_cell_count=int(np.count_nonzero(suppressed_columns >= 0)),
    )


def outcome_of_kept_records(table: Table, kept: Integers, partition: Partition) -> AnonymisedTable:
    """Returns the anonymised table that publishes only the records with the indexes `kept`.

    `partition`: the equivalence classes of these records.
    """
    return AnonymisedTable(table, kept, table.take_records(kept), partition)


def outcome_with_changed_values(
    table: Table, labels: Integers, sensitive: tuple[Column, ...]
) -> AnonymisedTable:
    """Returns the anonymised table with all records and the sensitive values replaced by `sensitive`.

    `labels`: the equivalence class of each record.
    """
    changed = replace(table, sensitive=sensitive)
    return AnonymisedTable(table, np.arange(table.records), changed, partition_from_labels(table, labels))


def join_classes_with_equal_cells(outcome: AnonymisedTable) -> AnonymisedTable:
    """Joins equivalence classes that show equal cells; returns the anonymised table with the joined classes.

    A reader of the file cannot tell such classes apart. A search makes several classes of many equal records. Criteria,
    losses and risks of a release are those of the joined classes.
    """
    classes = outcome.partition
    cells = [shown_cell_by_class(column, classes, at) for at, column in enumerate(outcome.table.quasi)]
    joined = labels_from_cells(cells)
    _numbers, first = np.unique(joined, return_index=True)
    if len(first) == classes.class_count:
        return outcome
    lows, highs = classes.lows[first], classes.highs[first]
    np.minimum.at(lows, joined, classes.lows)
    np.maximum.at(highs, joined, classes.highs)
    suppressed = None
    if classes.suppressed is not None:
        suppressed = classes.suppressed[first]
        np.maximum.at(suppressed, joined, classes.suppressed)
    return replace(outcome, partition=Partition(joined[classes.labels], lows, highs, suppressed))


def labels_from_cells(columns: Sequence[Sequence[str]]) -> Integers:
    """Returns the equivalence class of each record, numbered from 0: records with equal cells are a class.

    `columns`: for each column the cell of each record.
    """
    numbers: dict[tuple[str, ...], int] = {}
    return np.array(
        [numbers.setdefault(shown, len(numbers)) for shown in zip(*columns, strict=True)], np.int64
    )


def shown_cell_by_class(column: QuasiColumn, classes: Partition, index: int) -> list[str]:
    """Returns the cell that the published file shows for each equivalence class in one quasi-identifier.

    `index`: index of the column. Texts that a spreadsheet would take for a formula get an apostrophe before them;
    numbers do not.
    """
    ends = zip(
        classes.classes_with_suppressed_column(index).tolist(),
        classes.lows[:, index].tolist(),
        classes.highs[:, index].tolist(),
        strict=True,
    )
    cells = [EVERYTHING if hidden else column.cell_text(low, high) for hidden, low, high in ends]
    return cells if column.is_number else list(map(escape_formula, cells))


def count_range_ends_of_one_person(outcome: AnonymisedTable) -> dict[str, int]:
    """Counts, by column, the ends of shown ranges that are the value of exactly one person of the table.

    Only numbers, dates and ordered choices have ends. A point of a grid counts only if its bin can hold a single value;
    a month, a quarter or a year never counts.
    """
    classes, totals = outcome.partition, {}
    for at, column in enumerate(outcome.source.quasi):
        if column.positions is None:
            continue
        counts = np.bincount(column.bins[column.codes], minlength=int(column.bins.max()) + 1)
        exact = np.ones(len(counts), bool)
        if column.is_date and not column.grid:
            exact = np.array([len(text) == len(DAY) for text in column.texts])
        if column.grid:
            inside = column.grid.is_single_value_bin
            if column.is_date:
                inside &= np.array([len(text) == len(DAY) for text in column.grid.low_texts])
            exact[: len(inside)] = inside
        is_single = (counts == 1) & exact
        low, high = column.bins[classes.lows[:, at]], column.bins[classes.highs[:, at]]
        hidden = column.mixes_missing_and_known(
            classes.lows[:, at], classes.highs[:, at]
        ) | classes.classes_with_suppressed_column(at)
        of_high = is_single[high] & (low != high)
        totals[column.name] = int((is_single[low] & ~hidden).sum() + (of_high & ~hidden).sum())
    return totals
