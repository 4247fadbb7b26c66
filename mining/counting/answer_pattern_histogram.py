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

from mining.counting.queries_to_column_paths import ColumnNumbering, can_be_hidden
from mining.queries_and_counters import NONE, Counts, Numbers, Queries, Query, as_queries
from privacy.designs import Design, Question, Section
from privacy.records.batch_bit_columns import WORD, Columns, unpack_bits

CELLS, MANY_CELLS, MANY_RECORDS = 1 << 16, 1 << 18, 1_000_000
"""Largest number of cells of a histogram: 16 yes/no questions, or 18 from a million records on."""

MOST_DRAWN = 1_000
"""Largest number of drawn question sets: under rotation each set has its own table, and every count visits all
tables."""

KEY_BITS = 63
CHUNK_WORDS, MERGE_AT = 1 << 10, 1 << 20

HEADER = struct.Struct("<8s32sQ")  # magic and version, fingerprint, patterns
MAGIC = b"CANDORH\x01"

Keys = NDArray[np.uint64]


class UnreadableHistogram(ValueError):
    """Raised for bytes that are not a valid stored histogram."""


@dataclass(frozen=True)
class Digit:
    """One question as a digit of the pattern number, with its axis in a table of counts.

    The digit's states are *not asked* and *not applicable* where these can occur, then the choices. The axis
    counts all records, the records to which the question applies, then those of each choice. The first of two
    choices has no place on the axis: its count is the difference of the others. A question without choices has
    one state for all its answers.
    """

    rotates: bool
    hides: bool
    choices: int

    @classmethod
    def for_question(cls, section: Section, question: Question) -> "Digit":
        return cls(section.rotates, can_be_hidden(question), question.codes)

    @property
    def state_count(self) -> int:
        return self.rotates + self.hides + max(self.choices, 1)

    @property
    def axis_length(self) -> int:
        return self.hides + (2 if self.choices == 2 else 1 + self.choices)

    def axis_index(self, code: int) -> int:
        """Returns the position of a choice on the axis; the first of two choices has none."""
        return self.hides + (code if self.choices == 2 else 1 + code)

    @property
    def axis_index_by_state(self) -> list[int]:
        """Position on the axis of each state; 0 for *not asked* and *not applicable*."""
        answered = [self.axis_index(code) for code in range(self.choices)] or [int(self.hides)]
        return [0] * (self.rotates + self.hides) + answered


def pattern_digits(design: Design) -> list[Digit]:
    """Returns the layout of the pattern number: for each question of the design the digit that stands for it."""
    return [
        Digit.for_question(section, question) for section in design.sections for question in section.questions
    ]


def fits_in_histogram(design: Design, n: int, *, all_drawn: bool = False) -> bool:
    """Returns True if a histogram of answer patterns is small enough to count `n` records of this design.

    `all_drawn`: the records hold true answers to all questions, also to those that a device would not draw.
    """
    if any(question.scored for question in design.questions):
        # A code of scores would be an axis of hundreds of cells.
        return False
    cells, drawn, states = 1, 1, 1
    for section in design.sections:
        single = sum(question.codes < 2 for question in section.questions)
        # Every other question that is asked has two cells at least.
        if 1 << max(section.asked - single, 0) > MANY_CELLS:
            return False
        parts = [Digit.for_question(section, question) for question in section.questions]
        asked = len(parts) if all_drawn else section.asked
        # Of a number that a rule hides no question is drawn.
        first = section.questions[0]
        hidden = first.asked_if_shown and bool(first.show_if)
        cells *= _count_cells_of_section([part.axis_length for part in parts], asked) + hidden
        drawn *= comb(len(parts), asked) + hidden
        states *= prod(part.state_count for part in parts)
    most = MANY_CELLS if n >= MANY_RECORDS else CELLS
    return cells <= most and drawn <= MOST_DRAWN and states.bit_length() <= KEY_BITS


