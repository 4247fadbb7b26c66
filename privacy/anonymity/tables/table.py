"""Tables of people as integer codes, read from CSV files; an error message names file, line and column.

The codes of a quasi-identifier are ordered: numbers by size, ordered choices as the specification says,
categories as the leaves of their hierarchy. So a class of records shows, for every column, all values
between two codes.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import (
    EVERYTHING,
    MISSING,
    UP_TO,
    DateOrder,
    Hierarchy,
    Level,
    date_label,
    first_day_of_label,
    looks_like_date,
    read_date,
)
from privacy.anonymity.tables.range_rounding import Grid, build_date_grid, build_grid
from privacy.anonymity.tables.specification import (
    ProposedHierarchy,
    QuasiIdentifier,
    QuasiKind,
    Sensitive,
    Specification,
)
from privacy.designs.formula_escape import escape_formula, unescape_formula
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import is_allowed_in_names
from privacy.records.csv_row_reader import PLAIN, column_names, csv_rows
from privacy.records.dictionary_encoding import Codebook, Tick, ignore_tick, read_codes_within_limit
from privacy.records.record_file import LONGEST_CELL, normalise_cell

MOST_RECORDS = 2_000_000
NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|(?P<point>\.[0-9]{1,15}))(?P<power>[eE][+-]?[0-9]{1,2})?",
    re.ASCII,
)
AWAY = 2.0
"""Position of a missing value, away from the positions 0 to 1 of known values."""
NO_DATE = _("%(cell)s is no date")

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: `codes`, the code of each record; `texts`, the text of each code."""

    name: str
    texts: tuple[str, ...]
    codes: Codes

    @property
    def distinct_values(self) -> int:
        return int(np.count_nonzero(np.bincount(self.codes, minlength=len(self.texts))))


