"""Reads any CSV table in blocks of rows, each column as its distinct cells and the number of the cell of each row.

Blocks of short cells are split by comparing cells as integers, other plain ones by Arrow. Where a block is not plain,
its rows are those of Python's `csv`, which also says what is wrong with them: so all ways read the same.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, islice
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.designs.design import Design
from privacy.grammar.question_reading import RESERVED_NAME as GROUP_COLUMN
from privacy.kinds.codes import Codes
from privacy.records.csv_rows import MOST_ROW, Lines, csv_rows
from privacy.records.record import DISGUISED, OPEN
from privacy.records.record_file import (
    find_columns,
    group_names,
    map_cells_to_codes,
    read_header,
    read_record_row,
)

BLOCK = 1 << 19
"""Bytes of a block: what is computed of it stays in the processor's own cache."""
SMALL = 1 << 16
AT_ONCE = 1 << 13
"""Rows of a block that Python reads."""
MOST_BYTE = 255
MARK = b"\xef\xbb\xbf"
EMPTY_LINE = re.compile(rb"(?:\A|\n)\r?\n")
FEW = 8
"""Distinct cells of a column of a block that are looked for one after the other; more are sorted."""
MOST_WORDS = 8
"""Words of eight bytes of the longest cell that is compared as integers."""
FIRST_BYTES = np.array([(1 << 8 * length) - 1 for length in range(9)], np.uint64)
"""By length: a mask of so many first bytes of a word."""


