"""The sealed records of a survey in their canonical order, and what departures tell of each of them.

Records have no identity, and merging batches permutes them. So a record is known by what it holds: records are sorted
by all their plain answers, then by all else. Records that agree in that are exchangeable, whichever comes first.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from intake.batches import batches
from privacy.anonymity.joint import ABSENT, joint_labels
from privacy.designs import Design
from privacy.kinds.codes import Codes
from privacy.records import OPEN, columns
from surveys.departures import Departure
from surveys.models import Design as DesignRow, Survey

Places = NDArray[np.int64]
Labels = NDArray[np.int64]
LEAST_CELL = 10
"""No plain cell of fewer records is ever told (docs/promises.md)."""


@dataclass(frozen=True)
class SurveyRecords:
    """The records of the batches 1..t, as they lie: `codes` by question of the design, `batch`: the last number of each
    record's stored batch."""

    design: Design
    codes: Codes
    group: NDArray[np.uint8]
    batch: NDArray[np.int64]

    @property
    def n(self) -> int:
        return len(self.group)

    @cached_property
    def plain(self) -> tuple[int, ...]:
        """The places of the plain questions in the design."""
        return plain_places(self.design)

    @cached_property
    def _order(self) -> Places:
        rest = [place for place in range(len(self.codes)) if place not in self.plain]
        keys = [*(self.codes[place] for place in (*self.plain, *rest)), self.group]
        return np.lexsort(keys[::-1])

    def canonical(self, through: int, disguised_only: bool) -> Places:
        """The places of the records of the batches 1..through, in the canonical order."""
        order = self._order
        there = self.batch[order] <= through
        if disguised_only:
            there &= self.group[order] == 1
        return order[there]

    def labels(self, departure: Departure) -> Labels:
        """What a departure tells of each record, as numbers: records with one number look alike in it."""
        found = np.full(self.n, ABSENT, np.int64)
        places = self.canonical(departure.through, departure.disguised_only)
        if departure.classes:
            found[places] = unpacked(departure.classes)
        else:
            found[places] = self._alike(departure.exact, places)
        if departure.by_record:
            # An open record stands in a record file without its plain answers: all of them look alike.
            found[(self.group == OPEN) & (found != ABSENT)] = found.max() + 1
        return found

    def _alike(self, questions: Sequence[str], places: Places) -> Labels:
        asked = [place for place, one in enumerate(self.design.questions) if one.name in questions]
        return joint_labels(places * 0, *(self.codes[place][places].astype(np.int64) for place in asked))


def few_together(first: Labels, second: Labels) -> int:
    """The records in cells of two departures, both together, that hold fewer than ten records."""
    both = (first != ABSENT) & (second != ABSENT)
    sizes = np.bincount(joint_labels(first[both], second[both]))
    return int(sizes[sizes < LEAST_CELL].sum())


def packed(classes: Labels) -> bytes:
    """Classes by place in the canonical order, as a departure and a release store them: int32, zlib."""
    return zlib.compress(classes.astype("<i4").tobytes())


def unpacked(stored: bytes | memoryview) -> Labels:
    return np.frombuffer(zlib.decompress(stored), "<i4").astype(np.int64)


def plain_places(design: Design) -> tuple[int, ...]:
    plain = {
        question.name
        for section in design.sections
        if not section.sensitive
        for question in section.questions
    }
    return tuple(place for place, question in enumerate(design.questions) if question.name in plain)


def read_records(survey: Survey, through: int) -> SurveyRecords:
    """All of the batches 1..through. A byte a question and record."""
    if survey.design_id is None:
        raise ValueError("a survey that was never opened has no records")
    found = batches.read_all(survey, through)
    opened = [columns.unpack(batch.columns) for batch in found]
    numbers: Sequence[Places] = [np.full(batch.columns.n, batch.last, np.int64) for batch in found]
    design = DesignRow.of(survey.design_id)
    return SurveyRecords(
        design,
        np.concatenate([codes for _group, codes in opened], axis=1),
        np.concatenate([group for group, _codes in opened]),
        np.concatenate(numbers),
    )