@dataclass(frozen=True, slots=True)
class QuasiColumn(Column):
    """A quasi-identifier of a table.

    `positions`: for each code of a number, date or ordered choice its position from 0 to 1; a category has a
    `hierarchy` instead. `has_missing`: the last code means a missing value, its position is 2; a class with it and
    another value shows everything. `grid`: bins of a number whose ends are rounded outwards, or of a date with open
    tails.
    """

    positions: NDArray[np.float64] | None = None
    hierarchy: Hierarchy | None = None
    is_number: bool = False
    is_date: bool = False
    has_missing: bool = False
    grid: Grid | None = None

    def penalties(self, lows: Codes, highs: Codes) -> NDArray[np.float64]:
        """Returns the information loss (NCP) of classes whose records have codes from `lows` to `highs`."""
        if self.positions is not None:
            begins, ends = self.scaled_ranges
            return np.minimum(ends[highs] - begins[lows], 1.0)
        assert self.hierarchy
        return self.hierarchy.penalties[self._lowest_common_nodes(self.hierarchy, lows, highs)]

    @property
    def scaled_ranges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each code the begin and end, from 0 to 1, of the range that a class of this code shows."""
        assert self.positions is not None
        if self.grid is None:
            return self.positions, self.positions
        away = self.positions[len(self.grid.bins) :]
        return np.concatenate([self.grid.begins, away]), np.concatenate([self.grid.ends, away])

    @property
    def bins(self) -> Codes:
        """For each code the index of its bin (range of rounded values); without a grid each code is one."""
        if self.grid is None:
            return np.arange(len(self.texts), dtype=np.int32)
        bins = np.concatenate([self.grid.bins, [self.grid.bins.max(initial=-1) + 1] * self.has_missing])
        return bins.astype(np.int32)

    def mixes_missing_and_known(self, lows: Codes, highs: Codes) -> NDArray[np.bool_]:
        """Returns True for each class with both a missing and another value: it shows the whole column."""
        return np.asarray(self.has_missing & (lows < highs) & (highs == len(self.texts) - 1))

    def shown_code_ranges(self, lows: Codes, highs: Codes) -> tuple[Codes, Codes]:
        """Returns first and last code that classes show, if their records have codes from `lows` to `highs`.

        For a category these are all leaves below the lowest common node, with a grid all codes of the bins.
        """
        if self.hierarchy is None:
            shows_all = self.mixes_missing_and_known(lows, highs)
            if self.grid:
                bins, own = self.bins, [len(self.texts) - 1] * self.has_missing
                lows = np.append(self.grid.first, own).astype(np.int32)[bins[lows]]
                highs = np.append(self.grid.last, own).astype(np.int32)[bins[highs]]
            return np.where(shows_all, np.int32(0), lows), highs
        nodes = self._lowest_common_nodes(self.hierarchy, lows, highs)
        return self.hierarchy.first[nodes].astype(np.int32), self.hierarchy.last[nodes].astype(np.int32)

    @staticmethod
    def _lowest_common_nodes(hierarchy: Hierarchy, lows: Codes, highs: Codes) -> NDArray[np.int64]:
        """Returns the lowest common node in the hierarchy above the codes `lows` to `highs` of each class."""
        ends, places = np.unique(np.stack([lows, highs]), axis=1, return_inverse=True)
        nodes = [hierarchy.lowest_common_node(int(low), int(high)) for low, high in ends.T]
        return np.array(nodes, np.int64)[places.ravel()]

    def cell_text(self, low: int, high: int) -> str:
        """Returns the published text of a class with codes from `low` to `high`."""
        if self.has_missing and low < high == len(self.texts) - 1:
            return EVERYTHING
        if self.grid and low < len(self.grid.bins):
            return self.grid.cell_text(low, high)
        if low == high:
            return self.texts[low]
        if self.hierarchy:
            return self.hierarchy.labels[self.hierarchy.lowest_common_node(low, high)]
        return f"{self.texts[low]}{UP_TO}{self.texts[high]}"

    def read_code_ranges(self, cells: Sequence[str]) -> Codes:
        """Returns the first and last code that each published cell shows; an empty range if it is unknown."""
        nothing = (1, 0)
        if self.hierarchy:
            first, last = self.hierarchy.first.tolist(), self.hierarchy.last.tolist()
            shown = dict(
                zip(map(escape_formula, self.hierarchy.labels), zip(first, last, strict=True), strict=True)
            )
            pairs = [shown.get(cell, nothing) for cell in cells]
        elif self.grid:
            last = len(self.texts) - 1
            own = {EVERYTHING: (0, last), **({MISSING: (last, last)} if self.has_missing else {})}
            shown_ranges = zip(cells, self.grid.read_code_ranges(cells), strict=True)
            pairs = [own.get(cell, covered) for cell, covered in shown_ranges]
        else:
            code = {text: index for index, text in enumerate(self.texts)}
            everything = {EVERYTHING: (0, len(self.texts) - 1)}

            def code_range(cell: str) -> tuple[int, int]:
                low, _sign, high = unescape_formula(cell).partition(UP_TO)
                is_known = low in code and (high or low) in code
                return (code[low], code[high or low]) if is_known else everything.get(cell, nothing)

            pairs = list(map(code_range, cells))
        return np.array(pairs, np.int32).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of people with its columns by role, in the order of the specification.

    `weights`: for each record the number of people of the population that it represents, if a column says so.
    """

    quasi: tuple[QuasiColumn, ...]
    sensitive: tuple[Column, ...]
    other: tuple[Column, ...] = ()
    disguised: tuple[Column, ...] = ()
    weights: NDArray[np.float64] | None = None

    @property
    def single_value_columns(self) -> tuple[Column, ...]:
        """The columns that show a single value of each record, in the order of the published file."""
        return (*self.sensitive, *self.disguised, *self.other)

    @property
    def records(self) -> int:
        return len(self.quasi[0].codes)

    @property
    def codes(self) -> Codes:
        """The codes of the quasi-identifiers, record x column."""
        return np.ascontiguousarray(np.stack([column.codes for column in self.quasi], axis=1))

    def take_records(self, indexes: NDArray[np.int64]) -> "Table":
        """Returns the table of the records at these indexes."""
        return replace(
            self,
            quasi=tuple(replace(column, codes=column.codes[indexes]) for column in self.quasi),
            sensitive=tuple(replace(column, codes=column.codes[indexes]) for column in self.sensitive),
            other=tuple(replace(column, codes=column.codes[indexes]) for column in self.other),
            disguised=tuple(replace(column, codes=column.codes[indexes]) for column in self.disguised),
            weights=None if self.weights is None else self.weights[indexes],
        )