class BlockColumn(NamedTuple):
    """A column of a block: `cells`, its distinct cells; `number`, for each row the index of its cell."""

    cells: list[str]
    number: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A block of rows of the file `name`; `line`: the line of the file where each row ends."""

    name: str
    line: Sequence[int] | NDArray[np.int64]
    columns: tuple[BlockColumn, ...]

    def __len__(self) -> int:
        return len(self.line)

    def row(self, index: int) -> tuple[str, list[str]]:
        """Returns the place (file and line) and the cells of the row with this index."""
        cells = [column.cells[column.number[index]] for column in self.columns]
        return f"{self.name}:{self.line[index]}", cells

    def rows(self) -> Lines:
        """Yields place and cells of each row."""
        return map(self.row, range(len(self)))


def table_blocks(file: BinaryIO, name: str) -> tuple[tuple[str, list[str]] | None, Iterator[TableBlock]]:
    """Returns the row of column names, None in an empty file, and an iterator over blocks of all other rows.

    Empty lines are left out.
    """
    first = next(iter(file), b"")
    if b'"' in first or not first.removeprefix(MARK).strip(b"\r\n") or not first.endswith(b"\n"):
        rows = csv_rows(chain([first] if first else [], file), name)
        header = next(rows, None)
        return header, _read_blocks(rows, name)
    header = next(csv_rows([first], name))
    return header, _blocks(file, name, header[1])


def _blocks(file: BinaryIO, name: str, header: Sequence[str]) -> Iterator[TableBlock]:
    line = 1
    while data := file.read(BLOCK):
        if not data.endswith(b"\n"):
            data += file.readline(MOST_ROW + 1)
        if not _is_plain(data):
            lines = chain(BytesIO(data), file)
            yield from _read_blocks(csv_rows(lines, name, after=line, header=header), name)
            return
        block = _split_block(data, name, len(header), line)
        if block:
            yield block
        else:
            rows = csv_rows(BytesIO(data), name, after=line, header=header)
            yield from _read_blocks(rows, name)
        line += data.count(b"\n")


def _is_plain(data: bytes) -> bool:
    """True if rows end with lines: quotes are around whole cells, and nothing else breaks a line; no byte is zero."""
    if data.startswith(MARK) or b"\0" in data or (b"\r" in data and data.count(b"\r") != data.count(b"\r\n")):
        return False
    if b'"' not in data:
        return True
    quotes = data.count(b'"')
    first, last = data[:1] == b'"', data[-1:] == b'"'
    opening = data.count(b',"') + data.count(b'\n"') + first
    closing = data.count(b'",') + data.count(b'"\n') + data.count(b'"\r\n') + last
    return 2 * opening == 2 * closing == quotes


def _split_block(data: bytes, name: str, width: int, after: int) -> TableBlock | None:
    """Splits a block into columns; None if it has other rows than lines, and for a small file.

    Python reads a small file before Arrow is loaded. `after`: the number of lines read before.
    """
    if len(data) < SMALL:
        return None
    columns = _split_short_cells(data, width)
    if columns is None:
        return _split_by_arrow(data, name, width, after)
    return TableBlock(name, range(after + 1, after + 1 + len(columns[0].number)), columns)


def _split_short_cells(data: bytes, width: int) -> tuple[BlockColumn, ...] | None:
    """Splits a block without quotes and carriage returns by comparing its cells as integers; None if it cannot.

    Several times faster than Arrow where cells are short and few of them differ.
    """
    if b'"' in data or b"\r" in data:
        return None
    data = data.removesuffix(b"\n") + b"\n"
    # The zeros behind the end are what is read of cells that are shorter than a word.
    whole = np.frombuffer(data + bytes(8 * MOST_WORDS), np.uint8)
    is_end = whole == ord(",")
    is_end |= whole == ord("\n")
    ends = np.flatnonzero(is_end)
    rows = len(ends) // width
    if rows * width != len(ends) or rows != data.count(b"\n"):
        return None
    # As many line ends as rows: if each row ends with one, all others are commas.
    if (whole[ends[width - 1 :: width]] != ord("\n")).any():
        return None
    starts = np.empty_like(ends)
    starts[0] = 0
    np.add(ends[:-1], 1, out=starts[1:])
    lengths = ends - starts
    if width == 1 and not lengths.all():
        # Empty lines are left out.
        return None
    words_at = np.ndarray((len(whole) - 7,), "<u8", whole, strides=(1,))
    first = (words_at[starts] & FIRST_BYTES[np.minimum(lengths, 8)]).reshape(rows, width).T.copy()
    longest = lengths.reshape(rows, width).max(axis=0).tolist()
    columns = []
    for column, (keys, most) in enumerate(zip(first, longest, strict=True)):
        if most > 8 * MOST_WORDS:
            return None
        start, length = starts[column::width], lengths[column::width]
        more = [words_at[start + at] & FIRST_BYTES[np.clip(length - at, 0, 8)] for at in range(8, most, 8)]
        sample, number = _number_distinct([keys, *more])
        try:
            cells = [data[start[row] : start[row] + length[row]].decode() for row in sample]
        except UnicodeDecodeError:
            return None
        columns.append(BlockColumn(cells, number))
    return tuple(columns)


def _number_distinct(words: Sequence[NDArray[np.uint64]]) -> tuple[list[int], NDArray[np.int32]]:
    """Returns a row of each distinct cell, and for each row the index of its cell, from the words of the cells."""
    number = np.zeros(len(words[0]), np.int32)
    sample, left = [0], words[0] != words[0][0]
    for word in words[1:]:
        left |= word != word[0]
    while left.any():
        if len(sample) == FEW:
            cell = np.unique(words[0], return_inverse=True)[1]
            for word in words[1:]:
                _distinct, code = np.unique(word, return_inverse=True)
                cell = np.unique(cell * len(code) + code, return_inverse=True)[1]
            _distinct, first, cell = np.unique(cell, return_index=True, return_inverse=True)
            return first.tolist(), cell.astype(np.int32)
        row = int(left.argmax())
        # Cells that were found keep their index.
        number += left
        sample.append(row)
        differs = words[0] != words[0][row]
        for word in words[1:]:
            differs |= word != word[row]
        left &= differs
    return sample, number


def _split_by_arrow(data: bytes, name: str, width: int, after: int) -> TableBlock | None:
    """Splits a block by Arrow; None if Arrow finds other rows than lines."""
    if EMPTY_LINE.search(data):
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
        columns.append(
            BlockColumn(chunk.dictionary.to_pylist(), np.asarray(np.from_dlpack(chunk.indices), np.int32))
        )
    return TableBlock(name, range(after + 1, after + 1 + lines), tuple(columns))


def _read_blocks(rows: Lines, name: str) -> Iterator[TableBlock]:
    while some := list(islice(rows, AT_ONCE)):
        line = np.array([int(where.rpartition(":")[2]) for where, _cells in some], np.int64)
        columns = []
        for cells in zip(*(cells for _where, cells in some), strict=True):
            number = {cell: index for index, cell in enumerate(dict.fromkeys(cells))}
            columns.append(BlockColumn(list(number), np.array([number[cell] for cell in cells], np.int32)))
        yield TableBlock(name, line, tuple(columns))


# --- record blocks
# Record files read column by column; what is unusual is read again row by row, which refuses it by its line.


class RecordBlock(NamedTuple):
    """Some rows of a record file; `codes`: question x row; `withheld`: rows without what open records withhold."""

    group: NDArray[np.uint8]
    codes: Codes
    withheld: NDArray[np.bool_]


def read_blocks(file: BinaryIO, name: str, design: Design) -> Iterator[RecordBlock]:
    """Yields a record file in blocks, column by column; refuses a row that is no possible record of this design."""
    header, blocks = table_blocks(file, name)
    where, names = read_header(header, name)
    columns = find_columns(names, [GROUP_COLUMN, *(question.name for question in design.questions)], where)
    codes_by_cell = [map_cells_to_codes(question) for question in design.questions]
    group_by_cell = {
        cell: group for group, cell in enumerate(group_names(design)) if group or design.has_group_open
    }
    for table in blocks:
        taken = [table.columns[column] for column in columns]
        group = _encode_column(taken[0], group_by_cell)
        codes = [_encode_column(*pair) for pair in zip(taken[1:], codes_by_cell, strict=True)]
        readable = [row for row in codes if row is not None]
        block = None
        if group is not None and len(readable) == len(codes):
            block = _check_block(design, group, np.stack(readable))
        # What is unusual is read row by row: there may be another way to write a name, and a refusal names its line.
        yield block or _read_rows(design, table, columns, codes_by_cell)


def _encode_column(column: BlockColumn, codes: Mapping[str, int]) -> NDArray[Any] | None:
    """Returns the code of each row's cell; None if a cell is not known."""
    encoded = [codes.get(cell) for cell in column.cells]
    if None in encoded:
        return None
    narrow = max(codes.values()) <= MOST_BYTE
    return np.array(encoded, np.uint8 if narrow else np.uint16)[column.number]


