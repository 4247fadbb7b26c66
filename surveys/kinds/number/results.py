"""What a page shows of a number: the errors to expect as a picture and as tables."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from django.utils.translation import gettext as _

from surveys.kinds.number.draft import NumberDraft
from surveys.kinds.number.picture import (
    ClassesPicture,
    CurveRow,
    WindowPicture,
    classes_picture,
    curve_rows,
    window_picture,
)
from surveys.kinds.number.protection import (
    ClassesProtection,
    NumberProtection,
    WindowProtection,
    number_protection,
)
from surveys.templatetags.builder import number_of, points
from ui.numbers import percent


@dataclass(frozen=True)
class NumberResults:
    """`template` shows them; `unit` is in the language that one writes in."""

    template: ClassVar[str]

    protection: NumberProtection
    unit: str
    name: str

    @property
    def words(self) -> str:
        """Its setting and its error in a few words."""
        raise NotImplementedError


@dataclass(frozen=True)
class ClassesResults(NumberResults):
    template = "builder/number-classes.html"

    protection: ClassesProtection

    @property
    def words(self) -> str:
        protection = self.protection
        said = {"keep": percent(protection.keep, 1)}
        if protection.mean:
            words = _("true answer %(keep)s, average ± %(half)s")
            return words % {**said, "half": number_of(protection.mean_half_width)}
        if protection.quantiles:
            words = _("true answer %(keep)s, median between two numbers %(width)s apart")
            return words % {**said, "width": number_of(protection.quantiles[1].width)}
        return _("true answer %(keep)s, shares ± %(points)s") % {**said, "points": points(protection.worst)}

    @cached_property
    def picture(self) -> ClassesPicture:
        return classes_picture(self.protection)


@dataclass(frozen=True)
class WindowResults(NumberResults):
    template = "builder/number-window.html"

    protection: WindowProtection

    @property
    def words(self) -> str:
        said = {
            "uniform": percent(self.protection.uniform, 1),
            "half": percent(self.protection.relative_half_width, 0),
        }
        return _("any number %(uniform)s, curve ± %(half)s") % said

    @cached_property
    def picture(self) -> WindowPicture:
        return window_picture(self.protection)

    @cached_property
    def rows(self) -> list[CurveRow]:
        return curve_rows(self.protection)


def number_results(
    section: NumberDraft, respondents: int, prior: Fraction, language: str = ""
) -> NumberResults | None:
    """None while its numbers do not fit."""
    protection, question = number_protection(section, respondents, prior), section.question
    unit = question.unit.get(language) or next(iter(question.unit.values()), "")
    match protection:
        case ClassesProtection():
            return ClassesResults(protection, unit, question.name)
        case WindowProtection():
            return WindowResults(protection, unit, question.name)
    return None
