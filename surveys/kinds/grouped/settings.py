"""The settings of questions that are disguised together, and the warnings about them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _, ngettext

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.question import YES_NO
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import Aim, admissible_keep, best_rotation
from privacy.guarantee.error import LEAST_BASE
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.grouped.section import LASTING
from surveys.draft import DEFAULT_SHARE
from surveys.kinds.fields import ProbabilityField, as_percent, as_probability, parts_from_percent
from surveys.kinds.grouped.draft import GroupedDraft, noise_law, share_text
from surveys.kinds.grouped.protection import (
    GroupedProtection,
    QuestionMargin,
    first_words,
    grouped_protection,
)
from surveys.kinds.settings import (
    WIDE,
    QuickFix,
    SectionPanel,
    SectionSettings,
    Setting,
    SettingsWarning,
    close_open_answers,
    expect,
    noisy_warning,
    points,
    rounded_up,
    weak_warning,
)
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.protection import PRIOR, USUAL, keep_text
from surveys.questionnaire.questionnaire import Questionnaire
from ui.numbers import count, percent

CLEARLY_LESS = 0.8
LEAST_GROUP = 10
FEW_OPEN = 0.1
"""The smallest share of people who answer openly, or disguised, that a survey should stand."""


class GroupedSettings(SectionSettings[GroupedDraft]):
    """Keep, noise of yes, how many questions each person is asked, and what lasts over all rounds."""

    def settings(self, section: GroupedDraft) -> Iterator[Setting]:
        questions = section.questions
        field: forms.Field = ProbabilityField(label=_("True answers sent (%)"))
        yield Setting("keep", field, as_percent(section.keep), 99)
        if any(map(has_yes, questions)):
            field = ProbabilityField(label=_("“Yes” among random answers (%)"), required=False)
            yield Setting("yes", field, common_yes(section), 99)
        if len(questions) > 1:
            field = forms.IntegerField(
                label=_("Of %(all)s questions, each person is asked") % {"all": len(questions)},
                min_value=1,
                max_value=len(questions),
            )
            yield Setting("asked", field, section.asked_of_each, len(questions))
        field = ProbabilityField(label=_("True answers kept for all rounds (%)"), required=False)
        yield Setting(LASTING, field, as_percent(section.lasting) if section.lasting else "", 99)

    def value(self, section: GroupedDraft) -> Any:
        noise = [[question.name, question.noise] for question in section.questions]
        return [section.keep, section.asked, section.lasting, noise]

    def faults(self, section: GroupedDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        keep, yes, lasting = (cleaned.get(name) for name in ("keep", "yes", LASTING))
        most = max((len(question.choices) for question in section.questions if has_yes(question)), default=0)
        # Each of the other answers needs .0001 at least.
        if yes and (100 - yes) * PARTS / 100 < most - 1:
            yield "yes", _("That leaves nothing for the other answers.")
        if lasting and keep and lasting <= keep:
            yield LASTING, _("It must be above the true answers sent: each round is disguised once more.")

    def changed(self, section: GroupedDraft, cleaned: Mapping[str, Any]) -> GroupedDraft:
        yes, questions = cleaned.get("yes"), []
        if yes and f"{yes.normalize():f}" == common_yes(section):
            yes = None
        for row, question in enumerate(section.questions):
            expected = cleaned.get(f"share{row}")
            share = as_probability(expected) if expected else DEFAULT_SHARE
            after = with_yes(question, yes) if yes and has_yes(question) else question
            questions.append(replace(after, share="" if share == DEFAULT_SHARE else share))
        return replace(
            section,
            keep=as_probability(cleaned["keep"]),
            asked=cleaned.get("asked") or section.asked,
            lasting=as_probability(cleaned[LASTING]) if cleaned.get(LASTING) else "",
            questions=tuple(questions),
        )

    def share_fields(self, section: GroupedDraft) -> Iterator[tuple[str, forms.Field, str]]:
        for row, question in enumerate(section.questions):
            label = _("Expected share (%%): %(question)s") % {"question": first_words(question)}
            field = ProbabilityField(label=label, required=False)
            yield f"share{row}", field, as_percent(share_text(question))

    def shares(self, section: GroupedDraft) -> list[str]:
        return list(map(share_text, section.questions))


class GroupedPanel(SectionPanel[GroupedDraft]):
    template = "builder/results-grouped.html"
    dials = GroupedSettings()
    find = staticmethod(grouped_protection)

    @property
    def title(self) -> str:
        questions = len(self.section.questions)
        words = ngettext("%(questions)s disguised question", "%(questions)s disguised questions", questions)
        return words % {"questions": questions}

    @property
    def margins(self) -> list[tuple[QuestionMargin, BoundField]]:
        """The margin of error of each question, with the field of the share that is expected."""
        protection = self.find(self.section, self.respondents, self.prior)
        return list(zip(protection.margins, self.fields.shares, strict=True)) if protection else []


def has_yes(question: DraftQuestion) -> bool:
    return set(question.choice_names).issuperset(YES_NO)


def common_yes(section: GroupedDraft) -> str:
    """How often chance says yes, in per cent; empty where questions differ, or share the rest out unevenly."""
    shares = set()
    for question in filter(has_yes, section.questions):
        noise = dict(zip(question.choice_names, noise_law(question), strict=True))
        yes, others = noise.pop("yes"), noise.values()
        is_even = max(others) - min(others) <= Fraction(1, PARTS)
        shares.add(decimal(int(yes * PARTS)) if is_even else "")
    share = shares.pop() if len(shares) == 1 else ""
    return as_percent(share) if share else ""


def with_yes(question: DraftQuestion, percent: Decimal) -> DraftQuestion:
    """Chance says yes so often; the other answers share the rest evenly, the first get what is left over."""
    yes = parts_from_percent(percent)
    share, spare = divmod(PARTS - yes, len(question.choices) - 1)
    noise, others = [], 0
    for name in question.choice_names:
        noise.append(decimal(yes) if name == "yes" else decimal(share + (others < spare)))
        others += name != "yes"
    return replace(question, noise=tuple(noise))


def grouped_warnings(draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
    section = draft.sections[number]
    assert isinstance(section, GroupedDraft)
    protection = grouped_protection(section, draft.respondents, PRIOR)
    if protection is None:
        return
    if not USUAL.admits(protection.law.gamma):
        words = _(
            "Too many questions are kept together: one record of this section can change the odds of something "
            "%(gamma)s times (epsilon %(epsilon)s, more than %(most)s). Ask each person fewer of them, or keep less."
        )
        yield weak_warning(words, protection, number, *_stronger(number, protection.law))
    first = protection.expectations[0]
    if first.half_width is not None and first.half_width > WIDE:
        words = _(
            "Few answers for this protection: with %(expected)s answers, the margin of error of "
            "one answer’s share will be ±%(points)s points."
        )
        yield noisy_warning(words, first.respondents, first.half_width, number, *_quieter(number, protection))
    yield from _floors(draft, number, protection)


def _stronger(number: int, law: SectionLaw) -> Iterator[QuickFix]:
    """Fewer questions asked of each person, or fewer answers kept."""
    for asked in range(law.asked - 1, 0, -1):
        if USUAL.admits(SectionLaw(law.keep, law.noise, asked).gamma):
            words = _("Ask each person only %(asked)s of them")
            yield QuickFix(words % {"asked": asked}, f"asked {number} {asked}")
            break
    if keep := admissible_keep(law.noise, law.asked, USUAL):
        words = _("Keep %(keep)s") % {"keep": percent(float(keep), 2)}
        yield QuickFix(words, f"keep {number} {keep_text(keep)}")


def _quieter(number: int, protection: GroupedProtection) -> Iterator[QuickFix]:
    """Another number of questions asked at the same gamma, or more respondents."""
    law, first = protection.law, protection.expectations[0]
    best = best_rotation(Aim(law.noise, GammaLimit(law.gamma, strict=False), protection.supposed))
    error = best.errors(protection.respondents)[0] if best else None
    if best and error and first.half_width and error.half_width < CLEARLY_LESS * first.half_width:
        asked, keep = best.sections[0].law.asked, best.sections[0].law.keep
        words = _(
            "Ask %(asked)s of %(all)s and keep %(keep)s: %(points)s points, as well protected as now"
        ) % {
            "asked": asked,
            "all": len(law.noise),
            "keep": percent(float(keep), 2),
            "points": points(error.half_width),
        }
        yield QuickFix(words, f"both {number} {asked} {keep_text(keep)}")
    if first.spread is not None:
        yield expect(rounded_up(first.spread.respondents_for_half_width(WIDE)))


def _floors(draft: Questionnaire, number: int, protection: GroupedProtection) -> Iterator[SettingsWarning]:
    """Nothing is estimated below fifty asked, nor where a group has one to nine (docs/mathematics.md, Floors)."""
    law = protection.law
    scarce = next((length for length in protection.expectations if length.error and not length.enough), None)
    if scarce and scarce.spread and scarce.asked is not None:
        words = ngettext(
            "Of %(expected)s answers only %(asked)s would say something about one given answer of this section. "
            "Below %(least)s nothing is estimated.",
            "Of %(expected)s answers only %(asked)s would say something about %(length)s given answers of this "
            "section together. Below %(least)s nothing is estimated.",
            scarce.length,
        ) % {
            "expected": count(scarce.respondents),
            "asked": count(scarce.asked),
            "length": scarce.length,
            "least": LEAST_BASE,
        }
        cures = [expect(rounded_up(ceil(LEAST_BASE * scarce.spread.scarcity)))]
        if law.asked < len(law.noise):
            more = _("Ask %(asked)s of %(all)s") % {"asked": law.asked + 1, "all": len(law.noise)}
            cures.append(QuickFix(more, f"asked {number} {law.asked + 1}"))
        yield SettingsWarning("floor", words, tuple(cures), number)
    elif draft.open_answers:
        last = [length for length in protection.expectations if length.error][-1]
        if last.asked is not None and last.spread and last.asked * FEW_OPEN < LEAST_GROUP:
            words = ngettext(
                "If one in ten chooses no disguise, about %(few)s of them would be asked one given "
                "answer. A group of at least 1 but fewer than %(least)s people is too small: nothing "
                "is estimated then.",
                "If one in ten chooses no disguise, about %(few)s of them would be asked %(length)s "
                "given answers together. A group of at least 1 but fewer than %(least)s people is too "
                "small: nothing is estimated then.",
                last.length,
            ) % {"few": int(last.asked * FEW_OPEN), "length": last.length, "least": LEAST_GROUP}
            needed = rounded_up(ceil(LEAST_GROUP / FEW_OPEN * last.spread.scarcity))
            yield SettingsWarning("group", words, (close_open_answers(), expect(needed)), number)
