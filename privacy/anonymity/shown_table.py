"""A table as its reader sees it: an anonymised file of any tool, or a register of people."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.hierarchies import EVERYTHING
from privacy.anonymity.joint import joint_labels
from privacy.anonymity.shown_cells import Meaning, reader_of
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import MOST_RECORDS, Codes, Column, Table, unmarked
from privacy.grammar.refusal import Refusal, marked as _, quoted
from privacy.records.csv_rows import csv_rows

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A quasi-identifier: its distinct cells, what each can stand for, and the cell of each row."""

    name: str
    cells: tuple[str, ...]
    meanings: tuple[Meaning, ...]
    codes: Codes


@dataclass(frozen=True, slots=True)
class ShownTable:
    """`rows`: the number of each row in the file, from 1 after the names of the columns.

    `people`: by row the cell of the first column that is not one of the specification's, a name in a register; empty
    where there is none. `identifiers`: columns that the specification drops, and the file holds.
    """

    quasi: tuple[ShownColumn, ...]
    sensitive: tuple[Column, ...]
    other: tuple[Column, ...]
    rows: Integers
    people: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    @property
    def labels(self) -> Integers:
        """Rows that show the same are one class to everybody else."""
        return joint_labels(*(column.codes.astype(np.int64) for column in self.quasi))

    def at(self, places: Integers) -> "ShownTable":
        return replace(
            self,
            quasi=tuple(replace(column, codes=column.codes[places]) for column in self.quasi),
            sensitive=tuple(replace(column, codes=column.codes[places]) for column in self.sensitive),
            other=tuple(replace(column, codes=column.codes[places]) for column in self.other),
            rows=self.rows[places],
        )

    def without_hidden(self, k: int) -> "ShownTable":
        """Without fewer than k rows that show nothing: so tools write records that they leave out."""
        hidden = np.ones(len(self.rows), bool)
        for column in self.quasi:
            hidden &= (np.array(column.cells, object) == EVERYTHING)[column.codes]
        return (
            self
            if not 0 < np.count_nonzero(hidden) < min(k, len(hidden))
            else self.at(np.flatnonzero(~hidden))
        )


def of_table(table: Table, specification: Specification) -> ShownTable:
    """A table that nobody has anonymised: every cell shows its value."""
    quasi = tuple(
        ShownColumn(column.name, column.texts, tuple(map(reader_of(of), column.texts)), column.codes)
        for of, column in zip(specification.quasi_identifiers, table.quasi, strict=True)
    )
    return ShownTable(quasi, table.sensitive, table.other, np.arange(1, table.records + 1))


def read_shown(
    file: BinaryIO, name: str, specification: Specification, *, complete: bool = True
) -> ShownTable:
    """Read the columns of the specification by their names; a refusal names line and column.

    `complete`: refuse a file without all quasi-identifiers and sensitive columns; else one quasi-identifier is enough.
    """
    rows = csv_rows(file, name)
    where, header = next(rows, (f"{name}:1", []))
    places = {unmarked(cell): place for place, cell in enumerate(header)}
    if len(places) < len(header):
        raise Refusal(where, _("a column appears twice"))
    quasi = [
        _Book(column.name, reader_of(column, strict=complete)) for column in specification.quasi_identifiers
    ]
    plain = [_Book(one.name, _one_of(one.order)) for one in specification.sensitive]
    for book in (*quasi, *plain) if complete else ():
        if book.name not in places:
            raise Refusal(where, _("the column %(column)s is missing"), column=quoted(book.name))
    if not any(book.name in places for book in quasi):
        raise Refusal(where, _("none of its columns is a quasi-identifier of the specification"))
    others = [_Book(column, str) for column in specification.other]
    names = [_Book(cell, str) for cell in places if cell not in specification.columns][:1]
    groups = [[book for book in group if book.name in places] for group in (quasi, plain, others, names)]
    records = _read(rows, name, [(book, places[book.name]) for group in groups for book in group])
    quasi, plain, others, names = groups
    orders = {one.name: one.order for one in specification.sensitive}
    return ShownTable(
        tuple(ShownColumn(book.name, tuple(book), tuple(book.meanings), book.array) for book in quasi),
        tuple(book.column(orders[book.name]) for book in plain),
        tuple(book.column(()) for book in others),
        np.arange(1, records + 1),
        tuple(names[0].meanings[code] for code in names[0].codes) if names and not complete else (),
        tuple(column for column in specification.identifiers if column in places),
    )


class _Book(dict[str, int]):
    """The distinct cells of a column with their codes, in the order in which they come, and the code of each row."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name, self._read = name, read
        self.meanings: list[Any] = []
        self.codes = array("i")

    def __missing__(self, cell: str) -> int:
        self.meanings.append(self._read(unmarked(cell)))
        self[cell] = len(self.meanings) - 1
        return self[cell]

    @property
    def array(self) -> Codes:
        return np.array(self.codes, np.int32)

    def column(self, order: Sequence[str]) -> Column:
        texts = tuple(order) or tuple(sorted(set(self.meanings)))
        code = {text: place for place, text in enumerate(texts)}
        return Column(
            self.name, texts, np.array([code[text] for text in self.meanings], np.int32)[self.array]
        )


def _one_of(order: Sequence[str]) -> Callable[[str], str]:
    def read(cell: str) -> str:
        if order and cell not in order:
            raise Refusal("", _("%(cell)s is not one of its values"), cell=quoted(cell))
        return cell

    return read


def _read(rows: Iterable[tuple[str, Sequence[str]]], name: str, books: Sequence[tuple[_Book, int]]) -> int:
    """The number of records."""
    records = 0
    for where, cells in rows:
        for book, place in books:
            try:
                book.codes.append(book[cells[place]])
            except Refusal as refusal:
                raise Refusal(f"{where}: {book.name}", refusal.template, **refusal.values) from None
        records += 1
        if records > MOST_RECORDS:
            raise Refusal(name, _("more than %(most)s records"), most=MOST_RECORDS)
    if not records:
        raise Refusal(name, _("there are no records"))
    return records
