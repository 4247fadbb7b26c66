"""Warnings about a sensitive number."""

from collections.abc import Iterator
from math import ceil

from django.utils.translation import gettext as _

from privacy.kinds.number.window.law import BANDED
from surveys.kinds.forms.margins import rounded_up
from surveys.kinds.forms.settings_warning import (
    WIDE,
    QuickFix,
    SettingsWarning,
    expect,
    points,
    written,
)
from surveys.kinds.number.draft import MEAN, SCALE, SHARES, NumberDraft
from surveys.kinds.number.picture import number_words
from surveys.kinds.number.protection import (
    ClassesProtection,
    NumberProtection,
    WindowProtection,
    number_protection,
)
from surveys.questionnaire.protection import PRIOR, USUAL
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.weakness import MOST_EPSILON
from ui.numbers import count, percent

COARSE = 0.4
"""Half the width of a curve's band, as a part of its mean height, beyond which it shows little."""


def number_warnings(draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
    section = draft.sections[number]
    assert isinstance(section, NumberDraft)
    protection = number_protection(section, draft.respondents, PRIOR)
    if protection:
        yield from _strong(protection, number)
    if isinstance(protection, ClassesProtection):
        yield from _of_classes(protection, number)
    elif isinstance(protection, WindowProtection):
        yield from _of_window(protection, number)


def _of_classes(protection: ClassesProtection, number: int) -> Iterator[SettingsWarning]:
    if not protection.enough:
        words = _("With %(expected)s answers nothing is estimated of this number: %(least)s are needed.")
        said = {"expected": count(protection.respondents), "least": count(protection.least)}
        yield SettingsWarning("floor", words % said, (expect(rounded_up(protection.least)),), number)
        return
    if protection.mean and protection.respondents < protection.least_for_mean:
        words = _("With %(expected)s answers the average is withheld: %(least)s are needed.")
        said = {"expected": count(protection.respondents), "least": count(protection.least_for_mean)}
        yield SettingsWarning("floor", words % said, (expect(rounded_up(protection.least_for_mean)),), number)
    if protection.mean and protection.widest:
        words = _(
            "The class from %(low)s to %(high)s governs the margin of error of the average. Add limits there."
        )
        low, high = map(number_words, protection.widest)
        fix = QuickFix(_("Add limits there"), f"widest {number}")
        yield SettingsWarning("noisy", words % {"low": low, "high": high}, (fix,), number)
    worst = protection.worst
    if protection.wanted in (SHARES, SCALE) and worst > WIDE:
        words = _(
            "With %(expected)s answers, the margin of error of some shares of this number is "
            "±%(points)s points."
        )
        said = {"expected": count(protection.respondents), "points": points(worst)}
        yield SettingsWarning("noisy", words % said, (_expect(protection, worst / WIDE),), number, worst)
    far = protection.mean_half_width / protection.expected.range.width
    if protection.wanted == MEAN and far > WIDE:
        words = _("With %(expected)s answers, the margin of error of the average is ±%(share)s of the range.")
        said = {"expected": count(protection.respondents), "share": percent(far, 0)}
        yield SettingsWarning("noisy", words % said, (_expect(protection, far / WIDE),), number)


def _of_window(protection: WindowProtection, number: int) -> Iterator[SettingsWarning]:
    if not protection.banded:
        words = _(
            "With %(expected)s answers the curve of this number has no error band: %(least)s are needed."
        )
        said = {"expected": count(protection.respondents), "least": count(BANDED)}
        yield SettingsWarning("floor", words % said, (expect(BANDED),), number)
    elif protection.relative_half_width > COARSE:
        words = _(
            "With %(expected)s answers, the margin of error of the curve is ±%(share)s of its mean height."
        )
        said = {
            "expected": count(protection.respondents),
            "share": percent(protection.relative_half_width, 0),
        }
        fix = _expect(protection, protection.relative_half_width / COARSE)
        yield SettingsWarning("noisy", words % said, (fix,), number)


def _strong(protection: NumberProtection, number: int) -> Iterator[SettingsWarning]:
    if not USUAL.admits(protection.guarantee.gamma):
        words = _(
            "This number alone can change the odds of something %(gamma)s times (epsilon %(epsilon)s, more than "
            "%(most)s)."
        )
        said = {
            "gamma": count(ceil(protection.gamma)),
            "epsilon": written(protection.epsilon),
            "most": MOST_EPSILON,
        }
        fix = QuickFix(
            _("Disguise it more, until it is %(most)s") % {"most": MOST_EPSILON}, f"limit {number}"
        )
        yield SettingsWarning("long", words % said, (fix,), number)


def _expect(protection: NumberProtection, times: float) -> QuickFix:
    """Answers enough for an error so many times smaller."""
    return expect(rounded_up(ceil(protection.respondents * times**2)))
