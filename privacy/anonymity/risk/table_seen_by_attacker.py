"""Reads a table as an attacker does: cells of an anonymised file of any tool, or of a register of people."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria_check import joint_labels
from privacy.anonymity.risk.cell_parsers import Meaning, Read, cell_reader
from privacy.anonymity.tables.hierarchies import EVERYTHING
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import MOST_RECORDS, Codes, Column, Table
from privacy.designs.formula_escape import unescape_formula
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.records.csv_dialect_detection import HEAD, detect_layout
from privacy.records.csv_row_reader import PLAIN, column_names, csv_rows
from privacy.records.dictionary_encoding import Codebook, Tick, ignore_tick, read_codes_within_limit

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A quasi-identifier of a table that an attacker reads.

    `cells`: its distinct cells; `meanings`: the values that each cell can mean; `codes`: for each row the
    index of its cell.
    """

    name: str
    cells: tuple[str, ...]
    meanings: tuple[Meaning, ...]
    codes: Codes


@dataclass(frozen=True, slots=True)
class ShownTable:
    """An anonymised file or a register of people as an attacker reads it.

    `rows`: number of each row in the file, counted from 1 after the header. `people`: for each row the cell
    of the first column that the specification does not know, such as a name in a register; empty if there is
    none. `identifiers`: columns that the specification drops although the file holds them.
    """

    quasi: tuple[ShownColumn, ...]
    sensitive: tuple[Column, ...]
    other: tuple[Column, ...]
    rows: Integers
    people: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    @property
    def labels(self) -> Integers:
        """The equivalence class of each row: rows that show the same cells in all quasi-identifiers."""
        return joint_labels(*(column.codes.astype(np.int64) for column in self.quasi))

    def take_rows(self, indexes: Integers) -> "ShownTable":
        """Returns the table of the rows at these indexes."""
        return replace(
            self,
            quasi=tuple(replace(column, codes=column.codes[indexes]) for column in self.quasi),
            sensitive=tuple(replace(column, codes=column.codes[indexes]) for column in self.sensitive),
            other=tuple(replace(column, codes=column.codes[indexes]) for column in self.other),
            rows=self.rows[indexes],
        )

    def without_few_star_rows(self, k: int) -> "ShownTable":
        """Returns the table without rows that show only `*`, if there are fewer than k such rows.

        Some anonymisation tools write the records that they leave out as rows of `*`.
        """
        hidden = np.ones(len(self.rows), bool)
        for column in self.quasi:
            hidden &= (np.array(column.cells, object) == EVERYTHING)[column.codes]
        return (
            self
            if not 0 < np.count_nonzero(hidden) < min(k, len(hidden))
            else self.take_rows(np.flatnonzero(~hidden))
        )


def shown_from_table(table: Table, specification: Specification) -> ShownTable:
    """Returns a table before anonymisation in the form that attacks read; each cell shows its exact value."""
    quasi = tuple(
        ShownColumn(column.name, column.texts, tuple(map(cell_reader(attribute), column.texts)), column.codes)
        for attribute, column in zip(specification.quasi_identifiers, table.quasi, strict=True)
    )
    return ShownTable(quasi, table.sensitive, table.other, np.arange(1, table.records + 1))


def read_shown_table(
    file: BinaryIO,
    name: str,
    specification: Specification,
    *,
    complete: bool = True,
    tick: Tick = ignore_tick,
) -> ShownTable:
    """Reads an anonymised file or a register of people from CSV: the columns that the specification names.

    A refusal names line and column. `complete`: all quasi-identifiers and sensitive columns are required; else one
    quasi-identifier is enough, as in a register.
    """
    layout = PLAIN
    if file.seekable():
        layout = detect_layout(file.read(HEAD))
        file.seek(0)
    rows = csv_rows(file, name, layout=layout)
    # A file of ranges alone does not show its decimal sign; lists of values have a space after a comma.
    decimal = layout.decimal if layout.separator == "," else ","
    places = {column: index for index, column in enumerate(column_names(next(rows, None), name))}
    quasi = [
        (column.name, cell_reader(column, strict=complete, decimal=decimal))
        for column in specification.quasi_identifiers
    ]
    orders = {attribute.name: attribute.order for attribute in specification.sensitive}
    for column in (*(column for column, _read in quasi), *orders) if complete else ():
        if column not in places:
            raise InputError(f"{name}:1", _("the column %(column)s is missing"), column=quote_value(column))
    quasi = [(column, read) for column, read in quasi if column in places]
    if not quasi:
        raise InputError(f"{name}:1", _("none of its columns is a quasi-identifier of the specification"))
    plain = [column for column in (*orders, *specification.other) if column in places]
    people = [column for column in places if column not in specification.columns and not complete][:1]
    books = {column: Codebook(_checking_reader(read)) for column, read in quasi}
    books |= {column: Codebook(_listed_reader(orders.get(column, ()))) for column in plain}
    books |= {column: Codebook() for column in people}
    columns = [(places[column], column) for column in books]
    if not read_codes_within_limit(rows, list(books.values()), columns, MOST_RECORDS, tick):
        raise InputError(name, _("more than %(most)s records"), most=MOST_RECORDS)
    records = books[quasi[0][0]].records
    if not records:
        raise InputError(name, _("there are no records"))
    names = [books[column] for column in people]
    return ShownTable(
        tuple(_shown_column(column, books[column], read) for column, read in quasi),
        tuple(
            _column_of_single_values(column, books[column], orders[column])
            for column in plain
            if column in orders
        ),
        tuple(
            _column_of_single_values(column, books[column], ()) for column in plain if column not in orders
        ),
        np.arange(1, records + 1),
        tuple(book.values_by_code[code] for book in names for code in book.codes.tolist()),
        tuple(column for column in specification.identifiers if column in places),
    )


def _checking_reader(read: Read) -> Callable[[str], str]:
    """Returns a function that checks a cell's meaning and removes the apostrophe that protects a formula."""

    def check_meaning(cell: str) -> str:
        text = unescape_formula(cell)
        read(text)
        return text

    return check_meaning


def _listed_reader(order: Sequence[str]) -> Callable[[str], str]:
    def check_listed(cell: str) -> str:
        text = unescape_formula(cell)
        if order and text not in order:
            raise InputError("", _("%(cell)s is not one of its values"), cell=quote_value(text))
        return text

    return check_listed


def _shown_column(name: str, book: Codebook, read: Read) -> ShownColumn:
    cells = tuple(book.values_by_code)
    return ShownColumn(name, cells, tuple(map(read, cells)), book.codes)


def _column_of_single_values(name: str, book: Codebook, order: Sequence[str]) -> Column:
    """Builds a column of single values; their order is `order`, or alphabetical."""
    texts = tuple(order) or tuple(sorted(set(book.values_by_code)))
    code = {text: index for index, text in enumerate(texts)}
    return Column(name, texts, np.array([code[text] for text in book.values_by_code], np.int32)[book.codes])
