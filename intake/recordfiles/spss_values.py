"""The values of a variable in SPSS files."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from intake.recordfiles.by_kind import KindInFiles, kinds
from privacy.designs import Design, Question

WIDTH = 8


@dataclass(frozen=True, slots=True)
class SpssValues:
    """An answer's code is written as `first` + `step` * code."""

    question: Question
    kind: KindInFiles

    @property
    def codes(self) -> int:
        return self.question.codes

    @property
    def first(self) -> int:
        return self._numbers.start

    @property
    def step(self) -> int:
        return self._numbers.step

    @property
    def _numbers(self) -> range:
        return self.kind.numbers(self.question) or range(self.codes)

    @property
    def missing(self) -> tuple[int, int, int]:
        """Not asked, not applicable, withheld: -1, -2, -3, and where answers are below 0, below these."""
        least = min(0, self.first)
        return least - 1, least - 2, least - 3

    @property
    def measure(self) -> str:
        return "scale" if self.kind.numbers(self.question) else "nominal"

    @property
    def width(self) -> int:
        """Characters of the longest value."""
        return max(WIDTH, *(len(str(value)) for value in (*self.missing, self._numbers[-1])))

    def labels(self, language: str) -> dict[int, str]:
        words = dict(enumerate(self.kind.words(self.question, language)))
        reasons = (_("not asked"), _("does not apply"), _("withheld"))
        return words | dict(zip(self.missing, reasons, strict=True))


def spss_values(design: Design) -> Iterator[SpssValues]:
    """The values of the variable of each question."""
    for question, kind in zip(design.questions, kinds(design), strict=True):
        yield SpssValues(question, kind)