def _check_block(design: Design, group: NDArray[Any], codes: Codes) -> RecordBlock | None:
    """Returns the block if a device could have sent every row, else None: `check_codes` on arrays."""
    withheld = np.zeros(len(group), np.bool_)
    of_open = [index for index, question in enumerate(design.questions) if question.withheld_if_open]
    if of_open:
        withheld = codes[of_open[0]] == design.questions[of_open[0]].withheld
        if (withheld & (group != OPEN)).any():
            return None
    for index in design.coded_by_group:
        for arm in (OPEN, DISGUISED):
            foreign = list(design.questions[index].codes_never_sent(arm == OPEN))
            if np.isin(codes[index][group == arm], foreign).any():
                return None
    index = 0
    for section in design.sections:
        asked_here = np.zeros(len(group), np.int64)
        for question in section.questions:
            row = codes[index]
            index += 1
            if not section.rotates and not question.show_if and row.max() < question.not_asked:
                # The usual: everybody answered.
                if question.withheld_if_open and withheld.any():
                    return None
                asked_here += 1
                continue
            hides = question.withheld_if_open & withheld
            if ((row == question.withheld) != hides).any():
                return None
            asked = row != question.not_asked
            asked_here += asked
            hidden = row == question.not_applicable
            applies = np.ones(len(group), np.bool_)
            for rule in question.show_if:
                applies &= np.isin(codes[rule.place], list(rule.codes))
            # Without the plain answers nobody knows whether a rule hides it.
            fits = np.where(withheld, ~hidden | bool(question.show_if), hidden != applies)
            if not (fits | ~asked | hides).all():
                return None
        if (asked_here != (section.asked if section.rotates else len(section.questions))).any():
            return None
    return RecordBlock(group.astype(np.uint8), codes, withheld)


def _read_rows(
    design: Design, table: TableBlock, columns: Sequence[int], codes_by_cell: Sequence[Mapping[str, int]]
) -> RecordBlock:
    group = np.empty(len(table), np.uint8)
    codes = np.empty((len(design.questions), len(table)), np.uint16)
    withheld = np.zeros(len(table), np.bool_)
    for index, (where, cells) in enumerate(table.rows()):
        row, withheld[index] = read_record_row(
            design, where, [cells[column] for column in columns], codes_by_cell
        )
        group[index], codes[:, index] = row.group, row.codes
    return RecordBlock(group, codes, withheld)
