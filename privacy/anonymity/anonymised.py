"""The outcome of a method: the records that it publishes, what each of them shows, and what it changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.losses import Losses, Partition, losses, partition_from_labels
from privacy.anonymity.tables.hierarchies import EVERYTHING
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Column, QuasiColumn, Table
from privacy.designs.spreadsheet_cells import escape_formula

Integers = NDArray[np.int64]
DAY = "2020-12-31"
"""A text of its length shows a whole date."""


@dataclass(frozen=True, slots=True)
class AnonymisedTable:
    """`source`: the table that was read; `kept`: ascending indexes of its records that are published.

    `table` holds these records with their sensitive values as published; `partition` is theirs. `tries`: number of
    tries of the search, which with the seed give the same classes again; None if the method makes none.
    `suppressed_cells`: number of cells of published records that local suppression replaced by `*`.
    """

    source: Table
    kept: Integers
    table: Table
    partition: Partition
    tries: int | None = None
    suppressed_cells: int = 0

    @property
    def suppressed(self) -> int:
        """Number of records that are left out."""
        return self.source.records - len(self.kept)

    @property
    def falsified(self) -> int:
        """Number of published records with a sensitive value that is not theirs."""
        pairs = zip(self.source.sensitive, self.table.sensitive, strict=True)
        changed = np.zeros(len(self.kept), bool)
        for true, published in pairs:
            changed |= true.codes[self.kept] != published.codes
        return int(np.count_nonzero(changed))

    def losses(self, specification: Specification) -> Losses:
        return losses(self.table, specification, self.partition, self.falsified, self.suppressed)


def outcome_from_labels(table: Table, labels: Integers, tries: int | None = None) -> AnonymisedTable:
    """All records unchanged in these classes; each class shows the least range that covers its records."""
    return AnonymisedTable(
        table, np.arange(table.records), table, partition_from_labels(table, labels), tries
    )


def outcome_with_suppressed_cells(
    table: Table, labels: Integers, column: Integers, tries: int | None
) -> AnonymisedTable:
    """As `outcome_from_labels`; `column`: of each record the column whose cell is suppressed, or -1."""
    outcome = outcome_from_labels(table, labels, tries)
    classes = outcome.partition
    of_class = np.full(classes.number, -1)
    of_class[classes.labels] = column
    places = np.flatnonzero(of_class >= 0)
    lows, highs = classes.lows.copy(), classes.highs.copy()
    lows[places, of_class[places]] = 0
    ends = np.array([len(quasi.texts) - 1 for quasi in table.quasi], np.int32)
    highs[places, of_class[places]] = ends[of_class[places]]
    return replace(
        outcome,
        partition=replace(classes, lows=lows, highs=highs, suppressed=of_class),
        suppressed_cells=int(np.count_nonzero(column >= 0)),
    )


def outcome_from_kept(table: Table, kept: Integers, partition: Partition) -> AnonymisedTable:
    """The records at these indexes, in classes that show what the method decided; the others are left out."""
    return AnonymisedTable(table, kept, table.at(kept), partition)


def outcome_with_changed_values(
    table: Table, labels: Integers, sensitive: tuple[Column, ...]
) -> AnonymisedTable:
    """All records in these classes, with these sensitive values instead of their own."""
    changed = replace(table, sensitive=sensitive)
    return AnonymisedTable(table, np.arange(table.records), changed, partition_from_labels(table, labels))


def join_classes_shown_alike(outcome: AnonymisedTable) -> AnonymisedTable:
    """Joins the classes whose cells are equal, since whoever reads the file cannot tell them apart.

    A search makes several classes of many equal records. What is said of a release counts them as its file does.
    """
    classes = outcome.partition
    cells = [shown_cells(column, classes, at) for at, column in enumerate(outcome.table.quasi)]
    joined = labels_from_cells(cells)
    _numbers, first = np.unique(joined, return_index=True)
    if len(first) == classes.number:
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
    """Records that show the same are one class to everybody else."""
    numbers: dict[tuple[str, ...], int] = {}
    return np.array(
        [numbers.setdefault(shown, len(numbers)) for shown in zip(*columns, strict=True)], np.int64
    )


def shown_cells(column: QuasiColumn, classes: Partition, at: int) -> list[str]:
    """The cell of each class as the file shows it; negative numbers are not marked as formulas."""
    ends = zip(
        classes.hidden(at).tolist(), classes.lows[:, at].tolist(), classes.highs[:, at].tolist(), strict=True
    )
    cells = [EVERYTHING if hidden else column.shown(low, high) for hidden, low, high in ends]
    return cells if column.is_number else list(map(escape_formula, cells))


def count_single_person_ends(outcome: AnonymisedTable) -> dict[str, int]:
    """Number of ends of classes that are the value of exactly one person of the table, by column.

    Only numbers, dates and ordered choices have ends. A point of a grid is nobody's value, unless a bin can hold one
    value only; a month, a quarter or a year is nobody's date.
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
            inside = column.grid.exact
            if column.is_date:
                inside &= np.array([len(text) == len(DAY) for text in column.grid.low_texts])
            exact[: len(inside)] = inside
        is_single = (counts == 1) & exact
        low, high = column.bins[classes.lows[:, at]], column.bins[classes.highs[:, at]]
        hidden = column.shows_all(classes.lows[:, at], classes.highs[:, at]) | classes.hidden(at)
        of_high = is_single[high] & (low != high)
        totals[column.name] = int((is_single[low] & ~hidden).sum() + (of_high & ~hidden).sum())
    return totals
