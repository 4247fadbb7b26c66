"""The columns of a batch: one bit per respondent and fact, packed, so that counting needs no decoding.

First the group (1 = disguised), then for every question of the design as mining sees it (`Design.mined`)

* *asked*, where its section rotates;
* *applicable*, where a rule can hide it: asked and not hidden, so that it has an answer;
* its choices. Where there are two, only the second: the others who answered chose the first.

So forty yes/no questions take 41 bits a respondent. After all bits a number has a column of unsigned integers
of 1 or 2 bytes: its codes, *not applicable* included (by `window` it has *applicable* among the bits, too). A
place has only such a column, of its cells; the bits of its regions are made when needed. `batch_bytes`
defines the bytes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design, Question
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.score_table_by_law import find_score_table
from privacy.records import batch_bytes
from privacy.records.batch_bytes import (
    WORD,
    Bytes,
    DamagedBatch,
    Integers,
    Slice,
    StoredColumns,
    column_bytes,
    pad_column,
)
from privacy.records.mined_code_conversion import mined_codes_of_question, mined_codes_per_question
from privacy.records.record import OPEN

__all__ = [
    "WORD",
    "Columns",
    "DamagedBatch",
    "Slice",
    "Words",
    "choice_or_not_applicable",
    "columns_from_bytes",
    "filter_records",
    "pack_batch",
    "unpack_bits",
    "unpack_columns",
]

Words = NDArray[np.uint64]
ANSWERED = -1


class QuestionColumns(NamedTuple):
    """Indexes of a question's columns of bits in a batch; None: no such column is stored."""

    asked: int | None
    applicable: int | None
    choices: tuple[int | None, ...]


def question_columns(design: Design) -> tuple[list[QuestionColumns], int]:
    """Returns where each question has its columns of bits in a batch, and the number of all these columns."""
    layout: list[QuestionColumns] = []
    count = 1
    for section in design.mined.sections:
        for question in section.questions:
            if question.scored:
                layout.append(QuestionColumns(None, None, ()))
                continue
            if _has_computed_columns(design, question):
                layout.append(QuestionColumns(None, None, (None,) * question.codes))
                continue
            asked = count if section.rotates else None
            applicable = count + section.rotates if question.show_if else None
            count += section.rotates + bool(question.show_if)
            derived = int(question.codes == 2)
            stored = range(count, count + question.codes - derived)
            count = stored.stop
            layout.append(QuestionColumns(asked, applicable, (None,) * derived + tuple(stored)))
    return layout, count


def _has_computed_columns(design: Design, question: Question) -> bool:
    """Returns True if a question's columns of bits are computed from its column of integers.

    False if mining uses the design unchanged (true answers, simulations).
    """
    return question.made_of_integers and design.mined is not design


def integer_bytes_by_question(design: Design) -> dict[int, int]:
    """Returns the bytes of one integer for each question that is stored as integers, by question index."""
    questions = enumerate(design.questions)
    return {
        index: np.min_scalar_type(question.not_applicable).itemsize
        for index, question in questions
        if question.stored_as_integers
    }


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a batch of `n` records, opened in place.

    Words are of 64 bits, a bit for each respondent; bits past the last respondent are 0. Questions have the same index
    in `design` and in `design.mined`. `words`: column x word. `integers`: codes of numbers and places, by question.
    """

    design: Design
    n: int
    words: Words
    places: list[QuestionColumns]
    integers: Mapping[int, Integers] = field(default_factory=dict)
    _made: dict[int, Words] = field(default_factory=dict, repr=False, compare=False)

    @property
    def everyone_bits(self) -> Words:
        """A set bit for each respondent."""
        full = np.full(self.words.shape[1], ~np.uint64(0))
        if self.n % WORD:
            full[-1] = (1 << self.n % WORD) - 1
        return full

    @property
    def disguised(self) -> Words:
        """A bit for each respondent: set in the disguised group."""
        return self._bit_column(0)

    def asked(self, question: int) -> Words:
        """Returns a bit for each respondent: set if the device drew the question."""
        if self._is_made_of_integers(question):
            return self._region_bits(question, ANSWERED)
        if self.design.mined.questions[question].scored:
            return self._scored_bits(question)
        column = self.places[question].asked
        return self.everyone_bits if column is None else self._bit_column(column)

    def answered(self, question: int) -> Words:
        """Returns a bit for each respondent: set if the question was asked and no rule hides it."""
        if self._is_made_of_integers(question):
            return self._region_bits(question, ANSWERED)
        column = self.places[question].applicable
        return self.asked(question) if column is None else self._bit_column(column)

    def _scored_bits(self, question: int) -> Words:
        """Returns a bit for each respondent: set if the code of the answer has scores for the items."""
        if question not in self._made:
            mined_question = self.design.mined.questions[question]
            scored = self.integer_codes(question) < len(find_score_table(mined_question).scores)
            self._made[question] = _pack_bits(scored).view("<u8")
        words: Words = self._made[question]
        return words

    def choice(self, question: int, code: int) -> Words:
        """Returns a bit for each respondent: set if the record has this choice of the question."""
        if self._is_made_of_integers(question):
            return self._region_bits(question, code)
        column = self.places[question].choices[code]
        if column is not None:
            return self._bit_column(column)
        return self.answered(question) & ~self.choice(question, 1)

    def integer_codes(self, question: int) -> Integers:
        """Returns the answer code of every respondent for a question about a number or a place."""
        return self.integers[question][: self.n]

    def _is_made_of_integers(self, question: int) -> bool:
        """Returns True if the question's columns of bits are computed from its column of integers."""
        return _has_computed_columns(self.design, self.design.mined.questions[question])

    def _region_bits(self, question: int, region: int) -> Words:
        """Returns a bit for each respondent: set if the answer about a place lies in one region.

        `region`: index of the region, or the number of regions for all who answered. Computes all rows at once.
        """
        if question not in self._made:
            choices = self.design.mined.questions[question].codes
            items = mined_codes_of_question(self.design.questions[question], self.integer_codes(question))
            bits = np.empty((choices + 1, column_bytes(self.n)), np.uint8)
            # A column at a time, since unpacked bits take eight times their room.
            for code, column in enumerate(bits):
                column[:] = _pack_bits(items == code if code < choices else items < choices)
            self._made[question] = bits.view("<u8")
        made: Words = self._made[question][region]
        return made

    def _bit_column(self, index: int) -> Words:
        column: Words = self.words[index]
        return column


def pack_batch(design: Design, group: NDArray[np.uint8], codes: Codes) -> bytes:
    """Packs records into the bytes of a batch; `group`: by record; `codes`: question x record."""
    where, count = question_columns(design)
    # A column at a time: its bits stay in the processor's own cache until they are packed.
    bits = np.zeros((count, column_bytes(len(group))), np.uint8)
    bits[0] = _pack_bits(group != OPEN)
    for question, index, row in zip(
        design.mined.questions, where, mined_codes_per_question(design, codes), strict=True
    ):
        if index.asked is not None:
            bits[index.asked] = _pack_bits(row != question.not_asked)
        if index.applicable is not None:
            bits[index.applicable] = _pack_bits(
                row < question.codes if index.choices else row != question.not_applicable
            )
        for code, column in enumerate(index.choices):
            if column is not None:
                bits[column] = _pack_bits(row == code)
    integers = [pad_column(codes[index], width) for index, width in integer_bytes_by_question(design).items()]
    fingerprint = bytes.fromhex(design.fingerprint)
    return batch_bytes.batch_bytes(StoredColumns(fingerprint, len(group), bits, integers))


def _pack_bits(bits: NDArray[np.bool_]) -> Bytes:
    """Packs a column of bits, padded to whole words."""
    packed = np.zeros(column_bytes(len(bits)), np.uint8)
    packed[: -(-len(bits) // 8)] = np.packbits(bits, bitorder="little")
    return packed


def columns_from_bytes(design: Design, data: bytes | memoryview) -> Columns:
    """Returns the columns of a batch from its bytes, without copying them."""
    stored = batch_bytes.read_batch(data)
    where, expected = question_columns(design)
    bytes_of = integer_bytes_by_question(design)
    if stored.fingerprint.hex() != design.fingerprint or len(stored.bits) != expected:
        raise DamagedBatch("columns of another design")
    if stored.widths != list(bytes_of.values()):
        raise DamagedBatch("columns of integers of another design")
    integers = dict(zip(bytes_of, stored.integers, strict=True))
    return Columns(design, stored.n, stored.bits.view("<u8"), where, integers)


def check_batch(design: Design, n: int, pieces: Iterable[bytes | memoryview]) -> None:
    """Raises `DamagedBatch` unless the bytes in `pieces` are a batch of n records of this design."""
    header = batch_bytes.check_batch_bytes(pieces)
    if header.fingerprint.hex() != design.fingerprint or header.columns != question_columns(design)[1]:
        raise DamagedBatch("columns of another design")
    if header.n != n:
        raise DamagedBatch("columns of other records")


def bits_per_respondent(design: Design) -> int:
    """Returns how many bits one record takes in a batch, in all columns together."""
    return question_columns(design)[1] + 8 * sum(integer_bytes_by_question(design).values())


def column_slices(design: Design, n: int, start: int, stop: int) -> list[Slice]:
    """Returns for each column of a batch the range of bytes that holds the respondents start..stop - 1."""
    _, count = question_columns(design)
    return batch_bytes.batch_slices(count, list(integer_bytes_by_question(design).values()), n, start, stop)


def columns_from_slices(design: Design, n: int, cut: Sequence[bytes | memoryview]) -> Columns:
    """Returns the columns of n respondents from the bytes that `column_slices` names; checks no checksum."""
    where, count = question_columns(design)
    words = np.frombuffer(b"".join(cut[:count]), "<u8")
    integers = {
        index: np.frombuffer(column, f"<u{width}")
        for (index, width), column in zip(integer_bytes_by_question(design).items(), cut[count:], strict=True)
    }
    if len(words) != count * column_bytes(n) // 8 or any(len(column) < n for column in integers.values()):
        raise DamagedBatch("the columns were changed")
    return Columns(design, n, words.reshape(count, -1), where, integers)


def unpack_columns(*parts: Columns) -> tuple[NDArray[np.uint8], Codes]:
    """Returns the group and the codes (question x record) of every record, in the stored order."""
    group, questions = unpack_groups(parts), parts[0].design.questions
    most = max(question.not_applicable for question in questions)
    codes = np.empty((len(questions), len(group)), np.min_scalar_type(most))
    for index, row in enumerate(codes):
        row[:] = unpack_question(parts, index)
    return group, codes


def unpack_groups(parts: Sequence[Columns]) -> NDArray[np.uint8]:
    return np.concatenate([unpack_bits(part.disguised, part.n) for part in parts]).astype(np.uint8)


def unpack_question(parts: Sequence[Columns], index: int) -> Codes:
    """Returns the answer code of every record for one question, in the stored order."""
    return np.concatenate([_unpack_question_of_part(part, index) for part in parts])


def _unpack_question_of_part(columns: Columns, index: int) -> Codes:
    question = columns.design.questions[index]
    if question.stored_as_integers:
        return columns.integer_codes(index)
    # Added, since assigning by a mask takes longer by far. A record has one choice at most, and was asked then;
    # unsigned integers wrap around.
    row = np.full(columns.n, question.not_asked, np.min_scalar_type(question.not_applicable))
    steps = [(columns.asked(index), question.not_applicable - question.not_asked)]
    steps += [(columns.choice(index, code), code - question.not_applicable) for code in range(question.codes)]
    for words, step in steps:
        np.add(row, unpack_bits(words, columns.n) * np.array(step).astype(row.dtype), out=row)
    return row


def unpack_bits(words: Words, n: int) -> NDArray[np.bool_]:
    """Returns a column of bits as an array with an element for each of `n` respondents."""
    return np.unpackbits(words.view(np.uint8), count=n, bitorder="little").view(np.bool_)


def order_open_records_first(group: NDArray[np.integer], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Returns an order of records in which the open ones come first, which makes counting faster.

    This reveals nothing: a batch stores the group of each record anyway, and within a group the order stays random.
    `group`: by record, before it is ordered; `order`: the random order.
    """
    return order[np.argsort(group[order] != OPEN, kind="stable")]


def stored_groups(parts: Sequence[bytes | memoryview]) -> NDArray[np.uint8]:
    """Returns the group of every record of these batches, in the stored order."""
    stored = map(batch_bytes.read_batch, parts)
    return np.concatenate(
        [np.unpackbits(batch.bits[0], count=batch.n, bitorder="little") for batch in stored]
    )


def merge_batches(parts: Sequence[bytes | memoryview], order: NDArray[np.intp]) -> bytes:
    """Merges batches of one design into one; returns its bytes.

    `order`: for each record of the result its number among all records of the batches.
    """
    stored = [batch_bytes.read_batch(part) for part in parts]
    (fingerprint, count, bytes_of) = kind = (stored[0].fingerprint, len(stored[0].bits), stored[0].widths)
    if any((batch.fingerprint, len(batch.bits), batch.widths) != kind for batch in stored):
        raise DamagedBatch("columns of two designs")
    n = sum(batch.n for batch in stored)
    packed = np.zeros((count, column_bytes(n)), np.uint8)
    # A column at a time, since unpacked bits take eight times their room.
    for column in range(count):
        bits = [np.unpackbits(batch.bits[column], count=batch.n, bitorder="little") for batch in stored]
        packed[column, : -(-n // 8)] = np.packbits(np.concatenate(bits)[order], bitorder="little")
    integers = [
        pad_column(np.concatenate([batch.integers[column][: batch.n] for batch in stored])[order], width)
        for column, width in enumerate(bytes_of)
    ]
    return batch_bytes.batch_bytes(StoredColumns(fingerprint, n, packed, integers))


def take_numbered_records(parts: Sequence[Columns], rows: NDArray[np.integer]) -> Columns:
    """Returns the columns of the records with the numbers `rows`, in this order, out of several batches.

    Numbers count the records of all `parts`, one part after the other. Needs, besides its result, one byte per bit of
    the result.
    """
    design, count = parts[0].design, len(parts[0].words)
    bits = np.zeros((count, -(-len(rows) // WORD) * WORD), np.bool_)
    integers = {
        index: np.zeros(len(rows), f"<u{width}") for index, width in integer_bytes_by_question(design).items()
    }
    starts = [0, *accumulate(part.n for part in parts)]
    for start, part in zip(starts, parts, strict=False):
        here = np.flatnonzero((rows >= start) & (rows < start + part.n))
        at = rows[here] - start
        bits[:, here] = part.words.view(np.uint8)[:, at >> 3] >> (at & 7).astype(np.uint8) & 1
        for index, column in integers.items():
            column[here] = part.integer_codes(index)[at]
    words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    return Columns(design, len(rows), words, parts[0].places, integers)


def filter_records(part: Columns, chosen: NDArray[np.bool_]) -> Columns:
    """Returns the columns of the records where `chosen` is True, in their order; converts a column of bits at a
    time."""
    if chosen.all():
        return part
    n = int(chosen.sum())
    packed = np.zeros((len(part.words), column_bytes(n)), np.uint8)
    for column, words in zip(packed, part.words, strict=True):
        column[: -(-n // 8)] = np.packbits(unpack_bits(words, part.n)[chosen], bitorder="little")
    integers = {index: np.ascontiguousarray(part.integer_codes(index)[chosen]) for index in part.integers}
    return Columns(part.design, n, packed.view("<u8"), part.places, integers)


def choice_or_not_applicable(part: Columns, question: int) -> NDArray[np.int64]:
    """Returns for each record the code of its choice of a plain question.

    One more than the last choice means *not applicable*: a rule hid the question.
    """
    codes = part.design.mined.questions[question].codes
    states = np.full(part.n, codes, np.int64)
    for code in range(codes):
        states[unpack_bits(part.choice(question, code), part.n)] = code
    return states