def read_table(file: BinaryIO, name: str, specification: Specification, tick: Tick = ignore_tick) -> Table:
    """Reads a table of people from a CSV file by its specification; drops identifiers and unknown columns.

    `tick`: called between blocks of rows; it may raise to stop.
    """
    rows = csv_rows(file, name, layout=specification.layout or PLAIN)
    columns = _column_indexes(next(rows, None), name, specification)
    books = [Codebook(value_of) for value_of in _cell_readers(specification)]
    if not read_codes_within_limit(rows, books, columns, MOST_RECORDS, tick):
        raise InputError(name, _("more than %(most)s records"), most=MOST_RECORDS)
    if not books[0].records:
        raise InputError(name, _("there are no records"))
    return _build_table(books, specification, name)


def _column_indexes(
    header: tuple[str, list[str]] | None, file: str, specification: Specification
) -> list[tuple[int, str]]:
    """Returns index and name of each column to read, from the header of the file."""
    places = {normalise_cell(name): index for index, name in enumerate(column_names(header, file))}
    for name in (*specification.identifiers, *specification.columns_to_read):
        if name not in places:
            raise InputError(f"{file}:1", _("the column %(column)s is missing"), column=quote_value(name))
    return [(places[name], name) for name in specification.columns_to_read]


def _cell_readers(specification: Specification) -> list[Callable[[str], str]]:
    """Returns for each column to read the function that checks and normalises its cells."""
    decimal = (specification.layout or PLAIN).decimal
    quasi = [_quasi_reader(column, decimal) for column in specification.quasi_identifiers]
    sensitive = [_sensitive_reader(column) for column in specification.sensitive]
    disguised = [_listed_reader(column.values) for column in specification.disguised]
    weight = [_weight_reader(decimal)] if specification.columns_to_read != specification.columns else []
    return [*quasi, *sensitive, *disguised, *([_read_cell_text] * len(specification.other)), *weight]


def _sensitive_reader(column: Sensitive) -> Callable[[str], str]:
    read = _listed_reader(column.order) if column.order else _read_nonempty_cell
    return (lambda cell: cell and read(cell)) if column.empty else read


def _quasi_reader(column: QuasiIdentifier, decimal: str) -> Callable[[str], str]:
    """Returns the function that checks and normalises the cells of a quasi-identifier."""
    read: Callable[[str], str] = _read_nonempty_cell
    if column.role is QuasiKind.NUMBER:
        read = _number_reader(decimal)
    elif column.role is QuasiKind.DATE:
        read = _date_reader(column.dates, column.level)
    elif column.role is QuasiKind.ORDERED:
        read = _listed_reader(column.order)
    elif column.branches:
        read = _listed_reader(_leaves(column.branches))
    if column.empty:
        return lambda cell: cell and read(cell)
    missing = frozenset(column.missing)
    return (lambda cell: MISSING if cell.strip() in missing else read(cell)) if missing else read


def _leaves(branches: Iterable[hierarchies.Branch]) -> tuple[str, ...]:
    leaves: list[str] = []
    for branch in branches:
        leaves += [branch] if isinstance(branch, str) else _leaves(branch[1])
    return tuple(leaves)


