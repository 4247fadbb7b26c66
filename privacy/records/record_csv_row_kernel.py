"""Parses rows of a record file in compiled code: compares each cell with the possible texts of its column.

Importing this module imports numba.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic
from numpy.typing import NDArray

from privacy import machine_code_cache
from privacy.kinds.answer_code_array_type import Codes
from privacy.numba_compilation import compile_cached

COMMAS, LINE_ENDS = np.uint64(0x2C2C2C2C2C2C2C2C), np.uint64(0x0A0A0A0A0A0A0A0A)
LOW_BITS, HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
FACTOR = np.uint64(0x9E3779B97F4A7C15)
# Unsigned, since an index that may be negative costs a comparison.
ZERO, ONE, BYTE_BITS, WORD, ROWS = map(np.uint64, (0, 1, 3, 8, 4))
"""ROWS: number of rows that are parsed side by side, so that the processor need not wait for a cell's length."""
NO_ROOM = range(0x20)
"""Characters that no cell text may have here; `"` and `,` are only in quoted texts."""


def _load_word(_typing: Any, data: Any, _at: Any) -> Any:
    """Compiled code that reads the 64-bit word at byte `_at` of an array."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte = builder.gep(array.data, [arguments[1]])
        word = builder.load(builder.bitcast(byte, ir.IntType(64).as_pointer()))
        word.align = 1
        return word

    return numba.types.uint64(data, numba.types.uint64), codegen


_word_at: Any = intrinsic(_load_word)
"""Loads eight bytes of an array of bytes, from an index on, as an integer."""


def _count_trailing_zero_bits(_typing: Any, _word: Any) -> Any:
    """Compiled code that counts the zero bits below the lowest set bit of a word."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return numba.types.uint64(numba.types.uint64), codegen


_trailing_zeros: Any = intrinsic(_count_trailing_zero_bits)


@compile_cached
def parse_record_rows(data, columns, slots, texts, codes):
    """Parses rows of a record file into `codes`, question x row; returns their number, -1 if one is unusual.

    The last WORD bytes of `data` are no part of it. `columns`: by column, its row of `codes`, its first slot and the
    shift of its hashes. `slots`: head, length, code, and start in `texts` of each text; an empty slot has length 0. A
    head is the bytes of a text up to its first comma or line end, at most a word.
    """
    size = np.uint64(len(data)) - WORD
    places = np.empty(ROWS, np.uint64)
    row = line = ZERO
    while line < size:
        some = ZERO
        while some < ROWS and line < size:
            places[some] = line
            some += ONE
            ends = ZERO
            while ends == ZERO:
                line_end = _word_at(data, line) ^ LINE_ENDS
                ends = (line_end - LOW_BITS) & ~line_end & HIGH_BITS
                line += WORD
            line += (_trailing_zeros(ends) >> BYTE_BITS) + ONE - WORD
        for column in range(len(columns)):
            question, first_slot, shift = columns[column, 0], columns[column, 1], columns[column, 2]
            for index in range(some):
                at = places[index]
                word = _word_at(data, at)
                comma, line_end = word ^ COMMAS, word ^ LINE_ENDS
                ends = ((comma - LOW_BITS) & ~comma | (line_end - LOW_BITS) & ~line_end) & HIGH_BITS
                head = word & (ends ^ (ends - ONE))
                slot = first_slot + ((head * FACTOR) >> shift)
                # Usually the text is its head: then the next cell is known before the slot is read.
                length = (_trailing_zeros(ends) >> BYTE_BITS) + ONE
                if slots[slot, 0] != head or slots[slot, 1] != length:
                    while True:
                        length = slots[slot, 1]
                        if length == ZERO:
                            return -1
                        if slots[slot, 0] == head and at + length <= size:
                            # The last word overlaps the one before.
                            start, first = slots[slot, 3], WORD
                            while first < length:
                                here = min(first, length - WORD)
                                if _word_at(data, at + here) != _word_at(texts, start + here):
                                    break
                                first += WORD
                            if first >= length:
                                break
                        slot += ONE
                codes[question, row + index] = slots[slot, 2]
                places[index] = at + length
        row += some
    return np.int64(row)


class RecordRowParser(NamedTuple):
    """Parser for rows of record files: hash tables of the texts that the cells of each column can have.

    `shortest`: the least bytes of a row.
    """

    columns: NDArray[np.uint64]
    slots: NDArray[np.uint64]
    texts: NDArray[np.uint8]
    dtype: type[np.unsignedinteger[Any]]
    shortest: int

    def split(self, data: bytes) -> Codes | None:
        """Returns the codes of the rows of a block, question x row; None if a cell is unknown or a row
        has another form."""
        data += (b"" if data.endswith(b"\n") else b"\n") + bytes(WORD)
        # Of rows that are too short only the first cells are written.
        most = len(data) // self.shortest + int(ROWS)
        codes = np.empty((len(self.columns), most), self.dtype)
        rows = parse_record_rows(np.frombuffer(data, np.uint8), *self[:3], codes)
        return codes[:, :rows] if rows >= 0 else None


def build_record_row_parser(
    codes_by_cell: Sequence[Mapping[str, int]], columns: Sequence[int]
) -> RecordRowParser:
    """Builds the parser for the rows of record files.

    `columns`: for each row of codes the index of its column in the file; `codes_by_cell`: for each the code of each
    cell.
    """
    found = np.empty((len(columns), 3), np.uint64)
    slots, texts = list[tuple[int, int, int, int]](), bytearray()
    shortest = 0
    for question, column in enumerate(columns):
        end = [b"\n", b"\r\n"] if column == len(columns) - 1 else [b","]
        code_of = _codes_by_text(codes_by_cell[question], end)
        shortest += min(map(len, code_of))
        bits = (2 * len(code_of)).bit_length()
        first = len(slots)
        found[column] = question, first, 64 - bits
        # Behind the last slot of the hash is room for all texts and an empty slot.
        slots += [(0, 0, 0, 0)] * ((1 << bits) + len(code_of) + 1)
        for text, code in code_of.items():
            ends = [text.index(end) + 1 for end in b",\n" if end in text]
            head = int.from_bytes(text[: min([int(WORD), *ends])], "little")
            slot = first + (head * int(FACTOR) % (1 << 64) >> 64 - bits)
            while slots[slot][1]:
                slot += 1
            slots[slot] = head, len(text), code, len(texts)
            texts += text
    most = max(code for codes in codes_by_cell for code in codes.values())
    dtype = np.uint8 if most <= np.iinfo(np.uint8).max else np.uint16
    return RecordRowParser(
        found, np.array(slots, np.uint64), np.frombuffer(bytes(texts), np.uint8), dtype, shortest
    )


def _codes_by_text(codes: Mapping[str, int], ends: Sequence[bytes]) -> dict[bytes, int]:
    """Returns the code of each text that a cell can have in a file, including quotation marks and its end.

    No text begins another, since unquoted texts contain no comma and no line end.
    """
    by_text = dict[bytes, int]()
    for cell, code in codes.items():
        if any(letter in cell for letter in map(chr, NO_ROOM)):
            continue
        plain = [] if '"' in cell or "," in cell else [cell]
        quoted = '"' + cell.replace('"', '""') + '"'
        by_text |= {text.encode() + end: code for text in (*plain, quoted) for end in ends}
    return by_text


def load_machine_code() -> None:
    """Loads the machine code of `parse_record_rows`; compiles it if no process has done so yet."""
    with machine_code_cache.compile_once("record-files"):
        for cells in (1, 1 << 8):
            build_record_row_parser([{str(code): code for code in range(cells + 1)}], [0]).split(b"0\n")
