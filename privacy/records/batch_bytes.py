"""The bytes of a batch: a header with checksums, columns of bits, and columns of unsigned integers behind them.

64 bytes of header, then one column after the other, each padded with zeros to whole 64-bit words; bit i of a column of
bits (least significant first) and integer i of a column of integers are respondent i. Version 1 has bits alone. In
version 2 there stand, before all columns, the number of columns of integers (8 bytes) and the bytes of one integer of
each (1 or 2, one byte a column), padded to whole words.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

MAGIC = b"CANDORCB"
BITS_ALONE, WITH_INTEGERS = 1, 2
HEADER = struct.Struct(
    "<8sIIQ32sI"
)  # magic, version, columns of bits, n, fingerprint, checksum of all behind
CHECKSUM = struct.Struct("<I")  # of those 60 bytes
START = HEADER.size + CHECKSUM.size
NUMBER = struct.Struct("<Q")  # of columns of integers
WIDTHS = (1, 2)
WORD = 64

Bytes = NDArray[np.uint8]
Integers = NDArray[np.unsignedinteger[Any]]


class DamagedBatch(ValueError):
    """Error for the bytes of a batch that differ from those written."""


class StoredColumns(NamedTuple):
    """The columns of a batch of `n` records with the `fingerprint` of their design.

    `bits`: packed, column x byte. `integers`: the columns of integers. Both include the padding to whole words.
    """

    fingerprint: bytes
    n: int
    bits: Bytes
    integers: Sequence[Integers] = ()

    @property
    def widths(self) -> list[int]:
        """Number of bytes of one integer, for each column of integers."""
        return [column.itemsize for column in self.integers]


def column_bytes(bits: int) -> int:
    """Returns the number of bytes of a column of `bits` bits, padded to whole words of 64 bits."""
    return -(-bits // WORD) * (WORD // 8)


def pad_column(codes: NDArray[Any], width: int) -> Integers:
    """Converts a column to integers of `width` bytes, padded with zeros to whole 64-bit words."""
    column = np.zeros(column_bytes(8 * width * len(codes)) // width, f"<u{width}")
    column[: len(codes)] = codes
    return column


def batch_bytes(batch: StoredColumns) -> bytes:
    """Writes the bytes of a batch: header with checksums, columns of bits, columns of integers."""
    version = WITH_INTEGERS if batch.integers else BITS_ALONE
    columns = (column.tobytes() for column in batch.integers)
    body = b"".join([_integer_layout_bytes(batch.widths), batch.bits.tobytes(), *columns])
    header = HEADER.pack(MAGIC, version, len(batch.bits), batch.n, batch.fingerprint, crc32(body))
    return header + CHECKSUM.pack(crc32(header)) + body


class Header(NamedTuple):
    """The header of a batch: `columns`, number of columns of bits; `n`, of records; `checksum`, of all that follows."""

    version: int
    columns: int
    n: int
    fingerprint: bytes
    checksum: int


def read_header(view: memoryview) -> Header:
    """Reads and checks the header of a batch of records; raises `DamagedBatch` if it is damaged."""
    if len(view) < START:
        raise DamagedBatch("shorter than a header")
    magic, *values = HEADER.unpack_from(view)
    header = Header(*values)
    if magic != MAGIC or header.version not in (BITS_ALONE, WITH_INTEGERS):
        raise DamagedBatch("not columns of a version known here")
    if CHECKSUM.unpack_from(view, HEADER.size)[0] != crc32(view[: HEADER.size]):
        raise DamagedBatch("the header was changed")
    return header


def check_batch_bytes(pieces: Iterable[bytes | memoryview]) -> Header:
    """Checks the bytes of a batch, piece by piece; raises `DamagedBatch` for a wrong checksum or length."""
    following = iter(pieces)
    view = memoryview(next(following, b""))
    header, checksum = read_header(view), crc32(view[START:])
    for piece in following:
        checksum = crc32(piece, checksum)
    if checksum != header.checksum:
        raise DamagedBatch("the columns were changed")
    return header


def read_batch(data: bytes | memoryview) -> StoredColumns:
    """Reads the columns of a batch in place: nothing is copied.

    Raises `DamagedBatch` if a checksum or a length is wrong.
    """
    view = memoryview(data)
    version, count, n, fingerprint, checksum = read_header(view)
    body = view[START:]
    if crc32(body) != checksum:
        raise DamagedBatch("the columns were changed")
    widths = _read_bytes_per_integer(body) if version == WITH_INTEGERS else []
    lengths = [count * column_bytes(n), *(column_bytes(8 * width * n) for width in widths)]
    start = len(_integer_layout_bytes(widths))
    if len(body) != start + sum(lengths):
        raise DamagedBatch("the columns were changed")
    stops = start + np.cumsum(lengths)
    bits = np.frombuffer(body[start : stops[0]], np.uint8).reshape(count, column_bytes(n))
    integers = [
        np.frombuffer(body[stop - length : stop], f"<u{width}")
        for width, length, stop in zip(widths, lengths[1:], stops[1:], strict=True)
    ]
    return StoredColumns(fingerprint, n, bits, integers)


def _integer_layout_bytes(widths: Sequence[int]) -> bytes:
    """Writes the number of columns of integers and the bytes of one integer of each, padded to words."""
    if not widths:
        return b""
    return NUMBER.pack(len(widths)) + bytes(widths).ljust(column_bytes(8 * len(widths)), b"\0")


def _read_bytes_per_integer(body: memoryview) -> list[int]:
    """Reads the bytes of one integer of each column of integers, as `_integer_layout_bytes` writes them."""
    if len(body) < NUMBER.size:
        raise DamagedBatch("the columns were changed")
    (number,) = NUMBER.unpack_from(body)
    widths = list(body[NUMBER.size : NUMBER.size + number])
    if not widths or len(widths) < number or not set(widths) <= set(WIDTHS):
        raise DamagedBatch("columns of integers that are not known here")
    return widths


class Slice(NamedTuple):
    """A range of bytes of a stored batch, counted from 0."""

    start: int
    length: int


def batch_slices(count: int, widths: Sequence[int], n: int, start: int, stop: int) -> list[Slice]:
    """Returns for each column of a batch the range of its bytes that holds certain respondents.

    The respondents are start..stop - 1 of `n`; `start` must be at a whole 64-bit word. `count`: number of columns of
    bits; `widths`: bytes of an integer in each column of integers.
    """
    at = START + len(_integer_layout_bytes(widths))
    parts = []
    for bits in (*[1] * count, *(8 * width for width in widths)):
        parts.append(Slice(at + start * bits // 8, column_bytes(bits * (stop - start))))
        at += column_bytes(bits * n)
    return parts