def number_text(cell: str, decimal: str) -> str | None:
    """Returns the number in a cell as digits with a decimal point; None if it holds no number."""
    plain = cell.strip()
    if decimal != ".":
        plain = plain.replace(".", "x").replace(decimal, ".")
    match = NUMBER.fullmatch(plain)
    if not match:
        return None
    if match["power"]:
        return format(Decimal(plain), "f")
    digits = plain.removeprefix("+").removesuffix(".")
    return f"{match['sign'].removeprefix('+')}0{digits.lstrip('-')}" if match["point"] else digits


def _number_reader(decimal: str) -> Callable[[str], str]:
    def read_number(cell: str) -> str:
        text = number_text(cell, decimal)
        if text is None:
            _refuse_empty(cell)
            raise InputError("", _("%(cell)s is no number"), cell=quote_value(cell))
        return text

    return read_number


def _weight_reader(decimal: str) -> Callable[[str], str]:
    number = _number_reader(decimal)

    def read_weight(cell: str) -> str:
        text = number(cell)
        if Decimal(text) < 1:
            raise InputError(
                "", _("a weight of %(weight)s is less than one person"), weight=quote_value(text)
            )
        return text

    return read_weight


def _date_reader(order: DateOrder, level: Level) -> Callable[[str], str]:
    def read_date_label(cell: str) -> str:
        plain = cell.strip()
        day = read_date(plain, order)
        if day is None:
            _refuse_empty(plain)
            words = _("%(cell)s is no day of the calendar") if looks_like_date(plain, order) else NO_DATE
            raise InputError("", words, cell=quote_value(cell))
        return date_label(day, level)

    return read_date_label


def _refuse_empty(cell: str) -> None:
    if not cell.strip():
        raise InputError("", _("the cell is empty; say that it means a missing value, or fill it in"))


def _read_nonempty_cell(cell: str) -> str:
    """Returns the normalised text of a cell; refuses an empty cell and `*`."""
    value = _read_cell_text(cell)
    if not value:
        raise InputError("", _("the cell is empty"))
    if value == EVERYTHING:
        raise InputError("", _("%(cell)s has a meaning of its own"), cell=quote_value(cell))
    return value


def _read_cell_text(cell: str) -> str:
    """Returns the normalised text of a cell, perhaps empty; refuses invisible characters and long texts."""
    value = normalise_cell(unescape_formula(cell))
    if len(value) > LONGEST_CELL or not all(map(is_allowed_in_names, value)):
        raise InputError("", _("%(cell)s holds invisible characters, or is too long"), cell=quote_value(cell))
    return value


def _listed_reader(values: Iterable[str]) -> Callable[[str], str]:
    known_values = frozenset(values)

    def read_listed(cell: str) -> str:
        value = _read_nonempty_cell(cell)
        if value not in known_values:
            raise InputError("", _("%(cell)s is not one of its values"), cell=quote_value(cell))
        return value

    return read_listed


def _build_table(books: Sequence[Codebook], specification: Specification, where: str) -> Table:
    rest = iter(books)
    quasi = tuple(
        _add_grid(_quasi_column(column, next(rest), where), column, specification.criteria.k)
        for column in specification.quasi_identifiers
    )
    sensitive = tuple(
        _column_of_single_values(column.name, next(rest), column.order) for column in specification.sensitive
    )
    disguised = tuple(
        _column_of_single_values(column.name, next(rest), column.values) for column in specification.disguised
    )
    other = tuple(_column_of_single_values(name, next(rest), ()) for name in specification.other)
    weights = [np.array(list(map(float, book.values_by_code)))[book.codes] for book in rest]
    return Table(quasi, sensitive, other, disguised, weights[0] if weights else None)


