"""What a method makes of a table: the records that it publishes, what each of them shows, what it changed."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.losses import Losses, Partition, losses, partition_from_labels
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Column, Table

Integers = NDArray[np.int64]
DAY = "2020-12-31"
"""A date that is shown whole has its length."""


@dataclass(frozen=True, slots=True)
class AnonymisedTable:
    """`source`: the table that was read; `kept`: the places of its records that are published, ascending.

    `table` holds these records with their sensitive values as published; `partition` is theirs. `tries`: of the
    search; with the seed they give the same classes again. None: the method makes none.
    """

    source: Table
    kept: Integers
    table: Table
    partition: Partition
    tries: int | None = None

    @property
    def suppressed(self) -> int:
        """The number of records that are left out."""
        return self.source.records - len(self.kept)

    @property
    def falsified(self) -> int:
        """The number of published records with a sensitive value that is not theirs."""
        pairs = zip(self.source.sensitive, self.table.sensitive, strict=True)
        changed = np.zeros(len(self.kept), bool)
        for true, published in pairs:
            changed |= true.codes[self.kept] != published.codes
        return int(np.count_nonzero(changed))

    @property
    def suppressed_cells(self) -> int:
        """The number of cells of published records that local suppression replaced by `*`."""
        column = self.partition.suppressed
        return 0 if column is None else int(self.partition.sizes[column >= 0].sum())

    def losses(self, specification: Specification) -> Losses:
        return losses(self.table, specification, self.partition, self.falsified, self.suppressed)


def outcome_from_labels(table: Table, labels: Integers, tries: int | None = None) -> AnonymisedTable:
    """All records in these classes, each class showing the least that covers its records; nothing changed."""
    return AnonymisedTable(
        table, np.arange(table.records), table, partition_from_labels(table, labels), tries
    )


def outcome_with_suppressed_cells(
    table: Table, labels: Integers, column: Integers, tries: int | None
) -> AnonymisedTable:
    """The same with suppressed cells; `column`: by record the one whose cell is suppressed, else -1."""
    outcome = outcome_from_labels(table, labels, tries)
    classes = outcome.partition
    of_class = np.full(classes.number, -1)
    of_class[classes.labels] = column
    places = np.flatnonzero(of_class >= 0)
    lows, highs = classes.lows.copy(), classes.highs.copy()
    lows[places, of_class[places]] = 0
    ends = np.array([len(quasi.texts) - 1 for quasi in table.quasi], np.int32)
    highs[places, of_class[places]] = ends[of_class[places]]
    return replace(outcome, partition=replace(classes, lows=lows, highs=highs, suppressed=of_class))


def outcome_from_kept(table: Table, kept: Integers, partition: Partition) -> AnonymisedTable:
    """The records at these places in classes that show what the method decided; the others are left out."""
    return AnonymisedTable(table, kept, table.at(kept), partition)


def outcome_with_changed_values(
    table: Table, labels: Integers, sensitive: tuple[Column, ...]
) -> AnonymisedTable:
    """All records in these classes, with these sensitive values instead of their own."""
    changed = replace(table, sensitive=sensitive)
    return AnonymisedTable(table, np.arange(table.records), changed, partition_from_labels(table, labels))


def count_single_person_ends(outcome: AnonymisedTable) -> dict[str, int]:
    """By column of numbers, dates and ordered choices: the ends of classes whose text one person of the table has.

    A point of a grid is nobody's value, unless a bin can hold one value only; a month, a quarter or a year is nobody's
    date.
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
        of_one = (counts == 1) & exact
        low, high = column.bins[classes.lows[:, at]], column.bins[classes.highs[:, at]]
        hidden = column.shows_all(classes.lows[:, at], classes.highs[:, at]) | classes.hidden(at)
        of_high = of_one[high] & (low != high)
        totals[column.name] = int((of_one[low] & ~hidden).sum() + (of_high & ~hidden).sum())
    return totals
