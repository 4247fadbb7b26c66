"""The used records of a survey as the rows of a file, in an order that is drawn for that file alone.

Only the batches' packed columns, one bit a cell, and four bytes for each record's place in the order lie in
memory: nine megabytes for 130,000 records of 500 yes/no questions. Rows are unpacked a block at a time.
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
from privacy.kinds.codes import Codes
from privacy.records import OPEN, columns
from privacy.records.columns import Columns
from surveys.models import Survey

BLOCK = 1024
"""Rows that are unpacked at once."""


class Block(NamedTuple):
    """Rows of a record file: groups, and questions x rows of codes; `Question.withheld` if the file does not tell an
    answer."""

    group: NDArray[np.uint8]
    codes: Codes


@dataclass(frozen=True)
class UsedRows:
    """The rows of a record file in random order. `order`: for each row of the file, the index of its record among
    all `parts`."""

    design: Design
    parts: tuple[Columns, ...]
    order: NDArray[np.uint32]

    @property
    def n(self) -> int:
        return len(self.order)

    @cached_property
    def disguised(self) -> int:
        return sum(int(np.bitwise_count(part.disguised).sum()) for part in self.parts)

    @property
    def open(self) -> int:
        return self.n - self.disguised

    def blocks(self, rows: int = BLOCK) -> Iterator[Block]:
        """Yields all rows as they may leave the product.

        The plain answers and the answers to place questions of open records are withheld, since beside true sensitive
        answers they would tell which person gave them.
        """
        is_withheld = [question.withheld_if_open for question in self.design.questions]
        withheld = np.array([question.withheld for question in self.design.questions], np.uint32)
        for start in range(0, self.n, rows):
            group, codes = columns.unpack_columns(
                columns.pick_records(self.parts, self.order[start : start + rows])
            )
            codes = codes.astype(np.min_scalar_type(withheld.max()), copy=False)
            codes[np.ix_(is_withheld, group == OPEN)] = withheld[is_withheld][:, None]
            yield Block(group, codes)


def do_rules_reveal_plain(design: Design) -> bool:
    """True if a hidden sensitive question reveals something of the plain answers that open records withhold."""
    return design.has_group_open and any(
        question.show_if for section in design.sections if section.sensitive for question in section.questions
    )


def shuffle_used_records(survey: Survey, random_bytes: RandomBytes = urandom) -> UsedRows:
    """Returns every used record in a random order; raises `ValueError` for a survey that was never opened."""
    if survey.design is None:
        raise ValueError("a survey that was never opened has no records")
    batches = record_selection.read_all_batches(
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
