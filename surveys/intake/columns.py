"""The columns of a batch: one bit per respondent and fact, packed, to be counted where they lie.

64 bytes of header, then one column after the other, each padded with zeros to whole 64-bit words; bit i of a
column (least significant first) is respondent i. In this order: the group (1 = disguised), then for every
question of the design

* *asked*, where its section rotates;
* *applicable*, where a rule can hide it: asked and not hidden, so that it has an answer;
* its choices. Where there are two, only the second: the others who answered chose the first.

So forty yes/no questions take 41 bits a respondent. Sections of numbers and places will add columns of small
unsigned integers behind the bits.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design
from privacy.kinds.codes import Codes

MAGIC, VERSION = b"CANDORCB", 1
HEADER = struct.Struct("<8sIIQ32sI")  # magic, version, columns, n, fingerprint, checksum of the columns
CHECKSUM = struct.Struct("<I")  # of those 60 bytes
START = HEADER.size + CHECKSUM.size
WORD = 64

Words = NDArray[np.uint64]


class Damaged(ValueError):
    """These bytes are not the columns that they should be."""


class Places(NamedTuple):
    """Which columns belong to one question; None where none is stored."""

    asked: int | None
    applicable: int | None
    choices: tuple[int | None, ...]


def places(design: Design) -> tuple[list[Places], int]:
    """The columns of every question, and how many there are in all."""
    found: list[Places] = []
    count = 1
    for section in design.sections:
        for question in section.questions:
            asked = count if section.rotates else None
            applicable = count + section.rotates if question.show_if else None
            count += section.rotates + bool(question.show_if)
            derived = int(question.codes == 2)
            stored = range(count, count + question.codes - derived)
            count = stored.stop
            found.append(Places(asked, applicable, (None,) * derived + tuple(stored)))
    return found, count


@dataclass(frozen=True, slots=True)
class Columns:
    """Open columns. All that it gives are words whose bits past the last respondent are 0."""

    design: Design
    n: int
    words: Words
    places: list[Places]

    @property
    def everyone(self) -> Words:
        full = np.full(self.words.shape[1], ~np.uint64(0))
        if self.n % WORD:
            full[-1] = (1 << self.n % WORD) - 1
        return full

    @property
    def disguised(self) -> Words:
        return self._column(0)

    def asked(self, question: int) -> Words:
        """Respondents whose device drew the question."""
        column = self.places[question].asked
        return self.everyone if column is None else self._column(column)

    def answered(self, question: int) -> Words:
        """Respondents who were asked it and to whom it applies."""
        column = self.places[question].applicable
        return self.asked(question) if column is None else self._column(column)

    def choice(self, question: int, code: int) -> Words:
        """Whose record has this choice."""
        column = self.places[question].choices[code]
        if column is not None:
            return self._column(column)
        return self.answered(question) & ~self.choice(question, 1)

    def _column(self, place: int) -> Words:
        column: Words = self.words[place]
        return column


def pack(design: Design, group: NDArray[np.uint8], codes: Codes) -> bytes:
    """The columns of these records, in this order."""
    where, count = places(design)
    bits = np.zeros((count, len(group)), np.bool_)
    bits[0] = group
    for question, place, row in zip(design.questions, where, codes, strict=True):
        if place.asked is not None:
            bits[place.asked] = row != question.not_asked
        if place.applicable is not None:
            bits[place.applicable] = row < question.codes
        for code, column in enumerate(place.choices):
            if column is not None:
                bits[column] = row == code
    return _written(bytes.fromhex(design.fingerprint), _packed(bits), len(group))


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint8]:
    count, n = bits.shape
    packed = np.zeros((count, _stride(n)), np.uint8)
    packed[:, : -(-n // 8)] = np.packbits(bits, axis=1, bitorder="little")
    return packed


def _stride(n: int) -> int:
    """Bytes of one column of n bits."""
    return -(-n // WORD) * (WORD // 8)


def _written(fingerprint: bytes, packed: NDArray[np.uint8], n: int) -> bytes:
    body = packed.tobytes()
    header = HEADER.pack(MAGIC, VERSION, len(packed), n, fingerprint, crc32(body))
    return header + CHECKSUM.pack(crc32(header)) + body


def _read(data: bytes | memoryview) -> tuple[bytes, int, int, memoryview]:
    """Fingerprint, number of columns and of records, and the columns; `Damaged` if anything is not as written."""
    view = memoryview(data)
    if len(view) < START:
        raise Damaged("shorter than a header")
    magic, version, count, n, fingerprint, checksum = HEADER.unpack_from(view)
    if magic != MAGIC or version != VERSION:
        raise Damaged("not columns of a version known here")
    if CHECKSUM.unpack_from(view, HEADER.size)[0] != crc32(view[: HEADER.size]):
        raise Damaged("the header was changed")
    body = view[START:]
    if len(body) != count * _stride(n) or crc32(body) != checksum:
        raise Damaged("the columns were changed")
    return fingerprint, count, n, body


def read(design: Design, data: bytes | memoryview) -> Columns:
    """Open the columns of a batch in place: nothing is copied."""
    fingerprint, count, n, body = _read(data)
    where, expected = places(design)
    if fingerprint.hex() != design.fingerprint or count != expected:
        raise Damaged("columns of another design")
    return Columns(design, n, np.frombuffer(body, "<u8").reshape(count, _stride(n) // 8), where)


class Slice(NamedTuple):
    """These bytes of a batch, counted from 0."""

    start: int
    length: int


def slices(design: Design, n: int, start: int, stop: int) -> list[Slice]:
    """Where the respondents start..stop stand in a batch of n: in every column once. `start` is at a whole word."""
    _, count = places(design)
    length = _stride(stop - start)
    return [Slice(START + column * _stride(n) + start // 8, length) for column in range(count)]


def decoded(design: Design, n: int, cut: Sequence[bytes | memoryview]) -> Columns:
    """The columns from the bytes at `slices`, of n respondents. Without a checksum."""
    where, count = places(design)
    words = np.frombuffer(b"".join(cut), "<u8")
    if len(words) != count * _stride(n) // 8:
        raise Damaged("the columns were changed")
    return Columns(design, n, words.reshape(count, -1), where)


def unpack(columns: Columns) -> tuple[NDArray[np.uint8], Codes]:
    """Group and codes of every record, in the order in which they are stored."""
    questions = columns.design.questions
    most = max(question.not_applicable for question in questions)
    codes = np.empty((len(questions), columns.n), np.min_scalar_type(most))
    for place, (question, row) in enumerate(zip(questions, codes, strict=True)):
        row[:] = question.not_asked
        row[_bits(columns.asked(place), columns.n)] = question.not_applicable
        for code in range(question.codes):
            row[_bits(columns.choice(place, code), columns.n)] = code
    return _bits(columns.disguised, columns.n).astype(np.uint8), codes


def _bits(words: Words, n: int) -> NDArray[np.bool_]:
    return np.unpackbits(words.view(np.uint8), count=n, bitorder="little").view(np.bool_)


def merge(parts: Sequence[bytes | memoryview], order: NDArray[np.intp]) -> bytes:
    """One batch of the records of several, of one design: respondent i of it is number order[i] of all."""
    fingerprint, count, _, _ = _read(parts[0])
    bodies = []
    for part in parts:
        of, columns, n, body = _read(part)
        if (of, columns) != (fingerprint, count):
            raise Damaged("columns of two designs")
        bodies.append((n, np.frombuffer(body, np.uint8).reshape(count, _stride(n))))
    n = sum(n for n, _ in bodies)
    packed = np.zeros((count, _stride(n)), np.uint8)
    # A column at a time, since unpacked bits take eight times their room.
    for column in range(count):
        bits = np.concatenate([np.unpackbits(body[column], count=n, bitorder="little") for n, body in bodies])
        packed[column, : -(-n // 8)] = np.packbits(bits[order], bitorder="little")
    return _written(fingerprint, packed, n)
