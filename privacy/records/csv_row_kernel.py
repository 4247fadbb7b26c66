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
from privacy.kinds.code_arrays import Codes
from privacy.numba_compilation import compile_cached

COMMAS, LINE_ENDS = np.uint64(0x2C2C2C2C2C2C2C2C), np.uint64(0x0A0A0A0A0A0A0A0A)
LOW_BITS, HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
ONE = np.uint64(1)
FACTOR = np.uint64(0x9E3779B97F4A7C15)
WORD = 8
NO_ROOM = range(0x20)
"""Characters that no cell text may have here; `"` and `,` are only in quoted texts."""


def _load_word(_typing: Any, data: Any, _at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte = builder.gep(array.data, [arguments[1]])
        word = builder.load(builder.bitcast(byte, ir.IntType(64).as_pointer()))
        word.align = 1
        return word

    return numba.types.uint64(data, numba.types.int64), codegen


_word_at: Any = intrinsic(_load_word)
"""Loads eight bytes of an array of bytes, from an index on, as an integer."""


def _count_zeros(_typing: Any, _word: Any) -> Any:
    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return numba.types.int64(numba.types.uint64), codegen


_trailing_zeros: Any = intrinsic(_count_zeros)


@compile_cached
def split_rows(data, size, columns, shifts, slots, heads, texts, codes):  # type: ignore[no-untyped-def]
    """Parses `size` bytes of CSV into `codes`, question x row; returns the row count, -1 if a cell is unknown.

    `data` is a word longer than `size`. `columns`: by column, its row of `codes` and its first slot. `slots`: length,
    code, and start in `texts` of each text; an empty slot has length 0. `heads`: the head of each text, its bytes up to
    its first comma or line end, at most a word.
    """
    at = row = 0
    while at < size:
        for column in range(len(columns)):
            word = _word_at(data, at)
            comma, line_end = word ^ COMMAS, word ^ LINE_ENDS
            ends = ((comma - LOW_BITS) & ~comma | (line_end - LOW_BITS) & ~line_end) & HIGH_BITS
            head = word & (((ends & (~ends + ONE)) << ONE) - ONE)
            slot = columns[column, 1] + np.int64((head * FACTOR) >> shifts[column])
            # Usually the text is its head: then the next cell is known before the slot is read.
            length = (_trailing_zeros(ends) >> 3) + 1
            if heads[slot] != head or slots[slot, 0] != length:
                while True:
                    length = slots[slot, 0]
                    if length == 0:
                        return -1
                    if heads[slot] == head and at + length <= size:
                        # The last word overlaps the one before.
                        start, first = slots[slot, 2], WORD
                        while first < length:
                            here = min(first, length - WORD)
                            if _word_at(data, at + here) != _word_at(texts, start + here):
                                break
                            first += WORD
                        if first >= length:
                            break
                    slot += 1
            codes[columns[column, 0], row] = slots[slot, 1]
            at += length
        row += 1
    return row


class Splitter(NamedTuple):
    """Parser for record files: hash tables of each column's possible texts, with their end character.

    `shortest`: the least bytes of a row.
    """

    columns: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    slots: NDArray[np.int64]
    heads: NDArray[np.uint64]
    texts: NDArray[np.uint8]
    dtype: type[np.unsignedinteger[Any]]
    shortest: int

    def split(self, data: bytes) -> Codes | None:
        """Returns the codes of the rows of a block, question x row; None if a cell is unknown or a row
        has another form."""
        data += b"" if data.endswith(b"\n") else b"\n"
        codes = np.empty((len(self.columns), len(data) // self.shortest + 1), self.dtype)
        rows = split_rows(np.frombuffer(data + bytes(WORD), np.uint8), len(data), *self[:-2], codes)
        return codes[:, :rows] if rows >= 0 else None


def make_splitter(codes_by_cell: Sequence[Mapping[str, int]], columns: Sequence[int]) -> Splitter:
    """Builds the parser of files whose column columns[i] has the cells codes_by_cell[i]."""
    found, shifts = np.empty((len(columns), 2), np.int64), np.empty(len(columns), np.uint64)
    slots, heads, texts = list[tuple[int, int, int]](), list[int](), bytearray()
    shortest = 0
    for question, column in enumerate(columns):
        end = [b"\n", b"\r\n"] if column == len(columns) - 1 else [b","]
        code_of = _codes_by_text(codes_by_cell[question], end)
        shortest += min(map(len, code_of))
        bits = (2 * len(code_of)).bit_length()
        found[column], shifts[column] = (question, len(slots)), 64 - bits
        first = len(slots)
        # Behind the last slot of the hash is room for all texts and an empty slot.
        slots += [(0, 0, 0)] * ((1 << bits) + len(code_of) + 1)
        heads += [0] * (len(slots) - len(heads))
        for text, code in code_of.items():
            ends = [text.index(end) + 1 for end in b",\n" if end in text]
            head = int.from_bytes(text[: min(WORD, *ends, WORD)], "little")
            slot = first + (head * int(FACTOR) % (1 << 64) >> 64 - bits)
            while slots[slot][0]:
                slot += 1
            slots[slot], heads[slot] = (len(text), code, len(texts)), head
            texts += text
    most = max(code for codes in codes_by_cell for code in codes.values())
    dtype = np.uint8 if most <= np.iinfo(np.uint8).max else np.uint16
    return Splitter(
        found,
        shifts,
        np.array(slots, np.int64),
        np.array(heads, np.uint64),
        np.frombuffer(bytes(texts), np.uint8),
        dtype,
        shortest,
    )


def _codes_by_text(codes: Mapping[str, int], ends: Sequence[bytes]) -> dict[bytes, int]:
    """Returns the code of each possible text of a cell, with and without quotation marks, and its end.

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
    """Loads the machine code of `split_rows`; compiles it if no process has done so yet."""
    with machine_code_cache.compile_once("record-files"):
        for cells in (1, 1 << 8):
            make_splitter([{str(code): code for code in range(cells + 1)}], [0]).split(b"0\n")
