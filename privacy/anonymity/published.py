"""The published file: written, and read back and checked as somebody sees it who has nothing else."""

import csv
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria import violations
from privacy.anonymity.losses import Partition
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import Column, QuasiColumn, Table
from privacy.designs.files import Sink, csv_rows
from privacy.designs.spreadsheet_cells import harmless
from privacy.grammar.refusal import Refusal, marked as _

Integers = NDArray[np.int64]


def write(file: Sink, table: Table, classes: Partition, order: Integers) -> None:
    """Write the records in this order, which must be one by chance: the order of a table can name its people."""
    columns = (*table.quasi, *table.sensitive, *table.other)
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([harmless(column.name) for column in columns])
    quasi = [_shown(column, classes, at) for at, column in enumerate(table.quasi)]
    plain = [tuple(map(harmless, column.texts)) for column in (*table.sensitive, *table.other)]
    codes = [column.codes for column in (*table.sensitive, *table.other)]
    for record in order.tolist():
        place = classes.labels[record]
        shown = [cells[place] for cells in quasi]
        writer.writerow([*shown, *(texts[code[record]] for texts, code in zip(plain, codes, strict=True))])


def _shown(column: QuasiColumn, classes: Partition, at: int) -> list[str]:
    """The cell of each class. A negative number is no formula."""
    ends = zip(classes.lows[:, at].tolist(), classes.highs[:, at].tolist(), strict=True)
    cells = [column.shown(low, high) for low, high in ends]
    return cells if column.is_number else list(map(harmless, cells))


def check(file: BinaryIO, name: str, table: Table, specification: Specification, order: Integers) -> None:
    """Refuse a file that is not what was to be published: its records, what they show, and the criteria."""
    rows = csv_rows(file, name)
    _where, header = next(rows, ("", []))
    columns = (*table.quasi, *table.sensitive, *table.other)
    if header != [harmless(column.name) for column in columns]:
        raise Refusal(name, _("its columns are not those of the specification"))
    cells = [list(column) for column in zip(*(row for _place, row in rows), strict=True)]
    if not cells or len(cells[0]) != table.records:
        raise Refusal(name, _("it does not hold the records of the table"))
    for at, column in enumerate(table.quasi):
        _refuse_unless(name, column.name, _covers(column, cells[at], order))
    for at, plain in enumerate((*table.sensitive, *table.other), len(table.quasi)):
        _refuse_unless(name, plain.name, _same(plain, cells[at], order))
    labels = np.empty(table.records, np.int64)
    labels[order] = _classes(cells[: len(table.quasi)])
    for criterion, classes in violations(table, specification, labels).items():
        if classes:
            raise Refusal(name, _("its classes do not keep %(criterion)s"), criterion=criterion)


def _refuse_unless(name: str, column: str, holds: bool) -> None:
    if not holds:
        raise Refusal(f"{name}: {column}", _("it does not hold the values of the table"))


def _covers(column: QuasiColumn, cells: Sequence[str], order: Integers) -> bool:
    """Whether every cell shows a set of values with the true one in it."""
    ends = {cell: column.ends(cell) for cell in set(cells)}
    bounds = np.array([ends[cell] for cell in cells])
    codes = column.codes[order]
    return bool(((bounds[:, 0] <= codes) & (codes <= bounds[:, 1])).all())


def _same(column: Column, cells: Sequence[str], order: Integers) -> bool:
    texts = list(map(harmless, column.texts))
    return all(texts[code] == cell for code, cell in zip(column.codes[order].tolist(), cells, strict=True))


def _classes(columns: Sequence[Sequence[str]]) -> Integers:
    """Records that show the same are one class to everybody else."""
    known: dict[tuple[str, ...], int] = {}
    return np.array([known.setdefault(shown, len(known)) for shown in zip(*columns, strict=True)], np.int64)
