"""Tables as integer codes, read from CSV files; a refusal names file, line and column.

The codes of a quasi-identifier are ordered: numbers by size, ordered choices as the specification says, categories as
the leaves of their hierarchy. So a class of records shows, of every column, all between two codes.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity import hierarchies
from privacy.anonymity.hierarchies import EVERYTHING, UP_TO, Hierarchy
from privacy.anonymity.specification import ProposedHierarchy, QuasiIdentifier, QuasiKind, Specification
from privacy.designs.spreadsheet_cells import MARK, harmless
from privacy.grammar.node import allowed_in_names
from privacy.grammar.refusal import Refusal, marked as _, quoted
from privacy.records.csv_rows import csv_rows
from privacy.records.record_file import LONGEST_CELL

MOST_RECORDS = 2_000_000
AT_ONCE = 4096
NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?", re.ASCII)

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Column:
    """The value of each record as a code, and the text of each code."""

    name: str
    texts: tuple[str, ...]
    codes: Codes

    @property
    def occurring(self) -> int:
        """How many values occur."""
        return int(np.count_nonzero(np.bincount(self.codes, minlength=len(self.texts))))


@dataclass(frozen=True, slots=True)
class QuasiColumn(Column):
    """`positions`: of numbers and ordered choices, from 0 to 1; of a category there is a hierarchy instead."""

    positions: NDArray[np.float64] | None = None
    hierarchy: Hierarchy | None = None
    is_number: bool = False

    def penalties(self, lows: Codes, highs: Codes) -> NDArray[np.float64]:
        """The normalised certainty penalty (NCP) of classes that show all from `lows` to `highs`."""
        if self.positions is not None:
            return self.positions[highs] - self.positions[lows]
        assert self.hierarchy
        return self.hierarchy.penalties[self._common(self.hierarchy, lows, highs)]

    def covered(self, lows: Codes, highs: Codes) -> tuple[Codes, Codes]:
        """The first and last code of what classes show: of a category, all leaves below their lowest common node."""
        if self.hierarchy is None:
            return lows, highs
        nodes = self._common(self.hierarchy, lows, highs)
        return self.hierarchy.first[nodes].astype(np.int32), self.hierarchy.last[nodes].astype(np.int32)

    @staticmethod
    def _common(hierarchy: Hierarchy, lows: Codes, highs: Codes) -> NDArray[np.int64]:
        """The lowest common node of each class."""
        ends, places = np.unique(np.stack([lows, highs]), axis=1, return_inverse=True)
        nodes = [hierarchy.common(int(low), int(high)) for low, high in ends.T]
        return np.array(nodes, np.int64)[places.ravel()]

    def shown(self, low: int, high: int) -> str:
        """What a class shows of this column."""
        if low == high:
            return self.texts[low]
        if self.hierarchy:
            return self.hierarchy.labels[self.hierarchy.common(low, high)]
        return f"{self.texts[low]}{UP_TO}{self.texts[high]}"

    def ends(self, cell: str) -> tuple[int, int]:
        """The first and last code of what a published cell shows; an empty range for any other cell."""
        if self.hierarchy:
            node = {harmless(label): node for node, label in enumerate(self.hierarchy.labels)}.get(cell)
            return (
                (1, 0) if node is None else (int(self.hierarchy.first[node]), int(self.hierarchy.last[node]))
            )
        low, _sign, high = unmarked(cell).partition(UP_TO)
        code = {text: place for place, text in enumerate(self.texts)}
        return (code[low], code[high or low]) if low in code and (high or low) in code else (1, 0)


@dataclass(frozen=True, slots=True)
class Table:
    """`quasi`, `sensitive` and `other` in the order of the specification."""

    quasi: tuple[QuasiColumn, ...]
    sensitive: tuple[Column, ...]
    other: tuple[Column, ...] = ()

    @property
    def records(self) -> int:
        return len(self.quasi[0].codes)

    @property
    def codes(self) -> Codes:
        """The quasi-identifiers of every record."""
        return np.ascontiguousarray(np.stack([column.codes for column in self.quasi], axis=1))

    def at(self, places: NDArray[np.int64]) -> "Table":
        """The records at these places."""
        return Table(
            tuple(replace(column, codes=column.codes[places]) for column in self.quasi),
            tuple(replace(column, codes=column.codes[places]) for column in self.sensitive),
            tuple(replace(column, codes=column.codes[places]) for column in self.other),
        )


class _Codebook(dict[str, int]):
    """Codes of cells, in the order in which they come; a new cell is checked and its value kept."""

    def __init__(self, value_of: Callable[[str], str]) -> None:
        self.value_of = value_of
        self.known: list[str] = []
        self.codes = array("i")

    def __missing__(self, cell: str) -> int:
        self.known.append(self.value_of(cell))
        self[cell] = len(self.known) - 1
        return self[cell]


def read_table(file: BinaryIO, name: str, specification: Specification) -> Table:
    """Read the columns of the specification; others, and identifiers, are dropped."""
    rows = csv_rows(file, name)
    header = next(rows, None)
    if header is None:
        raise Refusal(f"{name}:1", _("the line with the names of the columns is missing"))
    places = _places(header[1], header[0], specification)
    books = [_Codebook(value_of) for value_of in _readers(specification)]
    while chunk := list(islice(rows, AT_ONCE)):
        try:
            columns = list(zip(*(cells for _where, cells in chunk), strict=True))
            for book, place in zip(books, places, strict=True):
                book.codes.extend(map(book.__getitem__, columns[place]))
        except Refusal:
            _refuse_first(chunk, specification.columns, books, places)
        if len(books[0].codes) > MOST_RECORDS:
            raise Refusal(name, _("more than %(most)s records"), most=MOST_RECORDS)
    if not books[0].codes:
        raise Refusal(name, _("there are no records"))
    return _table(books, specification, name)


def _places(header: Sequence[str], where: str, specification: Specification) -> list[int]:
    found: dict[str, int] = {}
    for place, cell in enumerate(header):
        name = _composed(unmarked(cell))
        if name in found:
            raise Refusal(where, _("the column %(column)s appears twice"), column=quoted(name))
        found[name] = place
    for name in (*specification.identifiers, *specification.columns):
        if name not in found:
            raise Refusal(where, _("the column %(column)s is missing"), column=quoted(name))
    return [found[name] for name in specification.columns]


def _refuse_first(
    chunk: Iterable[tuple[str, Sequence[str]]],
    names: Sequence[str],
    books: Sequence[_Codebook],
    places: Sequence[int],
) -> None:
    """Raise the refusal of the first wrong cell, with its place."""
    for where, cells in chunk:
        for name, book, place in zip(names, books, places, strict=True):
            try:
                book.value_of(cells[place])
            except Refusal as refusal:
                raise Refusal(f"{where}: {name}", refusal.template, **refusal.values) from None


def _readers(specification: Specification) -> list[Callable[[str], str]]:
    """How a cell of each column is read."""
    quasi = [_reader(column) for column in specification.quasi_identifiers]
    sensitive = [_known(column.order) if column.order else _value for column in specification.sensitive]
    return [*quasi, *sensitive, *([_any] * len(specification.other))]


def _reader(column: QuasiIdentifier) -> Callable[[str], str]:
    if column.role is QuasiKind.NUMBER:
        return _number
    if column.role is QuasiKind.ORDERED:
        return _known(column.order)
    read = _known(_leaves(column.branches)) if column.branches else _value
    return (lambda cell: cell and read(cell)) if column.empty else read


def _leaves(branches: Iterable[hierarchies.Branch]) -> tuple[str, ...]:
    found: list[str] = []
    for branch in branches:
        found += [branch] if isinstance(branch, str) else _leaves(branch[1])
    return tuple(found)


def _composed(cell: str) -> str:
    return unicodedata.normalize("NFC", cell) if len(cell) <= LONGEST_CELL else cell


def unmarked(cell: str) -> str:
    """Without the apostrophe that `harmless` sets before a formula."""
    return cell[1:] if cell.startswith(MARK) and harmless(cell[1:]) == cell else cell


def _number(cell: str) -> str:
    if not NUMBER.fullmatch(cell):
        raise Refusal("", _("%(cell)s is no number"), cell=quoted(cell))
    return cell


def _value(cell: str) -> str:
    value = _any(cell)
    if not value:
        raise Refusal("", _("the cell is empty"))
    if value == EVERYTHING:
        raise Refusal("", _("%(cell)s has a meaning of its own"), cell=quoted(cell))
    return value


def _any(cell: str) -> str:
    value = _composed(unmarked(cell))
    if len(value) > LONGEST_CELL or not all(map(allowed_in_names, value)):
        raise Refusal("", _("%(cell)s holds invisible characters, or is too long"), cell=quoted(cell))
    return value


def _known(values: Iterable[str]) -> Callable[[str], str]:
    known = frozenset(values)

    def read(cell: str) -> str:
        value = _value(cell)
        if value not in known:
            raise Refusal("", _("%(cell)s is not one of its values"), cell=quoted(cell))
        return value

    return read


def _table(books: Sequence[_Codebook], specification: Specification, where: str) -> Table:
    rest = iter(zip(specification.columns, books, strict=True))
    quasi = tuple(_quasi(column, next(rest)[1], where) for column in specification.quasi_identifiers)
    sensitive = tuple(_plain(*next(rest), column.order) for column in specification.sensitive)
    return Table(quasi, sensitive, tuple(_plain(name, book, ()) for name, book in rest))


def _quasi(column: QuasiIdentifier, book: _Codebook, where: str) -> QuasiColumn:
    if column.role is QuasiKind.NUMBER:
        return _numbers(column.name, book)
    if column.role is QuasiKind.ORDERED:
        positions = np.linspace(0, 1, len(column.order))
        return QuasiColumn(column.name, column.order, _recoded(book, column.order), positions)
    values = sorted(set(book.known))
    place = f"{where}: {column.name}"
    if column.branches:
        hierarchy = hierarchies.made_of(column.branches, place)
    elif column.proposal is ProposedHierarchy.PREFIXES:
        hierarchy = hierarchies.prefixes(values, place)
    else:
        hierarchy = hierarchies.flat(values, place)
    texts = hierarchy.labels[: hierarchy.leaves]
    return QuasiColumn(column.name, texts, _recoded(book, texts), hierarchy=hierarchy)


def _numbers(name: str, book: _Codebook) -> QuasiColumn:
    """Numbers in their order; two ways to write one number are one value, written the first way."""
    written: dict[Decimal, str] = {}
    # A million whole numbers are read, compared and hashed in a fraction of the time of decimals.
    exact: Callable[[str], Any] = Decimal if any("." in text for text in book.known) else int
    numbers = list(map(exact, book.known))
    for number, text in zip(numbers, book.known, strict=True):
        written.setdefault(number, text)
    ordered = sorted(written)
    low, high = ordered[0], ordered[-1]
    positions = np.array([float((number - low) / (high - low)) if high > low else 0.0 for number in ordered])
    code = {number: place for place, number in enumerate(ordered)}
    codes = np.array([code[number] for number in numbers], np.int32)[np.frombuffer(book.codes, np.int32)]
    return QuasiColumn(name, tuple(written[number] for number in ordered), codes, positions, is_number=True)


def _plain(name: str, book: _Codebook, order: tuple[str, ...]) -> Column:
    texts = order or tuple(sorted(set(book.known)))
    return Column(name, texts, _recoded(book, texts))


def _recoded(book: _Codebook, texts: Sequence[str]) -> Codes:
    code = {text: place for place, text in enumerate(texts)}
    return np.array([code[value] for value in book.known], np.int32)[np.frombuffer(book.codes, np.int32)]