def _quasi_column(column: QuasiIdentifier, book: Codebook, where: str) -> QuasiColumn:
    if column.role is QuasiKind.NUMBER:
        return _number_column(column.name, book)
    if column.role is QuasiKind.DATE:
        return _date_column(column.name, book)
    if column.role is QuasiKind.ORDERED:
        return _positioned_column(
            column.name, book, column.order, range(len(column.order)), {}, QuasiKind.ORDERED
        )
    values = sorted(set(book.values_by_code))
    path = f"{where}: {column.name}"
    if column.branches:
        hierarchy = hierarchies.build_hierarchy(column.branches, path)
    elif column.proposal is ProposedHierarchy.PREFIXES:
        hierarchy = hierarchies.build_prefix_hierarchy(values, path)
    else:
        hierarchy = hierarchies.build_flat_hierarchy(values, path)
    texts = hierarchy.labels[: hierarchy.leaves]
    return QuasiColumn(column.name, texts, _record_indexes_into_texts(book, texts), hierarchy=hierarchy)


def _add_grid(column: QuasiColumn, specification: QuasiIdentifier, least: int) -> QuasiColumn:
    """Returns the column with the grid that its specification names, if any; the codes stay. Each open bin has at
    least `least` records."""
    texts = column.texts[: len(column.texts) - column.has_missing]
    if not texts or (specification.ends is None and specification.tails is None):
        return column
    counts = np.bincount(column.codes, minlength=len(texts))[: len(texts)]
    if specification.ends is None:
        assert column.positions is not None
        assert specification.tails
        return replace(
            column,
            grid=build_date_grid(
                texts, column.positions, counts, specification.tails, specification.level, least
            ),
        )
    return replace(column, grid=build_grid([*map(Decimal, texts)], counts, specification.ends, least))


def _number_column(name: str, book: Codebook) -> QuasiColumn:
    """Builds a column of ascending numbers; spellings of one number are one value, shown as the first."""
    texts = [text for text in book.values_by_code if text != MISSING]
    written: dict[Decimal, str] = {}
    # A million whole numbers are read, compared and hashed in a fraction of the time of decimals.
    exact: Callable[[str], Any] = Decimal if any("." in text for text in texts) else int
    first = {text: written.setdefault(exact(text), text) for text in texts}
    ordered = sorted(written)
    return _positioned_column(
        name, book, [written[number] for number in ordered], ordered, first, QuasiKind.NUMBER
    )


def _date_column(name: str, book: Codebook) -> QuasiColumn:
    texts = sorted({text for text in book.values_by_code if text != MISSING})
    days = [first_day_of_label(text).toordinal() for text in texts]
    return _positioned_column(name, book, texts, days, {}, QuasiKind.DATE)


def _positioned_column(
    name: str,
    book: Codebook,
    texts: Sequence[str],
    points: Sequence[Any],
    same: Mapping[str, str],
    kind: QuasiKind,
) -> QuasiColumn:
    """Builds a quasi-identifier with ascending values: a number, a date or an ordered choice.

    `texts`: the values; `points`: their positions on any scale; `same`: other spellings of texts.
    """
    low, high = (points[0], points[-1]) if points else (0, 0)
    positions = [float((position - low) / (high - low)) if high > low else 0.0 for position in points]
    has_missing = MISSING in book.values_by_code
    shown = (*texts, *[MISSING] * has_missing)
    code = {text: at for at, text in enumerate(shown)}
    recoded = [code[same.get(value, value)] for value in book.values_by_code]
    return QuasiColumn(
        name,
        shown,
        np.array(recoded, np.int32)[book.codes],
        np.array(positions + [AWAY] * has_missing),
        is_number=kind is QuasiKind.NUMBER,
        is_date=kind is QuasiKind.DATE,
        has_missing=has_missing,
    )


def _column_of_single_values(name: str, book: Codebook, order: tuple[str, ...]) -> Column:
    """Builds a column of single values; their order is `order`, or alphabetical."""
    texts = order or tuple(sorted(set(book.values_by_code)))
    return Column(name, texts, _record_indexes_into_texts(book, texts))


def _record_indexes_into_texts(book: Codebook, texts: Sequence[str]) -> Codes:
    """Returns the code of each record in a file's column: the index of its value in `texts`."""
    code = {text: index for index, text in enumerate(texts)}
    return np.array([code[value] for value in book.values_by_code], np.int32)[book.codes]
