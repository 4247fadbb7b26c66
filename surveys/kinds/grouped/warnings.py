"""Warnings about a section of questions that are disguised together."""

from collections.abc import Iterator
from math import ceil

from django.utils.translation import gettext as _, ngettext

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import Aim, admissible_keep, best_rotation
from privacy.guarantee.error import LEAST_BASE
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.forms.margins import rounded_up
from surveys.kinds.forms.settings_warning import (
    FEW_OPEN,
    LEAST_GROUP,
    WIDE,
    QuickFix,
    SettingsWarning,
    closed,
    expect,
    points,
    written,
)
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.grouped.protection import GroupedProtection, grouped_protection
from surveys.questionnaire.protection import PRIOR, USUAL, keep_text
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.weakness import MOST_EPSILON
from ui.numbers import count, percent

CLEARLY_LESS = 0.8


def grouped_warnings(draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
    section = draft.sections[number]
    assert isinstance(section, GroupedDraft)
    protection = grouped_protection(section, draft.respondents, PRIOR)
    if protection is None:
        return
    law = protection.law
    too_long = not USUAL.admits(law.gamma)
    if too_long:
        words = _(
            "Too many questions are kept together: one record of this section can change the odds of something "
            "%(gamma)s times (epsilon %(epsilon)s, more than %(most)s). Ask each person fewer of them, or keep less."
        )
        said = {
            "gamma": count(ceil(protection.gamma)),
            "epsilon": written(protection.epsilon),
            "most": MOST_EPSILON,
        }
        yield SettingsWarning("long", words % said, tuple(_shorter(number, law)), number)
    first = protection.expectations[0]
    if first.half_width is not None and first.half_width > WIDE:
        words = _(
            "Few answers for this protection: with %(expected)s answers, the margin of error of "
            "one answer’s share will be ±%(points)s points."
        )
        said = {"expected": count(first.respondents), "points": points(first.half_width)}
        fixes = tuple(_quieter(draft, number, law, protection))
        yield SettingsWarning("noisy", words % said, fixes, number, first.half_width)
    yield from _floors(draft, number, law, protection)


def _shorter(number: int, law: SectionLaw) -> Iterator[QuickFix]:
    for asked in range(law.asked - 1, 0, -1):
        if USUAL.admits(SectionLaw(law.keep, law.noise, asked).gamma):
            words = _("Ask each person only %(asked)s of them")
            yield QuickFix(words % {"asked": asked}, f"asked {number} {asked}")
            break
    keep = admissible_keep(law.noise, law.asked, USUAL)
    if keep:
        yield QuickFix(
            _("Keep %(keep)s") % {"keep": percent(float(keep), 2)}, f"keep {number} {keep_text(keep)}"
        )


def _quieter(
    draft: Questionnaire, number: int, law: SectionLaw, protection: GroupedProtection
) -> Iterator[QuickFix]:
    limit = GammaLimit(law.gamma, strict=False)
    best = best_rotation(Aim(law.noise, limit, protection.supposed))
    now = protection.expectations[0].half_width
    error = best.errors(protection.respondents)[0] if best else None
    if best and error and now and error.half_width < CLEARLY_LESS * now:
        asked, keep = best.sections[0].law.asked, best.sections[0].law.keep
        words = _("Ask %(asked)s of %(all)s and keep %(keep)s: %(points)s points, as well protected as now")
        said = {"asked": asked, "all": len(law.noise), "keep": percent(float(keep), 2)}
        yield QuickFix(
            words % {**said, "points": points(error.half_width)}, f"both {number} {asked} {keep_text(keep)}"
        )
    if (spread := protection.expectations[0].spread) is not None:
        needed = rounded_up(spread.respondents_for_half_width(WIDE))
        yield expect(needed)


def _floors(
    draft: Questionnaire, number: int, law: SectionLaw, protection: GroupedProtection
) -> Iterator[SettingsWarning]:
    """Nothing is estimated below fifty asked, nor where a group has one to nine (docs/mathematics.md, Floors)."""
    scarce = next((e for e in protection.expectations if e.error and not e.enough), None)
    if scarce and scarce.spread and scarce.asked is not None:
        words = ngettext(
            "Of %(expected)s answers only %(asked)s would say something about one given answer of this section. "
            "Below %(least)s nothing is estimated.",
            "Of %(expected)s answers only %(asked)s would say something about %(length)s given answers of this "
            "section together. Below %(least)s nothing is estimated.",
            scarce.length,
        )
        said = {"expected": count(scarce.respondents), "asked": count(scarce.asked), "least": LEAST_BASE}
        cures = [expect(rounded_up(ceil(LEAST_BASE * scarce.spread.scarcity)))]
        if law.asked < len(law.noise):
            words_asked = _("Ask %(asked)s of %(all)s") % {"asked": law.asked + 1, "all": len(law.noise)}
            cures.append(QuickFix(words_asked, f"asked {number} {law.asked + 1}"))
        yield SettingsWarning("floor", words % {**said, "length": scarce.length}, tuple(cures), number)
    elif draft.open_answers:
        last = [e for e in protection.expectations if e.error][-1]
        if last.asked is not None and last.spread and last.asked * FEW_OPEN < LEAST_GROUP:
            words = ngettext(
                "If one in ten chooses no disguise, about %(few)s of them would be asked one given "
                "answer. A group of at least 1 but fewer than %(least)s people is too small: nothing "
                "is estimated then.",
                "If one in ten chooses no disguise, about %(few)s of them would be asked %(length)s "
                "given answers together. A group of at least 1 but fewer than %(least)s people is too "
                "small: nothing is estimated then.",
                last.length,
            )
            said = {"few": int(last.asked * FEW_OPEN), "length": last.length, "least": LEAST_GROUP}
            needed = rounded_up(ceil(LEAST_GROUP / FEW_OPEN * last.spread.scarcity))
            yield SettingsWarning("group", words % said, (closed(), expect(needed)), number)
