"""Sensitive numbers, disguised by classes or by a window: settings, warnings, start page and columns of record
files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import parts_to_decimal
from privacy.kinds.number.classes.law import intervals
from privacy.kinds.number.classes.section import CLASSES, REST_PARTS, ClassesQuestion, ClassesSection
from privacy.kinds.number.number_question import NumberQuestion
from privacy.kinds.number.window.law import BANDED
from privacy.kinds.number.window.section import WINDOW, WindowQuestion, WindowSection
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.number.draft import (
    GOALS,
    MEAN,
    SCALE,
    SHARES,
    NumberDraft,
    NumberDraftQuestion,
    WindowDraftQuestion,
)
from surveys.kinds.number.editing import COMMANDS, new_number_section, recompute_changed_number_settings
from surveys.kinds.number.form import NumberForm
from surveys.kinds.number.guarantee_and_errors import ClassesProtection, WindowProtection, number_protection
from surveys.kinds.number.planning_pictures import localized_number_text
from surveys.kinds.number.proposals import number_at_gamma_limit
from surveys.kinds.percent_fields import ProbabilityField, percent_text, probability_text
from surveys.kinds.protection_page_elements import (
    WIDE,
    ProtectionSetting,
    QuickFix,
    SettingsWarning,
    more_answers_fix,
    smaller_error_fix,
    stronger_disguise_fix,
    weak_protection_warning,
    wide_margin_warning,
)
from surveys.kinds.question_form import QuestionBlockSummary
from surveys.kinds.record_file_columns import Fact, FileColumns, markable_cell_texts, no_column_values
from surveys.kinds.start_page_probabilities import (
    Chance,
    CoinChances,
    SendingChances,
    chance_from_share,
    sending_chances_for_keep,
)
from surveys.questionnaire.problems_and_refusals import Problem, reason_text
from surveys.questionnaire.protection import PRIOR, USUAL
from surveys.questionnaire.question_block_editing import Block
from surveys.questionnaire.questionnaire import Questionnaire
from ui.number_format import format_count, format_percent
from ui.quantity_format import format_quantity

KEEP, UNIFORM = "keep", "uniform"
COARSE = 0.4
"""Half the width of a curve's band, relative to its mean height, from which the curve is too imprecise to be useful."""


@dataclass(frozen=True, slots=True)
class NumberChances(CoinChances):
    """Probabilities that the start page states; `keep`: how often a number near the true one, or its class, is sent.

    For a window, numbers run from `low` to `high`, and the sent one is at most `far` away. For classes, a device draws
    `cuts` of the `limits`; `rest`: how often it sends a bit for the position inside the class instead, None if never.
    `steps`: how many numbers there are to choose from where each is a class of its own, else 0.
    """

    keep: Chance
    low: int
    high: int
    far: int = 0
    limits: tuple[int, ...] = ()
    cuts: int = 0
    rest: Chance | None = None
    steps: int = 0

    template: ClassVar[str] = "intake/odds-number.html"


