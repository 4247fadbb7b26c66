"""Reads a table of true answers: columns of yes and no, or of a few values, as small codes."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.kinds.answer_code_array_type import Codes
from privacy.records.csv_dialect_detection import Layout, detect_layout
from privacy.records.csv_row_reader import MISSING_CODES, column_names, csv_rows

MOST_BYTES = 50_000_000
MOST_ROWS, LEAST_ROWS = 200_000, 100
MOST_COLUMNS, MOST_READ_COLUMNS = 40, 500
"""Largest number of columns that are disguised, and of columns in a file."""
MOST_VALUES, LONGEST_VALUE = 12, 100
CHUNK = 10_000
"""Number of rows read at a time."""
MISSING = 255
NO, YES = "no", "yes"
YES_NO = (
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("0", "1"),
    ("0.0", "1.0"),
    ("nein", "ja"),
    ("否", "是"),
)
"""Pairs of values, in lower case, that mean no and yes."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table; `values` are in the order of their codes.

    A column of yes and no has these two words, whatever the file writes.
    """

    name: str
    values: tuple[str, ...]

    @property
    def is_yes_no(self) -> bool:
        return self.values == (NO, YES)


@dataclass(frozen=True, slots=True)
class OmittedColumn:
    """A column that cannot be disguised; `template` and `numbers` say why, as in `InputError`."""

    name: str
    template: str
    numbers: dict[str, int]


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table of true answers: `codes` are columns by rows. `omitted` columns cannot be disguised.

    `incomplete`: the number of rows left out because a value is missing in them.
    """

    columns: tuple[Column, ...]
    codes: Codes
    omitted: tuple[OmittedColumn, ...]
    incomplete: int

    @property
    def rows(self) -> int:
        return int(self.codes.shape[1])


def read_own_table(
    data: bytes, name: str, layout: Layout | None = None, wanted: Sequence[str] = ()
) -> OwnTable:
    """Reads the columns of a CSV file that can be disguised; only those named in `wanted`, if any are named.

    `InputError` where no column is left, or the table is too large: its reason says what to do.
    """
    rows = csv_rows(io.BytesIO(data), name, layout=layout or detect_layout(data))
    header = next(rows, None)
    if header and len(header[1]) > MOST_READ_COLUMNS:
        raise InputError(
            header[0],
            _("%(columns)s columns, more than %(most)s: save the table with the columns of interest alone"),
            columns=len(header[1]),
            most=MOST_READ_COLUMNS,
        )
    names = column_names(header, name)
    for column in wanted:
        if column not in names:
            raise InputError(
                name, _("there is no column %(column)s: name columns as the first line does"), column=column
            )
    columns = [_ColumnReader(column) for column in names]
    used = [index for index, column in enumerate(names) if not wanted or column in wanted]
    total = 0
    for cells in _column_chunks(rows):
        total += len(cells[0])
        if total > MOST_ROWS:
            raise InputError(
                name,
                _("more than %(most)s rows: save a random sample of them as a table of its own"),
                most=MOST_ROWS,
            )
        for index in used:
            columns[index].add(cells[index])
    if total < LEAST_ROWS:
        raise InputError(
            name,
            _(
                "%(rows)s rows below the names of the columns, and nothing can be estimated from fewer than %(least)s"
            ),
            rows=total,
            least=LEAST_ROWS,
        )
    return _build_own_table(name, [columns[index] for index in used], total)


def _column_chunks(rows: Iterator[tuple[str, list[str]]]) -> Iterator[list[tuple[str, ...]]]:
    """Yields the cells of some rows at a time: a list with a tuple of cells for each column."""
    while some := [cells for _place, cells in islice(rows, CHUNK)]:
        yield list(zip(*some, strict=True))


def _build_own_table(name: str, columns: Sequence["_ColumnReader"], total: int) -> OwnTable:
    reasons = [column.reason_to_omit(total) for column in columns]
    omitted = tuple(reason for reason in reasons if reason)
    kept = [column for column, reason in zip(columns, reasons, strict=True) if reason is None]
    if not kept:
        raise InputError(
            name,
            _(
                "no column has two to %(most)s different values: write numbers as classes, such as low and high, and "
                "leave out names and dates"
            ),
            most=MOST_VALUES,
        )
    if len(kept) > MOST_COLUMNS:
        raise InputError(
            name,
            _("%(columns)s columns can be disguised, more than %(most)s: name those of interest"),
            columns=len(kept),
            most=MOST_COLUMNS,
        )
    described, codes = zip(*(column.column_with_codes() for column in kept), strict=True)
    table = np.stack(codes)
    complete = (table != MISSING).all(axis=0)
    if (rows := int(complete.sum())) < LEAST_ROWS:
        raise InputError(
            name,
            _(
                "%(rows)s rows have a value in every column, and nothing can be estimated from fewer than %(least)s: "
                "leave out the columns with most empty cells"
            ),
            rows=rows,
            least=LEAST_ROWS,
        )
    return OwnTable(tuple(described), table[:, complete], omitted, total - rows)


class _ColumnReader:
    """Reader of one column: gives each new value the next code while rows are read, until there are too many values."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: list[str] = []
        self.has_long = False
        self._codes: dict[str, int] = dict.fromkeys(MISSING_CODES, MISSING)
        self._chunks: list[Codes] = []

    def add(self, cells: Sequence[str]) -> None:
        for cell in set(cells).difference(self._codes):
            if len(self.values) > MOST_VALUES:
                return
            value = cell.strip()
            self.has_long = self.has_long or len(value) > LONGEST_VALUE
            if value not in self._codes:
                self._codes[value] = len(self.values)
                self.values.append(value)
            self._codes[cell] = self._codes[value]
        if len(self.values) <= MOST_VALUES:
            self._chunks.append(np.fromiter(map(self._codes.__getitem__, cells), np.uint8, len(cells)))

    def reason_to_omit(self, rows: int) -> OmittedColumn | None:
        if self.has_long:
            template = _("has a value of more than %(most)s characters: write short words")
            return OmittedColumn(self.name, template, {"most": LONGEST_VALUE})
        if len(self.values) > MOST_VALUES:
            template = _("has more than %(most)s different values: write them as classes")
            return OmittedColumn(self.name, template, {"most": MOST_VALUES})
        if len(self.values) < 2:
            template = _("has the same value in every row") if self.values else _("is empty")
            return OmittedColumn(self.name, template, {})
        missing = int((np.concatenate(self._chunks) == MISSING).sum())
        if 2 * missing > rows:
            return OmittedColumn(
                self.name, _("is empty in %(missing)s of %(rows)s rows"), {"missing": missing, "rows": rows}
            )
        return None

    def column_with_codes(self) -> tuple[Column, Codes]:
        """Returns the column with its values sorted, and each row's code (the index of its value)."""
        ordered = sorted(range(len(self.values)), key=lambda code: _sort_key(self.values[code]))
        pair = tuple(self.values[code].lower() for code in ordered)
        if pair[::-1] in YES_NO:
            ordered, pair = ordered[::-1], pair[::-1]
        new = np.full(256, MISSING, np.uint8)
        new[ordered] = range(len(ordered))
        values = (NO, YES) if pair in YES_NO else tuple(self.values[code] for code in ordered)
        return Column(self.name, values), new[np.concatenate(self._chunks)]


def _sort_key(value: str) -> tuple[bool, float, str]:
    """Returns a sort key that puts numbers first, by their size, then other values."""
    try:
        return False, float(value), value
    except ValueError:
        return True, 0.0, value