def _count_cells_of_section(axes: Sequence[int], asked: int) -> int:
    """Returns the number of cells in all count tables of a section.

    This is the sum, over all subsets of `asked` questions, of the product of their axis lengths (`axes`).
    """
    if asked == len(axes):
        return prod(axes)
    sums = [1] + [0] * asked
    for axis in axes:
        for size in range(asked, 0, -1):
            sums[size] += sums[size - 1] * axis
    return sums[asked]


@dataclass(frozen=True)
class PatternHistogram:
    """Distinct answer patterns with their frequencies: `keys` are pattern numbers in order, `counts` open and disguised
    records."""

    design: Design
    keys: Keys
    counts: Counts

    @classmethod
    def count_records(cls, design: Design, parts: Iterable[Columns]) -> "PatternHistogram":
        whole = cls(design, np.zeros(0, np.uint64), np.zeros((0, 2), np.int64))
        waiting: list[Keys] = []
        for keys in _pattern_keys_with_group(design, parts):
            waiting.append(keys)
            if sum(map(len, waiting)) >= MERGE_AT:
                whole = whole + cls._from_keys(design, waiting)
                waiting.clear()
        return whole + cls._from_keys(design, waiting) if waiting else whole

    @classmethod
    def _from_keys(cls, design: Design, key_chunks: Sequence[Keys]) -> "PatternHistogram":
        keys, counts = np.unique(np.concatenate(key_chunks), return_counts=True)
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
    def state_by_pattern(self) -> NDArray[np.uint16]:
        """State of each question in each pattern: question by pattern."""
        table = np.empty((len(self.design.questions), len(self.keys)), np.uint16)
        rest = self.keys
        for row, digit in zip(table, pattern_digits(self.design), strict=True):
            rest, row[:] = np.divmod(rest, np.uint64(digit.state_count))
        return table

    def to_bytes(self) -> bytes:
        header = HEADER.pack(MAGIC, bytes.fromhex(self.design.fingerprint), len(self.keys))
        return header + zlib.compress(
            self.keys.astype("<u8").tobytes() + self.counts.astype("<i8").tobytes(), 1
        )

    @classmethod
    def from_bytes(cls, design: Design, data: bytes | memoryview) -> "PatternHistogram":
        if len(data) < HEADER.size:
            raise UnreadableHistogram("shorter than a header")
        magic, fingerprint, size = HEADER.unpack_from(data)
        if magic != MAGIC or fingerprint.hex() != design.fingerprint:
            raise UnreadableHistogram("not a histogram of this design")
        try:
            body = zlib.decompress(data[HEADER.size :])
        except zlib.error as error:
            raise UnreadableHistogram(str(error)) from None
        if len(body) != size * 24:
            raise UnreadableHistogram("cut short")
        numbers = np.frombuffer(body, "<i8")
        return cls(design, numbers[:size].view("<u8"), numbers[size:].reshape(size, 2))


def _pattern_keys_with_group(design: Design, parts: Iterable[Columns]) -> Iterator[Keys]:
    """Yields the pattern numbers of all records, a chunk at a time, with the group as the lowest bit."""
    for part in parts:
        for start in range(0, len(part.disguised), CHUNK_WORDS):
            chunk = slice(start, start + CHUNK_WORDS)
            n = min(part.n - start * WORD, CHUNK_WORDS * WORD)
            yield _pattern_keys(design, part, chunk, n) * np.uint64(2) + unpack_bits(part.disguised[chunk], n)


def _pattern_keys(design: Design, part: Columns, chunk: slice, n: int) -> Keys:
    # Each state is a sum of bits: asked, applicable, and the code times whether it is the one chosen.
    keys: Keys = np.zeros(n, np.uint64)
    stride = 1
    for index, digit in enumerate(pattern_digits(design)):
        weighted = [(code, part.choice(index, code)) for code in range(1, digit.choices)]
        weighted += [(1, part.asked(index))] * digit.rotates + [(1, part.answered(index))] * digit.hides
        for weight, words in weighted:
            keys += unpack_bits(words[chunk], n) * np.uint64(weight * stride)
        stride *= digit.state_count
    return keys


