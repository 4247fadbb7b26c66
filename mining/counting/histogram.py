"""Histogram of answer patterns: each pattern that occurs and how often; for few questions all that counting needs.

A pattern is one integer, mixed-radix over the questions: *not asked* (if possible), *not applicable* (if possible),
then the choices. It is stored for its batches, so that another run over them reads no record.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from mining.counting.paths import hides
from mining.counts import Counts
from privacy.designs import Design, Question, Section
from privacy.records.columns import WORD, Columns, Words

CELLS, MANY_CELLS, MANY_RECORDS = 1 << 16, 1 << 18, 1_000_000
"""The largest number of cells: of 16 yes/no questions, or of 18 from a million records on."""

MOST_DRAWN = 1_000
"""Drawn sets of questions, at most: under rotation each has a table of its own, and every count visits all tables."""

KEY_BITS = 63
CHUNK_WORDS, MERGE_AT = 1 << 10, 1 << 20

HEADER = struct.Struct("<8s32sQ")  # magic and version, fingerprint, patterns
MAGIC = b"CANDORH\x01"

Keys = NDArray[np.uint64]


class Unreadable(ValueError):
    """These bytes are not the histogram that they should be."""


@dataclass(frozen=True)
class Digit:
    """One question in a pattern. Its axis in a table: all records, those to which it applies, then the choices.

    Of two choices the first has no place: it is counted as those to which the question applies, less the second. A
    question without choices has one state for all of its answers.
    """

    rotates: bool
    hides: bool
    choices: int

    @classmethod
    def of(cls, section: Section, question: Question) -> "Digit":
        return cls(section.rotates, hides(question), question.codes)

    @property
    def states(self) -> int:
        return self.rotates + self.hides + max(self.choices, 1)

    @property
    def axis(self) -> int:
        return self.hides + (2 if self.choices == 2 else 1 + self.choices)

    def place(self, code: int) -> int:
        """The place of a choice on the axis; the first of two choices has none."""
        return self.hides + (code if self.choices == 2 else 1 + code)

    @property
    def by_state(self) -> list[int]:
        """The place of each state; 0 where it was not asked or does not apply."""
        answered = [self.place(code) for code in range(self.choices)] or [int(self.hides)]
        return [0] * (self.rotates + self.hides) + answered


def digits(design: Design) -> list[Digit]:
    return [Digit.of(section, question) for section in design.sections for question in section.questions]


def fits(design: Design, n: int, *, all_drawn: bool = False) -> bool:
    """Whether records of this design are counted by a histogram; `all_drawn`: true answers, to all questions."""
    if any(question.scored for question in design.questions):
        # A code of scores would be an axis of hundreds of cells.
        return False
    cells, drawn, states = 1, 1, 1
    for section in design.sections:
        parts = [Digit.of(section, question) for question in section.questions]
        asked = len(parts) if all_drawn else section.asked
        # Of a number that a rule hides no question is drawn.
        first = section.questions[0]
        hidden = first.asked_if_shown and bool(first.show_if)
        cells *= _over_drawn([part.axis for part in parts], asked) + hidden
        drawn *= comb(len(parts), asked) + hidden
        states *= prod(part.states for part in parts)
    most = MANY_CELLS if n >= MANY_RECORDS else CELLS
    return cells <= most and drawn <= MOST_DRAWN and states.bit_length() <= KEY_BITS


def _over_drawn(axes: Sequence[int], asked: int) -> int:
    """The cells of all tables of a section: the sum over its drawn sets of the products of their axes."""
    if asked == len(axes):
        return prod(axes)
    sums = [1] + [0] * asked
    for axis in axes:
        for size in range(asked, 0, -1):
            sums[size] += sums[size - 1] * axis
    return sums[asked]


@dataclass(frozen=True)
class PatternHistogram:
    """`keys` are the patterns in order, `counts` the open and the disguised records with each."""

    design: Design
    keys: Keys
    counts: Counts

    @classmethod
    def of(cls, design: Design, parts: Iterable[Columns]) -> "PatternHistogram":
        whole = cls(design, np.zeros(0, np.uint64), np.zeros((0, 2), np.int64))
        waiting: list[Keys] = []
        for keys in _keys_with_group(design, parts):
            waiting.append(keys)
            if sum(map(len, waiting)) >= MERGE_AT:
                whole = whole + cls._counted(design, waiting)
                waiting.clear()
        return whole + cls._counted(design, waiting) if waiting else whole

    @classmethod
    def _counted(cls, design: Design, waiting: Sequence[Keys]) -> "PatternHistogram":
        keys, counts = np.unique(np.concatenate(waiting), return_counts=True)
        patterns, places = np.unique(keys >> np.uint64(1), return_inverse=True)
        table = np.zeros((len(patterns), 2), np.int64)
        table[places, (keys & np.uint64(1)).astype(np.intp)] = counts
        return cls(design, patterns, table)

    def __add__(self, other: "PatternHistogram") -> "PatternHistogram":
        if not len(self.keys):
            return other
        keys, places = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        counts = np.zeros((len(keys), 2), np.int64)
        counts[places[: len(self.keys)]] = self.counts
        counts[places[len(self.keys) :]] += other.counts
        return PatternHistogram(self.design, keys, counts)

    @cached_property
    def states(self) -> NDArray[np.uint16]:
        """Question by pattern: the state of the question in the pattern."""
        table = np.empty((len(self.design.questions), len(self.keys)), np.uint16)
        rest = self.keys
        for row, digit in zip(table, digits(self.design), strict=True):
            rest, row[:] = np.divmod(rest, np.uint64(digit.states))
        return table

    def to_bytes(self) -> bytes:
        header = HEADER.pack(MAGIC, bytes.fromhex(self.design.fingerprint), len(self.keys))
        return header + zlib.compress(
            self.keys.astype("<u8").tobytes() + self.counts.astype("<i8").tobytes(), 1
        )

    @classmethod
    def from_bytes(cls, design: Design, data: bytes | memoryview) -> "PatternHistogram":
        if len(data) < HEADER.size:
            raise Unreadable("shorter than a header")
        magic, fingerprint, size = HEADER.unpack_from(data)
        if magic != MAGIC or fingerprint.hex() != design.fingerprint:
            raise Unreadable("not a histogram of this design")
        try:
            body = zlib.decompress(data[HEADER.size :])
        except zlib.error as error:
            raise Unreadable(str(error)) from None
        if len(body) != size * 24:
            raise Unreadable("cut short")
        numbers = np.frombuffer(body, "<i8")
        return cls(design, numbers[:size].view("<u8"), numbers[size:].reshape(size, 2))


def _keys_with_group(design: Design, parts: Iterable[Columns]) -> Iterator[Keys]:
    """The patterns of all records, a chunk at a time, with the group as the lowest bit."""
    for part in parts:
        for start in range(0, len(part.disguised), CHUNK_WORDS):
            chunk = slice(start, start + CHUNK_WORDS)
            n = min(part.n - start * WORD, CHUNK_WORDS * WORD)
            yield _keys(design, part, chunk, n) * np.uint64(2) + _bits(part.disguised[chunk], n)


def _keys(design: Design, part: Columns, chunk: slice, n: int) -> Keys:
    # Each state is a sum of bits: asked, applicable, and the code times whether it is the one chosen.
    keys: Keys = np.zeros(n, np.uint64)
    stride = 1
    for index, digit in enumerate(digits(design)):
        weighted = [(code, part.choice(index, code)) for code in range(1, digit.choices)]
        weighted += [(1, part.asked(index))] * digit.rotates + [(1, part.answered(index))] * digit.hides
        for weight, words in weighted:
            keys += _bits(words[chunk], n) * np.uint64(weight * stride)
        stride *= digit.states
    return keys


def _bits(words: Words, n: int) -> NDArray[np.uint8]:
    return np.unpackbits(words.view(np.uint8), count=n, bitorder="little")
