"""Parsers for cells of anonymised tables as this product, ARX and other tools write them: `25..39`, `[25, 40[`,
`130**`.

The meaning of a cell is one or more closed ranges. Numbers are ranges of floats, dates ranges of days, ordered values
ranges of their ranks, categories ranges of texts: a prefix is every text from itself to the last one that begins with
it.
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import MAXYEAR, date, timedelta
from itertools import product
from math import inf, nextafter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables.hierarchies import (
    EVERYTHING,
    LABEL,
    MISSING,
    UP_TO,
    Branch,
    DateOrder,
    first_day_of_label,
    read_date,
)
from privacy.anonymity.tables.specification import QuasiIdentifier, QuasiKind
from privacy.anonymity.tables.table import number_text
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value

Meaning: TypeAlias = tuple[tuple[Any, Any], ...]
"""Closed ranges of values that a cell can mean: lowest and highest value of each, all floats or all texts."""
Read: TypeAlias = Callable[[str], Meaning]

LAST = "\U0010ffff"
LOWEST = -sys.float_info.max
MISSING_VALUE: Meaning = ((-inf, -inf),)
"""The missing value of a number, a date or an ordered choice, below all known values."""
ANY_KNOWN: Meaning = ((LOWEST, inf),)
ANY_NUMBER: Meaning = ((-inf, inf),)
ANY_TEXT: Meaning = (("", LAST),)
NO_PLACE: Meaning = ((-1.0, -1.0),)
BETWEEN = re.compile(
    r"([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)?(?:\.\.|(?<=[0-9])\s*[-–]\s*)([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)?",
    re.ASCII,
)
"""Pattern of ranges such as 25..39 and 25-39; 75.. and ..20 are open at one end."""
BRACKETS = re.compile(
    r"([\[\](])\s*([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*(?:\.\.|,|;|-)\s*([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*([\[\])])",
    re.ASCII,
)
"""Pattern of half-open ranges: [20, 30[ and [20, 30) exclude the end, ]20, 30] and (20, 30] the beginning."""
TAIL = re.compile(r"(<=?|>=?|≤|≥)\s*([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)", re.ASCII)
STARRED = re.compile(r"([0-9]{1,15})(\*{1,15})", re.ASCII)
"""Pattern of numbers with hidden digits: 130** is a number of five digits."""
SEPARATORS = (UP_TO, ", ", "-", "–")
WITH_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])", re.ASCII)


def cell_reader(column: QuasiIdentifier, *, strict: bool = True, decimal: str = ".") -> Read:
    """Returns a parser from a cell of a quasi-identifier to value ranges; it refuses unreadable cells.

    `strict` False, as for a register with more people than the table: an empty or missing cell means every value, and a
    value that the specification does not know means itself. `decimal`: the decimal sign of numbers.
    """
    if column.role is QuasiKind.CATEGORY:
        read = _set_cell_reader(_category_reader(column.branches, empty=column.empty, strict=strict))
    else:
        meanings = {EVERYTHING: ANY_NUMBER, MISSING: MISSING_VALUE, f"{EVERYTHING} but {MISSING}": ANY_KNOWN}
        if column.role is QuasiKind.NUMBER:
            read = _set_cell_reader(_reader_with_named_cells(meanings, _number_reader(decimal)))
        elif column.role is QuasiKind.DATE:
            read = _set_cell_reader(_reader_with_named_cells(meanings, _date_reader(column.dates)))
        else:
            places = {value: ((float(at), float(at)),) for at, value in enumerate(column.order)}
            read = _set_cell_reader(
                _reader_with_named_cells({**meanings, **places}, _ordered_reader(column.order, strict=strict))
            )
    unknown = {"", *column.missing}
    return read if strict else lambda cell: read(EVERYTHING if cell.strip() in unknown else cell)


def _reader_with_named_cells(meanings: dict[str, Meaning], read: Read) -> Read:
    """Returns a parser that looks a cell up in `meanings`, and passes cells that are not there to `read`."""
    return lambda cell: meanings[cell] if cell in meanings else read(cell)


def _set_cell_reader(read: Read) -> Read:
    """Returns a parser for sets of cells: {a, b} means every value that `read` finds in a or in b."""

    def read_set(cell: str) -> Meaning:
        if not (cell.startswith("{") and cell.endswith("}")):
            return read(cell)
        return tuple(bounds for part in cell[1:-1].split(",") for bounds in read(part.strip()))

    return read_set


def _unreadable_cell_error(cell: str) -> InputError:
    return InputError("", _("%(cell)s stands for none of its values"), cell=quote_value(cell))


def _number_reader(decimal: str) -> Read:
    def read_number_range(text: str) -> Meaning:
        cell = WITH_COMMA.sub(".", text) if decimal == "," else text
        if plain := number_text(cell, "."):
            return ((float(plain), float(plain)),)
        if (between := BETWEEN.fullmatch(cell)) and any(between.groups()):
            low, high = between.groups()
            return _require_ascending_range(text, float(low or LOWEST), float(high or inf))
        if inside := BRACKETS.fullmatch(cell):
            low, high = float(inside[2]), float(inside[3])
            low = low if inside[1] == "[" else nextafter(low, inf)
            return _require_ascending_range(text, low, high if inside[4] == "]" else nextafter(high, -inf))
        if tail := TAIL.fullmatch(cell):
            end, sign = float(tail[2]), tail[1]
            if sign in (">", "<"):
                end = nextafter(end, inf if sign == ">" else -inf)
            return ((end, inf),) if sign in (">", ">=", "≥") else ((LOWEST, end),)
        if starred := STARRED.fullmatch(cell):
            scale = 10.0 ** len(starred[2])
            return ((float(starred[1]) * scale, nextafter((float(starred[1]) + 1) * scale, -inf)),)
        raise _unreadable_cell_error(text)

    return read_number_range


def _date_reader(order: DateOrder) -> Read:
    def read_date_range(cell: str) -> Meaning:
        low, sign, high = cell.partition(UP_TO)
        ends = [_first_and_last_day(part, order) for part in ((low, high) if sign else (cell,)) if part]
        if None in ends or not ends:
            raise _unreadable_cell_error(cell)
        if sign and not (low and high):
            return _require_ascending_range(cell, ends[0][0] if low else LOWEST, inf if low else ends[0][1])  # type: ignore[index]
        days = [day for end in ends if end for day in end]
        return _require_ascending_range(cell, days[0], days[-1])

    return read_date_range


def _first_and_last_day(text: str, order: DateOrder) -> tuple[float, float] | None:
    """Returns the first and last day of a date, month, quarter or year; None for other texts.

    Days are ordinals: 1 is January 1 of year 1.
    """
    label = LABEL.fullmatch(text)
    try:
        if not label or label[4]:
            day = read_date(text, order) or (first_day_of_label(text) if label else None)
            return (float(day.toordinal()), float(day.toordinal())) if day else None
        first = first_day_of_label(text)
    except ValueError:
        return None
    months = 3 if label[2] else 1 if label[3] else 12
    after = first.year * 12 + first.month - 1 + months
    if after // 12 > MAXYEAR:
        return float(first.toordinal()), float(date.max.toordinal())
    last = date(after // 12, after % 12 + 1, 1) - timedelta(days=1)
    return float(first.toordinal()), float(last.toordinal())


def _require_ascending_range(cell: str, low: float, high: float) -> Meaning:
    if low > high:
        raise _unreadable_cell_error(cell)
    return ((low, high),)


def _ordered_reader(order: Sequence[str], *, strict: bool) -> Read:
    places = {value: float(index) for index, value in enumerate(order)}

    def read_ordered_range(cell: str) -> Meaning:
        bare = cell[1:-1] if cell[:1] == "[" and cell[-1:] == "]" else cell
        for text, separator in product((cell, bare), SEPARATORS):
            for at in (index for index in range(len(text)) if text.startswith(separator, index)):
                low, high = text[:at], text[at + len(separator) :]
                if low in places and high in places:
                    return _require_ascending_range(cell, places[low], places[high])
        if not strict:
            return NO_PLACE
        raise _unreadable_cell_error(cell)

    return read_ordered_range


def _category_reader(branches: Iterable[Branch], *, empty: bool, strict: bool) -> Read:
    meanings: dict[str, Meaning] = {}

    def add_branch(branch: Branch) -> Meaning:
        label, below = (branch, ()) if isinstance(branch, str) else branch
        meanings[label] = tuple(bounds for child in below for bounds in add_branch(child)) or (
            (label, label),
        )
        return meanings[label]

    for branch in branches:
        add_branch(branch)

    def read_category(cell: str) -> Meaning:
        if cell == EVERYTHING:
            return ANY_TEXT
        if cell in meanings:
            return meanings[cell]
        prefix = cell.rstrip(EVERYTHING)
        if EVERYTHING in prefix or not (cell or empty) or (strict and meanings and prefix == cell):
            raise _unreadable_cell_error(cell)
        return ((prefix, prefix if prefix == cell else prefix + LAST),)

    return read_category


def has_overlap(first: Meaning, second: Meaning) -> bool:
    """Returns True if two cells can mean the same value, because some of their value ranges overlap."""
    return any(low <= end and begin <= high for low, high in first for begin, end in second)


class Overlaps:
    """Index of cells of two columns: finds, for a cell of one, the cells of the other with a common value.

    The bounds of all ranges are compared as ranks.
    """

    def __init__(self, cells: Sequence[Meaning], others: Sequence[Meaning]) -> None:
        bounds = sorted({end for meaning in (*cells, *others) for ends in meaning for end in ends})
        rank = {bound: index for index, bound in enumerate(bounds)}
        self._cells = [[(rank[low], rank[high]) for low, high in meaning] for meaning in cells]
        ranges = [(at, rank[low], rank[high]) for at, meaning in enumerate(others) for low, high in meaning]
        self._owner, self._low, self._high = np.array(ranges, np.int64).reshape(-1, 3).T
        self._others = len(others)

    def find_overlapping(self, cell: int) -> NDArray[np.bool_]:
        """Returns True for each cell of the other column that can mean the same value as the given cell."""
        inside = np.zeros(len(self._owner), bool)
        for low, high in self._cells[cell]:
            inside |= (self._low <= high) & (low <= self._high)
        if len(inside) == self._others:
            return inside
        return np.bincount(self._owner, inside, self._others) > 0
