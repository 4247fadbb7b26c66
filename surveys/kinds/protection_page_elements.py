"""Elements of the protection page: settings with their form fields, margins of error, and warnings with quick fixes."""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.guarantee.expected_error import LEAST_BASE
from surveys.questionnaire.protection import MOST_EPSILON, Protection
from surveys.questionnaire.questionnaire import Questionnaire
from ui.number_format import format_count

# Half the width of a 95 % interval: with which most surveys would be content; beyond which a share of 20 % says little
# more than that there is one; beyond which nothing is said of any share.
PRECISE, WIDE, USELESS = 0.05, 0.1, 0.25
NEVER = "never"
"""Kind of the warning that fewer answers are expected than a batch needs."""


@dataclass(frozen=True)
class QuickFix:
    """A button that changes settings to remedy a warning; `do` is its command (`settings_and_quick_fixes`)."""

    words: str
    do: str


@dataclass(frozen=True)
class SettingsWarning:
    """A warning on the protection page.

    `section`: None if it concerns all answers of a person. `margin`: the margin of error that it is about, if any.
    """

    kind: str
    words: str
    cures: tuple[QuickFix, ...] = ()
    section: int | None = None
    margin: float = 0.0


@dataclass(frozen=True)
class ProtectionSetting:
    """A setting on the protection page with its form field; its slider goes from `low` to `most` in steps of `step`."""

    name: str
    field: forms.Field
    initial: Any
    most: int
    low: int = 1
    step: int = 1


@dataclass(frozen=True)
class SectionFields:
    """Form fields of one section on the protection page: its settings (`dials`), and the expected shares by question.

    `together`: the field by which a preset asks every person all questions; None if the kind has none.
    """

    number: int
    dials: tuple[tuple[ProtectionSetting, BoundField], ...]
    shares: tuple[BoundField, ...] = ()
    together: BoundField | None = None


def percentage_points_text(share: float) -> str:
    """Formats a share as percentage points with one decimal."""
    return str(number_format(share * 100, 1))


def round_up_to_two_figures(number: int) -> int:
    """Rounds up to two significant figures, since more would suggest exactness."""
    step: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // step) * step


def margin_text(half_width: float | None, enough: bool) -> str:
    """Formats a margin of error in points; `enough` is False if too few people are asked for any estimate."""
    if half_width is None:
        return _("some never asked together")
    return (
        _("±%(points)s points") % {"points": percentage_points_text(half_width)}
        if enough
        else _("too few asked")
    )


def two_decimals_text(value: Decimal) -> str:
    return str(number_format(value, 2))


def expected_answers_fix(answers: int) -> QuickFix:
    """Returns a quick fix that sets the number of expected answers."""
    return QuickFix(_("Plan for %(needed)s answers") % {"needed": format_count(answers)}, f"expect {answers}")


def more_answers_fix(draft: Questionnaire, disguised: int) -> QuickFix:
    """Returns a quick fix that raises the number of expected answers, until `disguised` of them are disguised; the
    number is rounded up to two significant figures."""
    return expected_answers_fix(round_up_to_two_figures(draft.respondents_for_disguised(disguised)))


def smaller_error_fix(draft: Questionnaire, times: float) -> QuickFix:
    """Returns a quick fix that raises the number of expected answers, so that the error is divided by `times`."""
    return more_answers_fix(draft, ceil(draft.disguised_respondents * times**2))


def close_open_answers_fix() -> QuickFix:
    return QuickFix(_("Do not offer answers without disguise"), "closed")


def stronger_disguise_fix(number: int) -> QuickFix:
    words = _("Disguise it more, until it is %(most)s") % {"most": MOST_EPSILON}
    return QuickFix(words, f"limit {number}")


def few_answers_warning(draft: Questionnaire, number: int) -> SettingsWarning:
    """Returns the warning that too few disguised answers are expected to estimate a question of everybody."""
    words = _("You expect %(expected)s disguised answers. Below %(least)s nothing is estimated.")
    words %= {"expected": format_count(draft.disguised_respondents), "least": LEAST_BASE}
    return SettingsWarning("floor", words, (more_answers_fix(draft, LEAST_BASE),), number)


def weak_protection_warning(
    words: str, protection: Protection, number: int, *cures: QuickFix
) -> SettingsWarning:
    """Returns the warning that a record of the section reveals more than usual.

    `words` is a template with the placeholders gamma, epsilon and most (the usual limit of epsilon).
    """
    epsilon = two_decimals_text(protection.epsilon)
    words %= {"gamma": format_count(ceil(protection.gamma)), "epsilon": epsilon, "most": MOST_EPSILON}
    return SettingsWarning("long", words, cures, number)


def wide_margin_warning(
    words: str, draft: Questionnaire, half_width: float, number: int, *cures: QuickFix
) -> SettingsWarning:
    """Returns the warning that the margin of error of a share is wide.

    `words` is a template with the placeholders expected (answers) and points.
    """
    expected = format_count(draft.disguised_respondents)
    words %= {"expected": expected, "points": percentage_points_text(half_width)}
    cures = cures or (smaller_error_fix(draft, half_width / WIDE),)
    return SettingsWarning("noisy", words, cures, number, half_width)