# --- histogram counter
# Counts from a histogram: one table per drawn set of questions, summed over supersets once, then looked up.


@dataclass(frozen=True)
class CountTable:
    """Counts of the records whose device drew the questions `drawn` (a bit for each rotating question).

    The count of a path is `counts[offsets[path].sum()]`. `offsets` has an entry for each column and ends with a
    0, for NONE.
    """

    drawn: int
    offsets: NDArray[np.intp]
    counts: Counts


@dataclass(frozen=True)
class HistogramCounter:
    """Counter that counts queries from a histogram of answer patterns, without the records.

    `withheld`: the records hold neither plain answers nor places, so every query that touches one counts 0.
    """

    histogram: PatternHistogram
    withheld: bool = False

    @property
    def design(self) -> Design:
        return self.histogram.design

    @cached_property
    def n(self) -> tuple[int, int]:
        n_open, n_disguised = self.histogram.counts.sum(axis=0).tolist()
        return n_open, n_disguised

    @cached_property
    def column_numbering(self) -> ColumnNumbering:
        return ColumnNumbering(self.design)

    @cached_property
    def tables(self) -> list[CountTable]:
        return _make_tables(self.histogram, self.column_numbering)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        paths = self.column_numbering.column_paths(asked)
        nobody = _is_contradictory(self.column_numbering, paths)
        paths[nobody] = NONE
        signed = _rewrite_first_choices(self.column_numbering, paths)
        path_counts = self._look_up_counts(signed.paths) * signed.signs[:, None]
        counts = np.zeros((len(asked), 2), np.int64)
        np.add.at(counts, signed.origins, path_counts)
        if self.withheld:
            nobody |= self.column_numbering.touches_withheld(asked)
        counts[nobody] = 0
        return counts

    def _look_up_counts(self, paths: Numbers) -> Counts:
        """Returns the open and disguised counts of `paths`, read from the tables."""
        needs = _rotating_questions_needed(self.column_numbering, paths)
        counts = np.zeros((len(paths), 2), np.int64)
        for table in self.tables:
            rows = np.flatnonzero(needs & ~np.uint64(table.drawn) == 0)
            counts[rows] += table.counts[table.offsets[paths[rows]].sum(axis=1)]
        return counts


@dataclass(frozen=True)
class SignedPaths:
    """Paths whose counts, added or subtracted by sign, give the counts of the original paths.

    The count of original path i is the sum of `signs` times counts over the rows whose `origins` is i.
    """

    paths: Numbers
    origins: NDArray[np.intp]
    signs: NDArray[np.int64]


def _rewrite_first_choices(kinds: ColumnNumbering, paths: Numbers) -> SignedPaths:
    """Replaces the first of two choices in each path, which the tables do not count.

    Its count is that of the records to which the question applies, less that of the second choice.
    """
    first, instead = _first_choice_columns(kinds)
    signed = SignedPaths(paths.copy(), np.arange(len(paths)), np.ones(len(paths), np.int64))
    for index in range(paths.shape[1]):
        rows = np.flatnonzero(first[signed.paths[:, index]])
        less = signed.paths[rows].copy()
        signed.paths[rows, index] = instead[less[:, index]]
        less[:, index] += 1
        signed = SignedPaths(
            np.concatenate([signed.paths, less]),
            np.concatenate([signed.origins, signed.origins[rows]]),
            np.concatenate([signed.signs, -signed.signs[rows]]),
        )
    return signed


def _first_choice_columns(kinds: ColumnNumbering) -> tuple[NDArray[np.bool_], Numbers]:
    """Returns two arrays by column (NONE last): whether it is the first of two choices, and the column to count
    instead."""
    first = np.zeros(kinds.column_count + 1, np.bool_)
    instead = np.full(kinds.column_count + 1, NONE, np.int32)
    for question, start in enumerate(kinds.numbering.first[:-1]):
        if not kinds.numbering.sizes[question]:
            continue
        column = kinds.item_column(int(start))
        first[column] = np.diff(kinds.numbering.first)[question] == 2
        if kinds.hideable_mask[question]:
            instead[column] = kinds.applies_column(question)
        elif kinds.rotating_mask[question]:
            instead[column] = kinds.asked_column(question)
    return first, instead


