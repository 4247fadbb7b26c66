"""Codebooks: columns of a table as integer codes, so that a million rows take a few bytes a cell."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.input_error import InputError
from privacy.records.csv_row_reader import Lines

AT_ONCE = 4096
"""Rows between two calls of `tick`: a few hundredths of a second."""

Tick = Callable[[], object]
"""Progress callback while a file is read; it may raise to end the reading."""


class Codebook(dict[str, int]):
    """Codes of the distinct cells of one column, in order of first occurrence, and the code of each record.

    `value_of` checks each new cell; `values_by_code` holds its results.
    """

    def __init__(self, value_of: Callable[[str], str] = str) -> None:
        self.value_of = value_of
        self.values_by_code: list[str] = []
        self._codes = array("i")

    def __missing__(self, cell: str) -> int:
        self.values_by_code.append(self.value_of(cell))
        self[cell] = len(self.values_by_code) - 1
        return self[cell]

    def extend(self, cells: Iterable[str]) -> None:
        """Appends the cells of further records."""
        self._codes.extend(map(self.__getitem__, cells))

    @property
    def codes(self) -> NDArray[np.int32]:
        """The code of each record."""
        return np.frombuffer(self._codes, np.int32)

    @property
    def records(self) -> int:
        return len(self._codes)


def ignore_tick() -> None:
    """Does nothing: the callback of callers that show no progress."""


def read_codes_within_limit(
    rows: Lines,
    books: Sequence[Codebook],
    columns: Sequence[tuple[int, str]],
    most: int,
    tick: Tick = ignore_tick,
) -> bool:
    """Reads columns of a table into their codebooks; returns False if there are more than `most` rows.

    `columns`: index and name of each column. An error message for a cell names its line and column.
    """
    read = 0
    while chunk := list(islice(rows, AT_ONCE)):
        tick()
        read += len(chunk)
        if read > most:
            return False
        cells = list(zip(*(row for _where, row in chunk), strict=True))
        try:
            for book, (column, _name) in zip(books, columns, strict=True):
                book.extend(cells[column])
        except InputError:
            _refuse_first_bad_cell(chunk, books, columns)
    return True


def _refuse_first_bad_cell(
    chunk: Iterable[tuple[str, Sequence[str]]], books: Sequence[Codebook], columns: Sequence[tuple[int, str]]
) -> None:
    """Raises the error of the first bad cell in a chunk of rows; it names line and column."""
    for where, cells in chunk:
        for book, (column, name) in zip(books, columns, strict=True):
            try:
                book.value_of(cells[column])
            except InputError as refusal:
                raise InputError(f"{where}: {name}", refusal.template, **refusal.values) from None
