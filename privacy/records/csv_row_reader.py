"""Reads the rows of any CSV file, one by one; an error message names file, line and column."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from privacy.designs.formula_escape import unescape_formula
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import Node
from privacy.records.csv_dialect_detection import Layout, decode_utf16_lines

MOST_ROW = 4_000_000
"""Most bytes of a row, with the line breaks in its quoted cells: as many as of a whole design."""
MOST_CELL = 131_072
"""Most characters of a cell."""
# The parser's own limit stops it in the middle of a row, where it does not say in which column.
csv.field_size_limit(MOST_ROW)

Lines = Iterator[tuple[str, list[str]]]
"""The place of each row (`file:line`) and its cells."""
PLAIN = Layout()
MISSING_CODES = frozenset(
    ("", "NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "#N/A", "#NULL!", ".", "-", "?")
)
"""Texts that programs write for a missing value."""
FAULTS = (
    ("unexpected end of data", _("not CSV: a quotation mark opens a cell, and none closes it")),
    ("expected after", _("not CSV: text follows the quotation mark that closes a cell")),
    (
        "new-line character",
        _("not CSV: a line ends with a carriage return alone; save the file with other line ends"),
    ),
)
"""Part of the CSV parser's message, and the error message for people."""


def csv_rows(
    lines: Iterable[bytes], name: str, *, after: int = 0, header: Sequence[str] = (), layout: Layout = PLAIN
) -> Lines:
    """Yields the cells of each row of a CSV file with its place, `file:line`; all rows must be equally wide.

    Empty lines are left out. If the first lines were read before, `after` is their number, `header` their column names.
    """
    decoded = _DecodedLines(lines, name, after, layout.encoding)
    reader = csv.reader(decoded, strict=True, delimiter=layout.separator)
    while True:
        decoded.left = MOST_ROW
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            path = f"{name}:{after + reader.line_num}"
            words = next((words for part, words in FAULTS if part in str(error)), _("not CSV"))
            raise InputError(path, words) from None
        if not cells:
            continue
        where = f"{name}:{after + reader.line_num}"
        if decoded.has_zero or MOST_ROW - decoded.left > MOST_CELL:
            _refuse_bad_cell(where, cells, header)
        header = header or cells
        if len(cells) != len(header):
            raise InputError(where, _("%(cells)s cells, not %(width)s"), cells=len(cells), width=len(header))
        yield where, cells


def _refuse_bad_cell(where: str, cells: list[str], header: Sequence[str]) -> None:
    """Refuses a cell that is too long or holds a zero byte; the error message names its column."""
    for number, cell in enumerate(cells):
        words = (
            _("a cell of more than %(most)s characters")
            if len(cell) > MOST_CELL
            else _("a byte of zero; the file is no text, or has another encoding")
            if "\0" in cell
            else ""
        )
        if words:
            column = header[number] if number < len(header) and header[number] else str(number + 1)
            raise InputError(f"{where}: {column}", words, **({"most": MOST_CELL} if "%" in words else {}))


def column_names(row: tuple[str, list[str]] | None, file: str) -> list[str]:
    """Returns the column names in the first row of a table; refuses a repeated name.

    A column without a name is called by its number: statistics programs write such index columns.
    """
    if row is None:
        raise InputError(f"{file}:1", _("the line with the names of the columns is missing"))
    where, header = row
    names: dict[str, None] = {}
    for number, cell in enumerate(header, 1):
        plain = unescape_formula(cell)
        name = Node(plain.strip(), where).name() if plain.strip() else numbered_column_name(number)
        if name in names:
            raise InputError(
                where,
                _("the column %(column)s appears twice: give each column a name of its own"),
                column=quote_value(name),
            )
        names[name] = None
    return list(names)


def numbered_column_name(number: int) -> str:
    return f"column {number}"


def fill_header_names(header: list[str]) -> list[str]:
    """Returns the column names as a page shows them; a column without a name gets its number as a name."""
    return [cell if cell.strip() else numbered_column_name(number) for number, cell in enumerate(header, 1)]


class _DecodedLines:
    """Iterator over the decoded lines of a CSV file; it counts lines and limits the length of a row.

    `left`: the number of bytes that the current row may still have; `has_zero`: a line held a byte of zero.
    """

    def __init__(self, lines: Iterable[bytes], name: str, after: int, encoding: str) -> None:
        self._name, self._number, self._encoding = name, after, encoding
        self._is_wide = encoding.startswith("utf-16")
        self._lines: Iterator[Any] = (
            decode_utf16_lines(lines, encoding, MOST_ROW) if self._is_wide else iter(lines)
        )
        self.left, self.has_zero = MOST_ROW, False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = next(self._lines)
            self._number += 1
            self.left -= len(line)
            if self.left < 0:
                raise InputError(self._location, _("a row of more than %(most)s bytes"), most=MOST_ROW)
            text: str = line if self._is_wide else line.decode(self._codec)
        except UnicodeError:
            number = self._number + self._is_wide
            words = _("not UTF-8") if self._encoding == "utf-8" else _("not %(encoding)s")
            values = {} if self._encoding == "utf-8" else {"encoding": self._encoding}
            raise InputError(f"{self._name}:{number}", words, **values) from None
        self.has_zero = self.has_zero or "\0" in text
        return text

    @property
    def _codec(self) -> str:
        return "utf-8-sig" if self._number == 1 and self._encoding == "utf-8" else self._encoding

    @property
    def _location(self) -> str:
        return f"{self._name}:{self._number}"
