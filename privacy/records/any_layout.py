"""A file of rows in any layout (semicolons, tabs, UTF-16, decimal commas) as UTF-8 with commas, line by line."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from privacy.records.csv_rows import PLAIN, csv_rows
from privacy.records.layouts import WITH_COMMA, Layout, layout_of
from privacy.records.record_file import BoundedLines, open_file

PIECE = 1 << 16


def open_rows(path: Path) -> BinaryIO:
    """The file as it is, or as it is rewritten while it is read where its layout is another than ours."""
    file = open_file(path)
    layout = layout_of(file.peek())
    if (layout.separator, layout.encoding) == (PLAIN.separator, PLAIN.encoding):
        return file
    return BoundedLines(_Rewritten(file, str(path), layout))


class _Rewritten(io.RawIOBase):
    def __init__(self, file: BoundedLines, name: str, layout: Layout) -> None:
        self._file, self._pieces, self._left = file, _pieces(file, name, layout), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        if not self._left:
            self._left = memoryview(next(self._pieces, b""))
        taken, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        self._file.close()
        super().close()


def _pieces(file: BoundedLines, name: str, layout: Layout) -> Iterator[bytes]:
    """Each row stays in its line, so that refusals name the line of the original."""
    text, line = io.StringIO(newline=""), 0
    writer = csv.writer(text, lineterminator="\n")
    for where, cells in csv_rows(file, name, layout=layout):
        number = int(where.rpartition(":")[2])
        text.write("\n" * (number - line - 1))
        line = number
        writer.writerow(map(_with_point, cells) if layout.decimal == "," else cells)
        if text.tell() > PIECE:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell
