"""The published file: written, and read back and checked as somebody sees it who has nothing else."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.criteria import violations
from privacy.anonymity.losses import Partition
from privacy.anonymity.tables.hierarchies import EVERYTHING
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import MOST_RECORDS, Codes, Column, QuasiColumn, Table
from privacy.designs.spreadsheet_cells import harmless
from privacy.grammar.input_error import InputError, marked as _
from privacy.grammar.node import PARTS
from privacy.records.codebooks import AT_ONCE, Codebook, Tick, no_tick, read_codes
from privacy.records.csv_rows import csv_rows
from privacy.records.record_file import Sink

Integers = NDArray[np.int64]


def write(file: Sink, outcome: AnonymisedTable, order: Integers, tick: Tick = no_tick) -> None:
    """Write the records in this order, that of `rows_in_order`: the order of a table can name its people."""
    table, classes = outcome.table, outcome.partition
    columns = (*table.quasi, *table.plain)
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([harmless(column.name) for column in columns])
    quasi = [_shown(column, classes, at) for at, column in enumerate(table.quasi)]
    plain = [tuple(map(harmless, column.texts)) for column in table.plain]
    codes = [column.codes for column in table.plain]
    for start in range(0, len(order), AT_ONCE):
        tick()
        records = order[start : start + AT_ONCE]
        places = classes.labels[records].tolist()
        shown = [[cells[index] for index in places] for cells in quasi]
        shown += [
            [texts[code] for code in column[records].tolist()]
            for texts, column in zip(plain, codes, strict=True)
        ]
        writer.writerows(zip(*shown, strict=True))


def rows_in_order(outcome: AnonymisedTable) -> Integers:
    """The records sorted by what they show, and by nothing else: the same table has the same bytes."""
    table, classes, keys = outcome.table, outcome.partition, []
    for at, column in enumerate(table.quasi):
        cells = _shown(column, classes, at)
        ends = zip(*column.covered(classes.lows[:, at], classes.highs[:, at]), strict=True)
        first: dict[str, tuple[int, int]] = {}
        for cell, (low, high) in zip(cells, ends, strict=True):
            first[cell] = min(first.get(cell, (low, high)), (low, high))
        rank = {cell: index for index, cell in enumerate(sorted(first, key=lambda cell: (first[cell], cell)))}
        keys.append(np.array([rank[cell] for cell in cells])[classes.labels])
    return np.lexsort([*(column.codes for column in reversed(table.plain)), *reversed(keys)])


def _shown(column: QuasiColumn, classes: Partition, at: int) -> list[str]:
    """The cell of each class. A negative number is no formula."""
    ends = zip(
        classes.hidden(at).tolist(), classes.lows[:, at].tolist(), classes.highs[:, at].tolist(), strict=True
    )
    cells = [EVERYTHING if hidden else column.shown(low, high) for hidden, low, high in ends]
    return cells if column.is_number else list(map(harmless, cells))


def check(
    file: BinaryIO,
    name: str,
    outcome: AnonymisedTable,
    specification: Specification,
    order: Integers,
    tick: Tick = no_tick,
) -> None:
    """Refuse a file that is not what was to be published: its records, what they show, and the criteria.

    It is compared with the table that was read. Only as many records are missing, only as many sensitive values
    changed, and only as many cells suppressed, as the specification allows.
    """
    source, records = outcome.source.at(outcome.kept), len(outcome.kept)
    books = books_of(file, name, source, tick)
    if books[0].records != records or not _allowed(outcome.suppressed, specification.suppression, outcome):
        raise InputError(name, _("it does not hold the records of the table"))
    for at, column in enumerate(source.quasi):
        tick()
        lows, highs = ends_of(name, column, books[at])
        codes = column.codes[order]
        _refuse_unless(name, column.name, bool(((lows <= codes) & (codes <= highs)).all()))
        _refuse_unless(name, column.name, _hidden(books[at]) == _to_hide(column, outcome.partition, at))
    cells = outcome.source.records * len(source.quasi)
    _refuse_unless(name, "cells", outcome.suppressed_cells * PARTS <= specification.cell_suppression * cells)
    changed = np.zeros(records, bool)
    published = []
    for at, plain in enumerate(source.sensitive, len(source.quasi)):
        codes = codes_of(name, plain, books[at])
        changed |= codes != plain.codes[order]
        published.append(replace(plain, codes=codes))
    _refuse_unless(
        name, "sensitive", _allowed(int(np.count_nonzero(changed)), specification.falsification, outcome)
    )
    unchanged = (*outcome.table.disguised, *source.other)
    for at, plain in enumerate(unchanged, len(source.quasi) + len(source.sensitive)):
        _refuse_unless(name, plain.name, bool((codes_of(name, plain, books[at]) == plain.codes[order]).all()))
    # The criteria hold of what is in the file, in the file's order.
    read = Table(source.at(order).quasi, tuple(published))
    tick()
    for criterion, classes in violations(
        read, specification, classes_of_books(books[: len(source.quasi)])
    ).items():
        if classes:
            raise InputError(name, _("its classes do not keep %(criterion)s"), criterion=criterion)


def books_of(file: BinaryIO, name: str, table: Table, tick: Tick = no_tick) -> list[Codebook]:
    """The cells of a published file by column."""
    rows = csv_rows(file, name)
    _where, header = next(rows, ("", []))
    names = [harmless(column.name) for column in (*table.quasi, *table.plain)]
    if header != names:
        raise InputError(name, _("its columns are not those of the specification"))
    books = [Codebook() for _name in names]
    read_codes(rows, books, list(enumerate(names)), MOST_RECORDS, tick)
    return books


def _hidden(book: Codebook) -> int:
    """The records that show `*`."""
    if EVERYTHING not in book.values_by_code:
        return 0
    return int(np.count_nonzero(book.codes == book.values_by_code.index(EVERYTHING)))


def _to_hide(column: QuasiColumn, classes: Partition, at: int) -> int:
    cells = np.array(_shown(column, classes, at), object)
    return int(classes.sizes[cells == EVERYTHING].sum())


def _allowed(count: int, most: int, outcome: AnonymisedTable) -> bool:
    """Whether this number of records is at most this number of ten-thousandths of all."""
    return count * PARTS <= most * outcome.source.records


def _refuse_unless(name: str, column: str, holds: bool) -> None:
    if not holds:
        raise InputError(f"{name}: {column}", _("it does not hold the values of the table"))


def ends_of(name: str, column: QuasiColumn, book: Codebook) -> tuple[Codes, Codes]:
    """The first and last code that each cell shows; a cell that shows no value is refused."""
    lows, highs = column.ends(book.values_by_code).T
    _refuse_unless(name, column.name, bool((lows <= highs).all()))
    return lows[book.codes], highs[book.codes]


def codes_of(name: str, column: Column, book: Codebook) -> Codes:
    codes_by_cell = {harmless(text): code for code, text in enumerate(column.texts)}
    codes = np.array([codes_by_cell.get(cell, -1) for cell in book.values_by_code], np.int32)
    _refuse_unless(name, column.name, bool((codes >= 0).all()))
    return codes[book.codes]


def classes_of_books(books: Sequence[Codebook]) -> Integers:
    """Records that show the same are one class to everybody else."""
    labels = np.zeros(books[0].records, np.int64)
    for book in books:
        keys = labels * len(book.values_by_code) + book.codes
        labels = np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    return labels


def classes_shown(columns: Sequence[Sequence[str]]) -> Integers:
    """Records that show the same are one class to everybody else."""
    numbers: dict[tuple[str, ...], int] = {}
    return np.array(
        [numbers.setdefault(shown, len(numbers)) for shown in zip(*columns, strict=True)], np.int64
    )
