"""A file of rows in any layout (semicolons, tabs, UTF-16, decimal commas) as UTF-8 with commas, line by line."""

import csv
import io
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from privacy.records.csv_rows import PLAIN, csv_rows
from privacy.records.layouts import WITH_COMMA, Layout, layout_of
from privacy.records.record_file import BoundedLines, open_file


def open_rows(path: Path) -> BinaryIO:
    """The file as it is, or a copy where its layout is another than ours."""
    file = open_file(path)
    layout = layout_of(file.peek())
    if (layout.separator, layout.encoding) == (PLAIN.separator, PLAIN.encoding):
        return file
    with file:
        return _rewritten(file, str(path), layout)


def _rewritten(file: BoundedLines, name: str, layout: Layout) -> BinaryIO:
    """Each row stays in its line, so that refusals name the line of the original."""
    with ExitStack() as on_fault:
        copy = on_fault.enter_context(TemporaryFile(buffering=0))
        text = io.TextIOWrapper(io.BufferedWriter(copy), encoding="utf-8", newline="")
        writer, line = csv.writer(text, lineterminator="\n"), 0
        for where, cells in csv_rows(file, name, layout=layout):
            number = int(where.rpartition(":")[2])
            text.write("\n" * (number - line - 1))
            line = number
            writer.writerow(map(_with_point, cells) if layout.decimal == "," else cells)
        text.flush()
        text.detach().detach()
        on_fault.pop_all()
    copy.seek(0)
    return BoundedLines(copy)


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell
