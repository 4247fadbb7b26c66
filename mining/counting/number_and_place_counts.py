"""Counts of the codes of sensitive numbers and places, by group; codes of numbers are counted also by class, among the
disguised records.

A class is a choice of a plain question. Codes are counted from the columns of integers, since a window number and the
cells of a place have no items. Records to which the question does not apply are not counted.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.counting.answer_pattern_histogram import UnreadableHistogram
from mining.queries_and_counters import Counts
from privacy.designs import Design, Question
from privacy.kinds.number.number_question import NumberQuestion
from privacy.records.batch_bit_columns import Columns, unpack_bits

MOST_CELLS = 1 << 20
"""Largest number of cells of all tables by class, 8 MB; a table beyond it is not counted."""
CHUNK_WORDS = 1 << 11

HEADER = struct.Struct("<8s32s")  # magic and version, fingerprint
MAGIC = b"CANDORN\x01"

Class = tuple[int, int]
"""Indexes of two questions: a number, and a plain question whose choices are the classes."""


@dataclass(frozen=True)
class CodeCounts:
    """Counts of the codes of each number and place of a design.

    `by_group` has a table for each question index: open and disguised records by code. `by_class` has a table for each
    pair of a number and a plain question, disguised records alone: a row for each choice of the plain question.
    """

    design: Design
    by_group: Mapping[int, Counts]
    by_class: Mapping[Class, Counts]

    @classmethod
    def count_records(cls, design: Design, parts: Iterable[Columns], *, classes: bool = True) -> "CodeCounts":
        """Counts the codes in all records of `parts`; takes about 30 ms for a million records, one counted question and
        ten plain ones.

        `classes` False: counts by group only, not by class.
        """
        whole = cls.zeros(design, classes=classes)
        for part in parts:
            _add_part_counts(whole, part)
        return whole

    @classmethod
    def zeros(cls, design: Design, *, classes: bool = True) -> "CodeCounts":
        by_group = {
            index: np.zeros((2, question.codes), np.int64)
            for index, question in _questions_counted_by_code(design).items()
        }
        chosen = list(_question_pairs_to_tabulate(design)) if classes else []
        tables = {
            (number, index): np.zeros((design.questions[index].codes, by_group[number].shape[1]), np.int64)
            for number, index in chosen
        }
        return cls(design, by_group, tables)

    def counts_for_estimates(self, index: int) -> Counts:
        """Returns the counts by group and code of a question, from the records that estimates use: in a design with
        arms, the disguised arm alone."""
        counts = self.by_group[index].copy()
        if self.design.has_arms:
            counts[0] = 0
        return counts

    def to_bytes(self) -> bytes:
        """Serialises counts with all classes; each count is below 2^32."""
        tables = (*self.by_group.values(), *self.by_class.values())
        body = b"".join(table.astype("<u4").tobytes() for table in tables)
        return HEADER.pack(MAGIC, bytes.fromhex(self.design.fingerprint)) + zlib.compress(body, 1)

    @classmethod
    def from_bytes(cls, design: Design, data: bytes | memoryview) -> "CodeCounts":
        if len(data) < HEADER.size:
            raise UnreadableHistogram("shorter than a header")
        magic, fingerprint = HEADER.unpack_from(data)
        if magic != MAGIC or fingerprint.hex() != design.fingerprint:
            raise UnreadableHistogram("not the counts of codes of this design")
        try:
            numbers = np.frombuffer(zlib.decompress(data[HEADER.size :]), "<u4")
        except (zlib.error, ValueError) as error:
            raise UnreadableHistogram(str(error)) from None
        whole = cls.zeros(design)
        tables = [*whole.by_group.values(), *whole.by_class.values()]
        if len(numbers) != sum(table.size for table in tables):
            raise UnreadableHistogram("cut short")
        for table in tables:
            table[:], numbers = numbers[: table.size].reshape(table.shape), numbers[table.size :]
        return whole


def _questions_counted_by_code(design: Design) -> dict[int, Question]:
    """Returns the sensitive numbers and places of a design, by question index."""
    sections = (section for section in design.sections for _ in section.questions)
    questions = zip(sections, design.questions, strict=True)
    return {index: question for index, (section, question) in enumerate(questions) if section.counted_by_code}


def _question_pairs_to_tabulate(design: Design) -> Iterator[Class]:
    """Yields the pairs of a sensitive number and a plain question to cross-tabulate, as indexes, in the order of the
    questions, up to a largest number of counts."""
    sections = [section for section in design.sections for _ in section.questions]
    plain = [index for index, section in enumerate(sections) if not section.sensitive]
    cells = 0
    numbers = {
        index: question
        for index, question in _questions_counted_by_code(design).items()
        if isinstance(question, NumberQuestion)
    }
    for counted, question in numbers.items():
        for index in plain:
            more = question.codes * design.questions[index].codes
            if cells + more <= MOST_CELLS:
                cells += more
                yield counted, index


def _add_part_counts(whole: CodeCounts, part: Columns) -> None:
    """Adds the counts of `part` to `whole` in place."""
    integers = list(_questions_counted_by_code(whole.design))
    if not integers:
        return
    plain = sorted({index for counted, index in whole.by_class if counted in integers})
    for start in range(0, part.words.shape[1], CHUNK_WORDS):
        words = slice(start, start + CHUNK_WORDS)
        records = slice(start * 64, min((start + CHUNK_WORDS) * 64, part.n))
        n = records.stop - records.start
        disguised = unpack_bits(part.disguised[words], n).view(np.uint8)
        class_of = {
            index: _codes_or_past_last(whole.design, part, index, words, disguised) for index in plain
        }
        for counted in integers:
            codes = part.integer_codes(counted)[records].astype(np.intp)
            whole.by_group[counted][:] += _cross_tabulate(disguised, codes, whole.by_group[counted].shape)
            for index in plain:
                if (counted, index) in whole.by_class:
                    table = whole.by_class[counted, index]
                    table += _cross_tabulate(class_of[index], codes, table.shape)


def _codes_or_past_last(
    design: Design,
    part: Columns,
    index: int,
    words: slice,
    disguised: NDArray[np.uint8],
) -> NDArray[np.integer]:
    """Returns each record's code of a plain question; for open records a number past the last code, so that they are
    not counted."""
    question, n = design.questions[index], len(disguised)
    if question.show_if:
        disguised = disguised & unpack_bits(part.answered(index)[words], n).view(np.uint8)
    # By arithmetic, since branches are slow on random masks: the number of choices, less the rest up to the choice.
    integer = np.min_scalar_type(question.codes)
    chosen = np.full(n, question.codes, integer)
    for code in range(question.codes):
        has_it = unpack_bits(part.choice(index, code)[words], n).view(np.uint8) & disguised
        chosen -= has_it * integer.type(question.codes - code)
    return chosen


def _cross_tabulate(rows: NDArray[np.integer], codes: NDArray[np.intp], shape: tuple[int, ...]) -> Counts:
    """Returns the number of records by row and code; pairs outside `shape` are left out."""
    height, width = shape
    # Two more codes: not asked, and not applicable.
    cells = rows.astype(np.intp) * (width + 2) + codes
    counts = np.bincount(cells, minlength=(height + 1) * (width + 2))
    return counts.reshape(height + 1, width + 2)[:height, :width]
