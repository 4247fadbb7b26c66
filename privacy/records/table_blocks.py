"""Any CSV table in blocks of rows, each column as its distinct cells and the number of the cell of each row.

Plain blocks are split by Arrow. Where a block is not plain, its rows are those of Python's `csv`, which also says what
is wrong with them: so both ways read the same.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.records.csv_rows import MOST_ROW, Lines, csv_rows

BLOCK = 1 << 21
SMALL = 1 << 16
AT_ONCE = 1 << 13
"""Rows of a block that Python reads."""
MARK = b"\xef\xbb\xbf"
EMPTY_LINE = re.compile(rb"(?:\A|\n)\r?\n")


class BlockColumn(NamedTuple):
    cells: list[str]
    number: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class TableBlock:
    """`line`: the number in the file of the line where each row ends."""

    name: str
    line: Sequence[int] | NDArray[np.int64]
    columns: tuple[BlockColumn, ...]

    def __len__(self) -> int:
        return len(self.line)

    def row(self, index: int) -> tuple[str, list[str]]:
        """The place of a row and its cells."""
        cells = [column.cells[column.number[index]] for column in self.columns]
        return f"{self.name}:{self.line[index]}", cells

    def rows(self) -> Lines:
        return map(self.row, range(len(self)))


def table_blocks(file: BinaryIO, name: str) -> tuple[tuple[str, list[str]] | None, Iterator[TableBlock]]:
    """The row of the column names, None in an empty file; and all other rows. Empty lines are left out."""
    first = next(iter(file), b"")
    if b'"' in first or not first.removeprefix(MARK).strip(b"\r\n") or not first.endswith(b"\n"):
        rows = csv_rows(chain([first] if first else [], file), name)
        header = next(rows, None)
        return header, _read_blocks(rows, name)
    header = next(csv_rows([first], name))
    return header, _blocks(file, name, len(header[1]))


def _blocks(file: BinaryIO, name: str, width: int) -> Iterator[TableBlock]:
    line = 1
    while data := file.read(BLOCK):
        if not data.endswith(b"\n"):
            data += file.readline(MOST_ROW + 1)
        if not _is_plain(data):
            lines = chain(BytesIO(data), file)
            yield from _read_blocks(csv_rows(lines, name, after=line, width=width), name)
            return
        block = _split(data, name, width, line)
        if block:
            yield block
        else:
            rows = csv_rows(BytesIO(data), name, after=line, width=width)
            yield from _read_blocks(rows, name)
        line += data.count(b"\n")


def _is_plain(data: bytes) -> bool:
    """Whether rows end with lines: quotes are around whole cells, and nothing else breaks a line."""
    if data.startswith(MARK) or data.count(b"\r") != data.count(b"\r\n"):
        return False
    quotes = data.count(b'"')
    if not quotes:
        return True
    first, last = data[:1] == b'"', data[-1:] == b'"'
    opening = data.count(b',"') + data.count(b'\n"') + first
    closing = data.count(b'",') + data.count(b'"\n') + data.count(b'"\r\n') + last
    return 2 * opening == 2 * closing == quotes


def _split(data: bytes, name: str, width: int, after: int) -> TableBlock | None:
    """None where Arrow finds other rows than lines, and for a small file, which Python reads before Arrow is loaded."""
    if len(data) < SMALL or EMPTY_LINE.search(data):
        return None
    import pyarrow as pa  # late for cost
    from pyarrow import csv as arrow  # late for cost

    kind = pa.dictionary(pa.int32(), pa.string())
    try:
        table = arrow.read_csv(
            pa.BufferReader(data),
            arrow.ReadOptions(use_threads=False, block_size=len(data) + 1, autogenerate_column_names=True),
            arrow.ParseOptions(ignore_empty_lines=False),
            arrow.ConvertOptions(
                column_types={f"f{index}": kind for index in range(width)}, strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    # With quotes and a comma inside a cell the two readers may differ.
    inside = b'"' in data and data.count(b",") != lines * (width - 1)
    if inside or (table.num_rows, table.num_columns) != (lines, width):
        return None
    columns = []
    for column in table.combine_chunks().columns:
        chunk = column.chunk(0)
        columns.append(BlockColumn(chunk.dictionary.to_pylist(), chunk.indices.to_numpy()))
    return TableBlock(name, range(after + 1, after + 1 + lines), tuple(columns))


def _read_blocks(rows: Lines, name: str) -> Iterator[TableBlock]:
    while some := list(islice(rows, AT_ONCE)):
        line = np.array([int(where.rpartition(":")[2]) for where, _cells in some], np.int64)
        columns = []
        for cells in zip(*(cells for _where, cells in some), strict=True):
            number = {cell: index for index, cell in enumerate(dict.fromkeys(cells))}
            columns.append(BlockColumn(list(number), np.array([number[cell] for cell in cells], np.int32)))
        yield TableBlock(name, line, tuple(columns))
