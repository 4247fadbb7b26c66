"""The values of a variable in SPSS and Stata files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.utils.translation import gettext as _

from privacy.designs import Design, Question
from privacy.records.record_file import NOT_APPLICABLE, NOT_ASKED, WITHHELD
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.registry import file_columns

Missing = TypeVar("Missing", int, str)
WIDTH = 8
LONGEST_STATA_TEXT = 2_044
"""Bytes."""
WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
"""Written in one way, so that no two choices are the same number; not below 0, where the missing values are."""


@dataclass(frozen=True, slots=True)
class SpssValues:
    """The value of an answer is its own number where all choices are such numbers, as of a scale, else its code."""

    question: Question
    kind: FileColumns

    @property
    def codes(self) -> int:
        return self.question.codes

    @property
    def numbers(self) -> Sequence[int]:
        """By code."""
        numbers = self.kind.numbers(self.question)
        if numbers is not None:
            return numbers
        names = [choice.name for choice in self.question.choices]
        if len(names) == self.codes and all(map(WHOLE_NUMBER.fullmatch, names)):
            return [int(name) for name in names]
        return range(self.codes)

    @property
    def values(self) -> Sequence[int]:
        """By code, also of those that say why there is no answer."""
        return (*self.numbers, *self.missing)

    @property
    def texts(self) -> Sequence[str]:
        """The cells by code, of a question that sends sets; empty where the variable is a number.

        A label for each of 20,000 sets would be two megabytes in every file, and no help to find who sent one choice.
        """
        if not self.kind.are_sets:
            return ()
        return (*self.question.code_names, NOT_ASKED, NOT_APPLICABLE, WITHHELD)

    @property
    def missing(self) -> tuple[int, int, int]:
        """Not asked, not applicable, withheld: -1, -2, -3, and where answers are below 0, below these."""
        least = min(0, *self.numbers)
        return least - 1, least - 2, least - 3

    @property
    def measure(self) -> str:
        if self.kind.numbers(self.question):
            return "scale"
        return "ordinal" if self.question.form == "scale" else "nominal"

    @property
    def width(self) -> int:
        """Characters of the longest value, of a text its bytes."""
        if self.texts:
            return max(len(text.encode()) for text in self.texts)
        return max(WIDTH, *map(len, map(str, self.values)))

    @property
    def is_too_wide_for_stata(self) -> bool:
        return bool(self.texts) and self.width > LONGEST_STATA_TEXT

    @property
    def format(self) -> str:
        return f"A{self.width}" if self.texts else f"F{self.width}.0"

    def labels(self, language: str, missing: Sequence[Missing]) -> dict[int | Missing, str]:
        """`missing`: what stands for the three reasons for which there is no answer."""
        words = zip(self.numbers, self.kind.words(self.question, language), strict=False)
        reasons = (_("not asked"), _("does not apply"), _("withheld"))
        return {**dict(words), **dict(zip(missing, reasons, strict=True))}


def spss_values(design: Design) -> Iterator[SpssValues]:
    """The values of the variable of each question."""
    for question, kind in zip(design.questions, file_columns(design), strict=True):
        yield SpssValues(question, kind)