def _rotating_questions_needed(kinds: ColumnNumbering, paths: Numbers) -> NDArray[np.uint64]:
    """Returns, for each path, the rotating questions that a record's device must have drawn, as a mask of bits."""
    bit = np.zeros(kinds.question_count, np.uint64)
    rotating = np.flatnonzero(kinds.rotating_mask)
    bit[rotating] = np.uint64(1) << np.arange(len(rotating), dtype=np.uint64)
    bit_of = np.concatenate([bit[kinds.question_by_column], [np.uint64(0)]])
    needs: NDArray[np.uint64] = np.bitwise_or.reduce(bit_of[paths], axis=1, initial=np.uint64(0))
    return needs


def _is_contradictory(kinds: ColumnNumbering, paths: Numbers) -> NDArray[np.bool_]:
    """Returns True for paths that require two choices of one question, which no record has.

    The columns of a question are neighbours in a path.
    """
    question = np.append(kinds.question_by_column, NONE)[paths]
    is_item = (paths >= kinds.item_column(0)) & (paths != NONE)
    both = is_item[:, 1:] & is_item[:, :-1] & (question[:, 1:] == question[:, :-1])
    return np.asarray(both.any(axis=1), np.bool_)


def _make_tables(histogram: PatternHistogram, kinds: ColumnNumbering) -> list[CountTable]:
    """Returns one table of counts for each set of questions that some device drew."""
    of_questions = pattern_digits(histogram.design)
    states = histogram.state_by_pattern
    drawn = np.zeros(len(histogram.keys), np.uint64)
    for bit, question in enumerate(np.flatnonzero(kinds.rotating_mask)):
        drawn |= (states[question] > 0).astype(np.uint64) << np.uint64(bit)
    tables = []
    for mask in np.unique(drawn):
        rows = np.flatnonzero(drawn == mask)
        answered = np.ones(kinds.question_count, np.bool_)
        answered[kinds.rotating_mask] = (int(mask) >> np.arange(kinds.rotating_mask.sum())) & 1
        questions = np.flatnonzero(answered).tolist()
        tables.append(
            _make_table(int(mask), kinds, of_questions, questions, states[:, rows], histogram.counts[rows])
        )
    return tables


def _make_table(
    drawn: int,
    kinds: ColumnNumbering,
    of_questions: Sequence[Digit],
    questions: Sequence[int],
    states: NDArray[np.uint16],
    counts: Counts,
) -> CountTable:
    offsets = np.zeros(kinds.column_count + 1, np.intp)
    cells = np.zeros(states.shape[1], np.intp)
    stride = 1
    for question in reversed(questions):
        digit = of_questions[question]
        first = kinds.item_column(int(kinds.numbering.first[question]))
        offsets[kinds.applies_column(question)] = digit.hides * stride
        places = np.array([digit.axis_index(code) for code in range(digit.choices)], np.intp)
        offsets[first : first + digit.choices] = places * stride
        # Place 0 is *not applicable* here; `_sum_contained_cells` makes it all records.
        cells += np.array(digit.axis_index_by_state, np.intp)[states[question]] * stride
        stride *= digit.axis_length
    table = np.zeros((stride, 2), np.int64)
    table[cells] = counts
    _sum_contained_cells(table, [of_questions[question] for question in questions])
    return CountTable(drawn, offsets, table)


def _sum_contained_cells(table: Counts, axes: Sequence[Digit]) -> None:
    """Adds to each cell, in place and axis by axis, the cells it contains: *all records* contains those of each state,
    *applies* those of each choice."""
    inner = len(table)
    for digit in axes:
        inner //= digit.axis_length
        view = table.reshape(-1, digit.axis_length, inner, 2)
        applies = int(digit.hides)
        view[:, applies] += view[:, applies + 1 :].sum(axis=1)
        if digit.hides:
            view[:, 0] += view[:, 1]
