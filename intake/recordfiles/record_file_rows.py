"""Reads the used records of a survey as the rows of a file, in a random order drawn for this file alone.

Memory holds only the batches' packed columns, one bit a cell, and four bytes for each record's index in the
order: nine megabytes for 130,000 records of 500 yes/no questions. Rows are unpacked a block at a time.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import urandom
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from intake.batches.sealing import RandomBytes, last_batch_number, random_permutation
from intake.disclosure import record_selection
from privacy.designs import Design
from privacy.kinds.answer_code_array_type import Codes
from privacy.records import OPEN, batch_bit_columns
from privacy.records.batch_bit_columns import Columns
from surveys.models import Survey

BLOCK = 1024
"""Number of rows that are unpacked at once."""


class Block(NamedTuple):
    """Rows of a record file: the group of each row, and codes as an array of questions x rows.

    A code is `Question.withheld` if the file withholds the answer.
    """

    group: NDArray[np.uint8]
    codes: Codes


@dataclass(frozen=True)
class UsedRows:
    """The rows of a record file in random order.

    `order`: for each row of the file, the index of its record in the concatenated `parts`.
    """

    design: Design
    parts: tuple[Columns, ...]
    order: NDArray[np.uint32]

    @property
    def n(self) -> int:
        return len(self.order)

    @cached_property
    def count_disguised(self) -> int:
        return sum(int(np.bitwise_count(part.disguised).sum()) for part in self.parts)

    @property
    def count_open(self) -> int:
        return self.n - self.count_disguised

    def blocks(self, rows: int = BLOCK) -> Iterator[Block]:
        """Yields all rows, with the answers that must not be disclosed withheld.

        Withheld are open records' plain answers and answers to place questions: beside true sensitive answers
        they could identify a person.
        """
        is_withheld = [question.withheld_if_open for question in self.design.questions]
        withheld = np.array([question.withheld for question in self.design.questions], np.uint32)
        for start in range(0, self.n, rows):
            group, codes = batch_bit_columns.unpack_columns(
                batch_bit_columns.take_numbered_records(self.parts, self.order[start : start + rows])
            )
            codes = codes.astype(np.min_scalar_type(withheld.max()), copy=False)
            codes[np.ix_(is_withheld, group == OPEN)] = withheld[is_withheld][:, None]
            yield Block(group, codes)


def has_rules_that_reveal_plain(design: Design) -> bool:
    """True if rules can hide a sensitive question: an open record then reveals withheld plain answers by not having its
    answer."""
    return design.has_group_open and any(
        question.show_if for section in design.sections if section.sensitive for question in section.questions
    )


def shuffle_used_records(survey: Survey, random_bytes: RandomBytes = urandom) -> UsedRows:
    """Returns every used record in a random order; raises `ValueError` if the survey was never opened."""
    if survey.design is None:
        raise ValueError("a survey that was never opened has no records")
    batches = record_selection.read_used_batches_until_most(
        survey, last_batch_number(survey.pk), record_selection.current_population(survey)
    )
    parts = tuple(batch.columns for batch in batches)
    order = random_permutation(sum(part.n for part in parts), random_bytes).astype(np.uint32)
    return UsedRows(survey.design.content, parts, order)


class PieceBuffer(io.RawIOBase):
    """A write-only file. `take` returns what was written since the last call; `tell` counts all bytes."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        piece = bytes(data)
        self._waiting.append(piece)
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._written

    def take(self) -> bytes:
        data = b"".join(self._waiting)
        self._waiting.clear()
        return data