class NumberKind(QuestionKind[NumberDraft]):
    draft = NumberDraft
    device = "privacy/kinds/number.js"
    module = "numbers"
    title = gettext_lazy("Disguised number")
    adds = gettext_lazy("A sensitive number")
    button = gettext_lazy("Add a sensitive number")
    form_class = NumberForm
    promise = "builder/promise-number.html"
    panel = "builder/results-number.html"
    heading = gettext_lazy("A disguised number: %(name)s")
    commands = COMMANDS
    new_section = staticmethod(new_number_section)
    section_within_limit = staticmethod(number_at_gamma_limit)
    protection = staticmethod(number_protection)
    adapt_dependent_settings = staticmethod(recompute_changed_number_settings)

    def summary_line(self, block: Block, language: str) -> QuestionBlockSummary:
        (question,) = block
        assert isinstance(question, NumberDraftQuestion)
        goal = str(GOALS[question.goal])
        try:
            numbers = question.number_range
        except InputError:
            return QuestionBlockSummary(_("Number"), (goal,))
        high = f"{localized_number_text(numbers.high)} {question.unit.get(language, '')}".strip()
        words = _("Number from %(low)s to %(high)s") % {
            "low": localized_number_text(numbers.low),
            "high": high,
        }
        return QuestionBlockSummary(words, (goal,))

    def protection_settings(self, section: NumberDraft) -> Iterator[ProtectionSetting]:
        question = section.question
        if isinstance(question, WindowDraftQuestion):
            field = ProbabilityField(label=_("Random number sent (%)"))
            yield ProtectionSetting(UNIFORM, field, percent_text(question.uniform), 99)
        else:
            field = ProbabilityField(label=_("True answer sent (%)"))
            yield ProtectionSetting(KEEP, field, percent_text(section.keep), 99)

    def settings_that_end_presets(self, section: NumberDraft) -> Any:
        question = section.question
        uniform = question.uniform if isinstance(question, WindowDraftQuestion) else None
        return [question.name, question.law, section.keep, uniform]

    def settings_faults(self, section: NumberDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yields each setting whose new value a design would refuse, with the reason."""
        if UNIFORM not in cleaned:
            return
        try:
            self.apply_settings(section, cleaned).as_design_section()
        except InputError as refusal:
            yield UNIFORM, Problem("", reason_text(refusal)).sentence

    def apply_settings(self, section: NumberDraft, cleaned: Mapping[str, Any]) -> NumberDraft:
        question = section.question
        if isinstance(question, WindowDraftQuestion):
            return replace(
                section, questions=(replace(question, uniform=probability_text(cleaned[UNIFORM])),)
            )
        return replace(section, keep=probability_text(cleaned[KEEP]))

    def start_page_chances(self, section: ClassesSection | WindowSection, language: str) -> NumberChances:
        if isinstance(section, WindowSection):
            window = section.question
            far = window.half * window.step
            return NumberChances(chance_from_share(section.law.windowed), window.low, window.high, far=far)
        classes = section.question
        return NumberChances(
            chance_from_share(section.law.keep),
            classes.low,
            classes.high,
            limits=classes.limits,
            cuts=classes.cuts,
            rest=chance_from_share(Fraction(classes.rest, REST_PARTS)) if classes.rest else None,
            steps=classes.classes if classes.is_scale and classes.cuts == len(classes.limits) else 0,
        )

    def sending_chances(
        self, section: ClassesSection | WindowSection, question: NumberQuestion
    ) -> SendingChances:
        return sending_chances_for_keep(
            section.law.windowed if isinstance(section, WindowSection) else section.law.keep
        )

    def file_columns(self, section: ClassesSection | WindowSection) -> FileColumns:
        return WINDOW_COLUMNS if isinstance(section, WindowSection) else CLASSES_COLUMNS

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        section = draft.sections[number]
        assert isinstance(section, NumberDraft)
        protection = number_protection(section, draft.disguised_respondents, PRIOR)
        if protection and not USUAL.admits(protection.guarantee.gamma):
            words = _(
                "This number alone can change the odds of something %(gamma)s times (epsilon %(epsilon)s, more than "
                "%(most)s)."
            )
            yield weak_protection_warning(words, protection, number, stronger_disguise_fix(number))
        if isinstance(protection, ClassesProtection):
            yield from classes_warnings(draft, protection, number)
        elif isinstance(protection, WindowProtection):
            yield from window_warnings(draft, protection, number)


def classes_warnings(
    draft: Questionnaire, protection: ClassesProtection, section_number: int
) -> Iterator[SettingsWarning]:
    """Yields the warnings about a number disguised by classes."""
    respondents, expected = protection.respondents, format_count(protection.respondents)
    least, min_respondents_for_mean = (
        protection.classes.min_respondents_for_shares,
        protection.classes.min_respondents_for_mean,
    )
    if not protection.has_enough_answers:
        words = _("With %(expected)s answers nothing is estimated of this number: %(least)s are needed.")
        words %= {"expected": expected, "least": format_count(least)}
        yield SettingsWarning("floor", words, (more_answers_fix(draft, least),), section_number)
        return
    if protection.expected_mean and respondents < min_respondents_for_mean:
        words = _("With %(expected)s answers the average is withheld: %(least)s are needed.")
        words %= {"expected": expected, "least": format_count(min_respondents_for_mean)}
        fix = more_answers_fix(draft, min_respondents_for_mean)
        yield SettingsWarning("floor", words, (fix,), section_number)
    if protection.expected_mean and protection.class_dominating_mean_error:
        words = _(
            "The class from %(low)s to %(high)s governs the margin of error of the average. Add limits there."
        )
        low, high = map(localized_number_text, protection.class_dominating_mean_error)
        fix = QuickFix(_("Add limits there"), f"widest {section_number}")
        yield SettingsWarning("noisy", words % {"low": low, "high": high}, (fix,), section_number)
    if protection.goal in (SHARES, SCALE) and protection.widest_margin > WIDE:
        words = _(
            "With %(expected)s answers, the margin of error of some shares of this number is "
            "±%(points)s points."
        )
        yield wide_margin_warning(words, draft, protection.widest_margin, section_number)
    if protection.goal == MEAN and protection.relative_mean_half_width > WIDE:
        words = _("With %(expected)s answers, the margin of error of the average is ±%(share)s of the range.")
        words %= {"expected": expected, "share": format_percent(protection.relative_mean_half_width, 0)}
        fix = smaller_error_fix(draft, protection.relative_mean_half_width / WIDE)
        yield SettingsWarning("noisy", words, (fix,), section_number)


def window_warnings(
    draft: Questionnaire, protection: WindowProtection, section_number: int
) -> Iterator[SettingsWarning]:
    """Yields the warnings about a number disguised by a window."""
    expected, half_width = format_count(protection.respondents), protection.relative_half_width
    if not protection.shows_band:
        words = _(
            "With %(expected)s answers the curve of this number has no error band: %(least)s are needed."
        )
        words %= {"expected": expected, "least": format_count(BANDED)}
        yield SettingsWarning("floor", words, (more_answers_fix(draft, BANDED),), section_number)
    elif half_width > COARSE:
        words = _(
            "With %(expected)s answers, the margin of error of the curve is ±%(share)s of its mean height."
        )
        words %= {"expected": expected, "share": format_percent(half_width, 0)}
        fix = smaller_error_fix(draft, half_width / COARSE)
        yield SettingsWarning("noisy", words, (fix,), section_number)


def unit_text(question: NumberQuestion, language: str) -> str:
    return " ".join(question.unit.in_language_or_first(language).split())


def class_code_texts(question: ClassesQuestion, language: str) -> list[str]:
    """Returns the meaning of each code: a range between limits, or the bit for the position inside a class."""
    unit = unit_text(question, language)
    # Of 1 a unit has its singular: 1 hour.
    limits = [
        format_quantity(limit, unit) if limit == 1 else f"{limit} {unit}".strip() for limit in question.limits
    ]
    between = []
    for a, z in intervals(question.classes):
        ends = {"low": limits[a - 1] if a else "", "high": limits[z - 1] if z < question.classes else ""}
        if not ends["high"]:
            words = _("%(low)s or more") if a else _("any number")
        else:
            words = _("%(low)s or more, below %(high)s") if a else _("below %(high)s")
        between.append(words % ends)
    bits = [_("inside the class: no"), _("inside the class: yes")] if question.rest else []
    return between + bits


def window_analysis_facts(section: WindowSection, question: WindowQuestion) -> Mapping[str, Fact]:
    return {
        "low": question.low,
        "step": question.step,
        "values": question.values,
        "half": question.half,
        "uniform": Decimal(parts_to_decimal(question.uniform_parts)),
    }


def classes_analysis_facts(section: ClassesSection, question: ClassesQuestion) -> Mapping[str, Fact]:
    rest = "0" if section.rest_keep_parts is None else parts_to_decimal(section.rest_keep_parts)
    return {
        "cells": markable_cell_texts(question.code_names),
        "keep": Decimal(parts_to_decimal(section.keep_parts)),
        "low": question.low,
        "high": question.high,
        "limits": question.limits,
        "cuts": question.cuts,
        "span": question.widest_class_span,
        "rest": question.rest,
        "keep_rest": Decimal(rest),
        "mean": question.has_mean,
    }


WINDOW_COLUMNS = FileColumns(
    WINDOW,
    "windows",
    is_number=True,
    words=no_column_values,
    numbers=lambda question: range(question.low, question.high + 1, question.step),
    unit=unit_text,
    script=window_analysis_facts,
)
CLASSES_COLUMNS = FileColumns(
    CLASSES,
    "classes",
    is_number=True,
    has_keep=True,
    words=class_code_texts,
    unit=unit_text,
    script=classes_analysis_facts,
)
