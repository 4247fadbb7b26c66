"""The rows of any CSV file, one by one; a refusal names file and line."""

import csv
from collections.abc import Iterable, Iterator

from privacy.grammar.refusal import Refusal, marked as _

MOST_ROW = 4_000_000
"""The most bytes of a row, with the line breaks in its quoted cells: as many as of a whole design."""

Lines = Iterator[tuple[str, list[str]]]
"""The place of each row (`file:line`) and its cells."""


def csv_rows(lines: Iterable[bytes], name: str, *, after: int = 0, width: int | None = None) -> Lines:
    """The rows of any CSV file in UTF-8, all as wide as the first (or `width`); empty lines are left out.

    `after`: so many lines of the file were read before.
    """
    decoded = _Decoded(lines, name, after)
    reader = csv.reader(decoded, strict=True)
    while True:
        decoded.left = MOST_ROW
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            place = f"{name}:{after + reader.line_num}"
            raise Refusal(place, _("not CSV (%(what)s)"), what=error) from None
        if not cells:
            continue
        where = f"{name}:{after + reader.line_num}"
        width = width or len(cells)
        if len(cells) != width:
            raise Refusal(where, _("%(cells)s cells, not %(width)s"), cells=len(cells), width=width)
        yield where, cells


class _Decoded:
    """The decoded lines of a file, one by one; Python's decoding reader reads ahead and does not know the line.

    `left` is the number of bytes that the current row may still have.
    """

    def __init__(self, lines: Iterable[bytes], name: str, after: int) -> None:
        self._lines, self._name, self._number = iter(lines), name, after
        self.left = MOST_ROW

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._number += 1
        self.left -= len(line)
        if self.left < 0:
            raise Refusal(self._place, _("a row of more than %(most)s bytes"), most=MOST_ROW)
        try:
            return line.decode("utf-8-sig" if self._number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise Refusal(self._place, _("not UTF-8")) from None

    @property
    def _place(self) -> str:
        return f"{self._name}:{self._number}"
