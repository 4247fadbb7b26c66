"""True answers as mining sees them, and beside them what is true of whole numbers and places."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from privacy.designs import Design, PlainSection, Section, UnrelatedQuestionSection
from privacy.kinds.codes import Codes
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.number.section import (
    ClassesSection,
    NumberQuestion,
    WindowQuestion,
    WindowSection,
)
from privacy.kinds.place.mined_codes import item_of_cell
from privacy.kinds.place.section import PlaceQuestion, PlaceSection
from privacy.kinds.subset.section import SubsetSection


@dataclass(frozen=True, slots=True)
class TrueNumber:
    """The true numbers of `n` respondents to whom the question applies: their sum, and of a window how often each is.

    A number beyond an end counts as the end. Of a place how often each cell is, and no sum.
    """

    n: int
    total: int
    counts: tuple[int, ...] = ()

    @property
    def mean(self) -> float | None:
        """None: it applies to nobody."""
        return self.total / self.n if self.n else None

    def __add__(self, other: "TrueNumber") -> "TrueNumber":
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return TrueNumber(self.n + other.n, self.total + other.total, counts)

    def as_json(self) -> dict[str, Any]:
        return {"n": self.n, "total": self.total, "counts": list(self.counts)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TrueNumber":
        return cls(data["n"], data["total"], tuple(data["counts"]))


def _as_they_are(_section: object, rows: Codes) -> Codes:
    return rows


def _classes(section: ClassesSection, rows: Codes) -> Codes:
    """The class of each number; behind the classes, where the number does not apply."""
    question = section.question
    numbers = question.low + question.step * rows[0].astype(np.int64)
    classes = np.searchsorted(question.limits, numbers, side="right")
    hidden = rows[0] == question.true_hidden
    return np.where(hidden, question.classes, classes)[None].astype(rows.dtype)


def _summed(question: NumberQuestion, codes: Codes) -> TrueNumber:
    steps = int(codes.sum(dtype=np.int64))
    return TrueNumber(len(codes), question.low * len(codes) + question.step * steps)


def _counted(question: WindowQuestion, codes: Codes) -> TrueNumber:
    of = _summed(question, codes)
    return TrueNumber(of.n, of.total, tuple(np.bincount(codes, minlength=question.values).tolist()))


def _place_items(section: PlaceSection, rows: Codes) -> Codes:
    """The region, or elsewhere; neither, where the place does not apply."""
    items: Codes = item_of_cell(section.question)[rows]
    return items


def _cells(question: PlaceQuestion, codes: Codes) -> TrueNumber:
    return TrueNumber(len(codes), 0, tuple(np.bincount(codes, minlength=question.codes).tolist()))


@dataclass(frozen=True, slots=True)
class TrueKind:
    """`items`: from the rows of a section those of its questions in the mined design. `number` is None elsewhere."""

    items: Callable[[Any, Codes], Codes] = _as_they_are
    number: Callable[[Any, Codes], TrueNumber] | None = None


KINDS: Mapping[type, TrueKind] = MappingProxyType(
    {
        PlainSection: TrueKind(),
        UnrelatedQuestionSection: TrueKind(),
        CrosswiseSection: TrueKind(),
        SubsetSection: TrueKind(),
        WindowSection: TrueKind(number=_counted),
        ClassesSection: TrueKind(_classes, _summed),
        PlaceSection: TrueKind(_place_items, _cells),
    }
)


def true_items(design: Design, truth: Codes) -> Codes:
    """The true codes of the questions of `design.mined`; these themselves where there are no numbers or places."""
    if design.mined is design:
        return truth
    return np.concatenate([KINDS[type(of)].items(of, rows) for of, rows in _sections(design, truth)])


def true_numbers(design: Design, truth: Codes) -> dict[str, TrueNumber]:
    """By the name of a number or place."""
    found = {}
    for section, rows in _sections(design, truth):
        kind, question = KINDS[type(section)], section.questions[0]
        if kind.number:
            found[question.name] = kind.number(question, rows[0][rows[0] != question.true_hidden])
    return found


def _sections(design: Design, truth: Codes) -> Iterator[tuple[Section, Codes]]:
    first = 0
    for section in design.sections:
        rows = slice(first, first + len(section.questions))
        first = rows.stop
        yield section, truth[rows]
