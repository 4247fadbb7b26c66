"""Warnings about questions that are disguised together, with quick fixes."""

from collections.abc import Iterator
from math import ceil

from django.utils.translation import gettext as _, ngettext

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import LEAST_BASE
from privacy.guarantee.section_layouts import LayoutAim, admissible_keep, best_one_section_layout
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.grouped.guarantee_and_errors import (
    GroupedProtection,
    grouped_protection,
)
from surveys.kinds.protection_page_elements import (
    WIDE,
    QuickFix,
    SettingsWarning,
    close_open_answers_fix,
    more_answers_fix,
    percentage_points_text,
    weak_protection_warning,
    wide_margin_warning,
)
from surveys.questionnaire.protection import PRIOR, USUAL, keep_probability_text
from surveys.questionnaire.questionnaire import Questionnaire
from ui.number_format import format_count, format_percent

CLEARLY_LESS = 0.8
LEAST_GROUP = 10
FEW_OPEN = 0.1
"""Smallest share of open, or of disguised, answers with which estimates should still be possible."""


def grouped_warnings(draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
    """Yields the warnings about protection and precision of section `number`, whose questions are disguised
    together."""
    section = draft.sections[number]
    assert isinstance(section, GroupedDraft)
    protection = grouped_protection(section, draft.disguised_respondents, PRIOR)
    if protection is None:
        return
    if not USUAL.admits(protection.law.gamma):
        words = _(
            "Too many questions are kept together: one record of this section can change the odds of something "
            "%(gamma)s times (epsilon %(epsilon)s, more than %(most)s). Ask each person fewer of them, or keep less."
        )
        yield weak_protection_warning(
            words, protection, number, *_stronger_protection_fixes(number, protection.law)
        )
    first = protection.itemset_margins[0]
    if first.half_width is not None and first.has_enough_answers and first.half_width > WIDE:
        words = _(
            "Few answers for this protection: with %(expected)s answers, the margin of error of "
            "one answer’s share will be ±%(points)s points."
        )
        yield wide_margin_warning(
            words, draft, first.half_width, number, *_precision_fixes(draft, number, protection)
        )
    yield from _too_few_answers_warnings(draft, number, protection)


def _stronger_protection_fixes(number: int, law: SectionLaw) -> Iterator[QuickFix]:
    """Yields fixes that ask each person fewer questions, or lower the keep probability."""
    for asked in range(law.asked - 1, 0, -1):
        if USUAL.admits(SectionLaw(law.keep, law.noise, asked).gamma):
            words = _("Ask each person only %(asked)s of them")
            yield QuickFix(words % {"asked": asked}, f"asked {number} {asked}")
            break
    if keep := admissible_keep(law.noise, law.asked, USUAL):
        words = _("Keep %(keep)s") % {"keep": format_percent(float(keep), 2)}
        yield QuickFix(words, f"keep {number} {keep_probability_text(keep)}")


def _precision_fixes(draft: Questionnaire, number: int, protection: GroupedProtection) -> Iterator[QuickFix]:
    """Yields fixes that change the number of questions asked at the same gamma, or raise the number of
    expected answers."""
    law, first = protection.law, protection.itemset_margins[0]
    best = best_one_section_layout(
        LayoutAim(law.noise, GammaLimit(law.gamma, strict=False), protection.supposed_itemset_supports)
    )
    error = best.errors(protection.respondents)[0] if best else None
    is_better = error and first.half_width and error.half_width < CLEARLY_LESS * first.half_width
    # A lasting disguise has a second probability, which would have to follow.
    if best and error and is_better and not protection.section.is_lasting:
        asked, keep = best.sections[0].law.asked, best.sections[0].law.keep
        words = _(
            "Ask %(asked)s of %(all)s and keep %(keep)s: %(points)s points, as well protected as now"
        ) % {
            "asked": asked,
            "all": len(law.noise),
            "keep": format_percent(float(keep), 2),
            "points": percentage_points_text(error.half_width),
        }
        yield QuickFix(words, f"both {number} {asked} {keep_probability_text(keep)}")
    if first.spread is not None:
        yield more_answers_fix(draft, first.spread.respondents_for_half_width(WIDE))


def _too_few_answers_warnings(
    draft: Questionnaire, number: int, protection: GroupedProtection
) -> Iterator[SettingsWarning]:
    """Yields warnings if too few people are asked, or if too few open or disguised answers would make
    estimates impossible (docs/mathematics.md, Floors)."""
    law = protection.law
    scarce = next(
        (
            length
            for length in protection.itemset_margins
            if length.itemset_error and not length.has_enough_answers
        ),
        None,
    )
    if scarce and scarce.spread and scarce.respondents_of_rarest_itemset is not None:
        words = ngettext(
            "%(asked)s of %(expected)s answers would say something about one given answer of this section. "
            "Below %(least)s nothing is estimated.",
            "%(asked)s of %(expected)s answers would say something about %(length)s given answers of this "
            "section together. Below %(least)s nothing is estimated.",
            scarce.length,
        ) % {
            "expected": format_count(scarce.respondents),
            "asked": format_count(scarce.respondents_of_rarest_itemset),
            "length": scarce.length,
            "least": LEAST_BASE,
        }
        cures = [more_answers_fix(draft, ceil(LEAST_BASE * scarce.spread.scarcity))]
        if law.asked < len(law.noise):
            more = _("Ask %(asked)s of %(all)s") % {"asked": law.asked + 1, "all": len(law.noise)}
            cures.append(QuickFix(more, f"asked {number} {law.asked + 1}"))
        yield SettingsWarning("floor", words, tuple(cures), number)
    elif draft.open_answers:
        last = [length for length in protection.itemset_margins if length.itemset_error][-1]
        if (
            last.respondents_of_rarest_itemset is not None
            and last.spread
            and last.respondents_of_rarest_itemset * FEW_OPEN < LEAST_GROUP
        ):
            words = ngettext(
                "If one in ten chooses no disguise, about %(few)s of them would be asked one given "
                "answer. A group of at least 1 but fewer than %(least)s people is too small: nothing "
                "is estimated then.",
                "If one in ten chooses no disguise, about %(few)s of them would be asked %(length)s "
                "given answers together. A group of at least 1 but fewer than %(least)s people is too "
                "small: nothing is estimated then.",
                last.length,
            ) % {
                "few": int(last.respondents_of_rarest_itemset * FEW_OPEN),
                "length": last.length,
                "least": LEAST_GROUP,
            }
            needed = ceil(LEAST_GROUP / FEW_OPEN * last.spread.scarcity)
            yield SettingsWarning(
                "group", words, (close_open_answers_fix(), more_answers_fix(draft, needed)), number
            )
