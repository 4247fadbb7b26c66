"""Records as they stand in a file, and batches that hold known ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from privacy.designs import OPEN, Design, RecordRow
from surveys.intake import columns
from surveys.intake.models import Batch
from surveys.models import Survey
from surveys.recordfiles.rows import BLOCK, Block, SealedRecords


def packed(design: Design, rows: Sequence[RecordRow]) -> bytes:
    group = np.array([row.group for row in rows], np.uint8)
    most = max(question.not_applicable for question in design.questions)
    codes = np.array([row.codes for row in rows], np.min_scalar_type(most)).T
    return columns.pack(design, group, codes)


def records(design: Design, *parts: Sequence[RecordRow], seed: int = 1) -> SealedRecords:
    """As `sealed` would read them from batches of these rows."""
    opened = tuple(columns.read(design, packed(design, part)) for part in parts)
    order = np.random.default_rng(seed).permutation(sum(part.n for part in opened))
    return SealedRecords(design, opened, order.astype(np.uint32))


@dataclass(frozen=True)
class Rows(SealedRecords):
    """As `sealed`, but of rows of codes instead of batches."""

    listed: tuple[RecordRow, ...] = ()

    @property
    def disguised(self) -> int:
        return sum(row.group for row in self.listed)

    def blocks(self, rows: int = BLOCK) -> Iterator[Block]:
        wide = np.array([row.codes for row in told(self.design, self.listed)], np.uint32).T[:, self.order]
        group = np.array([row.group for row in self.listed], np.uint8)[self.order]
        for start in range(0, self.n, rows):
            yield Block(group[start : start + rows], wide[:, start : start + rows])


def listed(design: Design, rows: Sequence[RecordRow]) -> SealedRecords:
    order = np.random.default_rng(1).permutation(len(rows)).astype(np.uint32)
    return Rows(design, (), order, tuple(rows))


def seal(survey: Survey, design: Design, *parts: Sequence[RecordRow]) -> None:
    """Batches of these rows, as a sealing leaves them."""
    for number, rows in enumerate(parts, 1):
        Batch.objects.create(
            survey=survey, first=number, last=number, n=len(rows), columns=packed(design, rows)
        )


def told(design: Design, rows: Sequence[RecordRow]) -> Iterator[RecordRow]:
    """What a file that leaves the product tells of these rows: no plain answer of an open record."""
    plain = [not section.sensitive for section in design.sections for _ in section.questions]
    for group, codes in rows:
        hidden = [
            question.withheld if group == OPEN and is_plain else code
            for question, code, is_plain in zip(design.questions, codes, plain, strict=True)
        ]
        yield RecordRow(group, tuple(hidden))
