"""Sorts a survey's disguised records into a canonical order, to find each record's cell in every disclosed
table.

Records have no identity, and merging batches permutes them. So they are sorted by all plain answers, then by
all other answers; equal records are interchangeable.
"""

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from intake.disclosure import record_selection
from intake.disclosure.models import Disclosure, Population
from mining.disclosure.plain_table_counts import Questions
from privacy.anonymity.criteria_check import ABSENT, joint_labels
from privacy.designs import Design
from privacy.kinds.answer_code_array_type import Codes
from privacy.records import batch_bit_columns
from privacy.records.mined_code_conversion import mined_codes
from surveys.models import Design as DesignRow, Survey

Places = NDArray[np.int64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class DisguisedRecords:
    """The disguised records of the batches 1..t in stored order.

    `codes`: answers by question of the design; `batch`: the batch number of each record, in a merged batch its last
    number.
    """

    design: Design
    codes: Codes
    batch: NDArray[np.int64]

    @property
    def n(self) -> int:
        return len(self.batch)

    @cached_property
    def mined_codes_by_question(self) -> Codes:
        """The answer codes by question as they are mined: numbers and places are converted to classes."""
        return mined_codes(self.design, self.codes)

    @cached_property
    def canonical_order(self) -> Places:
        """The indexes of all records in canonical order, which sorts them by their answers."""
        plain = plain_question_indexes(self.design)
        rest = [index for index in range(len(self.codes)) if index not in plain]
        return np.lexsort([self.codes[index] for index in (*plain, *rest)][::-1])

    def canonical_order_through_batch(self, last_batch: int) -> Places:
        """Returns the indexes of the records of the batches 1..last_batch, in canonical order (sorted by answers)."""
        return np.asarray(self.canonical_order[self.batch[self.canonical_order] <= last_batch])

    def classes_in_stored_order(self, last_batch: int, labels: Labels) -> Labels:
        """Returns for each record, in stored order, its class in a release of the batches 1..last_batch.

        `labels`: the classes in the canonical order. Records of later batches get ABSENT.
        """
        by_record = np.full(self.n, ABSENT, np.int64)
        by_record[self.canonical_order_through_batch(last_batch)] = labels
        return by_record

    def disclosed_cells(self, disclosure: Disclosure) -> Iterator[tuple[Questions, Labels]]:
        """Yields each table that a report disclosed, with the cell of each record; withheld classes of a
        question are joined."""
        hidden = withheld_classes(disclosure)
        for questions in map(tuple, disclosure.tables.get("told", [])):
            yield questions, self.cells_in_table(questions, hidden, disclosure.last_batch)

    def cells_in_table(
        self, questions: Questions, hidden: Mapping[int, frozenset[int]], last_batch: int
    ) -> Labels:
        """Returns for each record its cell in the table of these questions; ABSENT for records after batch
        `last_batch`."""
        states = []
        for question in questions:
            codes = self.design.mined.questions[question].codes
            state: Labels = np.minimum(self.mined_codes_by_question[question], codes).astype(np.int64)
            state[np.isin(state, sorted(hidden.get(question, ())))] = codes + 1
            states.append(state)
        cells = joint_labels(np.zeros(self.n, np.int64), *states)
        return np.where(self.batch <= last_batch, cells, ABSENT)


def withheld_classes(disclosure: Disclosure) -> dict[int, frozenset[int]]:
    """Returns the classes that a report withheld, by index of the plain question."""
    return {int(index): frozenset(states) for index, states in disclosure.tables.get("hidden", {}).items()}


def pack_classes(classes: Labels) -> bytes:
    """Returns the class of each record, in canonical order, as bytes for the ledger: int32, compressed with zlib."""
    return zlib.compress(classes.astype("<i4").tobytes())


def unpack_classes(stored: bytes | memoryview) -> Labels:
    return np.frombuffer(zlib.decompress(stored), "<i4").astype(np.int64)


def plain_question_indexes(design: Design) -> tuple[int, ...]:
    """Returns the indices of the questions that are not sensitive."""
    sensitive = [section.sensitive for section in design.sections for _question in section.questions]
    return tuple(index for index, is_sensitive in enumerate(sensitive) if not is_sensitive)


def read_disguised(survey: Survey, last_batch: int) -> DisguisedRecords:
    """Reads the disguised records of the batches 1..last_batch; takes a byte for each question and record."""
    if survey.design_id is None:
        raise ValueError("a survey that was never opened has no records")
    batches = record_selection.read_used_batches_until_most(survey, last_batch, Population.DISGUISED)
    codes = [batch_bit_columns.unpack_columns(batch.columns)[1] for batch in batches]
    numbers = [np.full(batch.columns.n, batch.last, np.int64) for batch in batches]
    design = DesignRow.load_parsed(survey.design_id)
    return DisguisedRecords(design, np.concatenate(codes, axis=1), np.concatenate(numbers))
