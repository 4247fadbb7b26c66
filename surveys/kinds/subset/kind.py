"""Questions that send a set of choices, in which the true one is more likely than any other: form, protection,
settings, warnings and columns of record files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, sqrt
from typing import Any, ClassVar

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.json_node import parts_to_decimal
from privacy.guarantee.expected_error import LEAST_BASE, NORMAL_95
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.subset.law import SubsetLaw, nearest_allowed_size
from privacy.kinds.subset.section import SubsetQuestion, SubsetSection
from surveys.draft_json import DEFAULT_SHARE
from surveys.kinds.choices_form import ChoicesForm, choices_summary_line
from surveys.kinds.kind_interface import QuestionKind, short_label_of_draft
from surveys.kinds.percent_fields import ProbabilityField, percent_text, probability_text
from surveys.kinds.protection_page_elements import (
    PRECISE,
    WIDE,
    ProtectionSetting,
    QuickFix,
    SettingsWarning,
    few_answers_warning,
    margin_text,
    more_answers_fix,
    round_up_to_two_figures,
    weak_protection_warning,
    wide_margin_warning,
)
from surveys.kinds.record_file_columns import Fact, FileColumns, markable_cell_texts
from surveys.kinds.start_page_probabilities import Chance, CoinChances, SendingChances, chance_from_share
from surveys.kinds.subset.draft import (
    FORM,
    SUBSET,
    SubsetDraft,
    convert_to_subset_selection,
    subset_at_gamma_limit,
)
from surveys.questionnaire.choice_question_kinds import new_block
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.protection import PRIOR, USUAL, Protection
from surveys.questionnaire.questionnaire import Questionnaire


class SubsetForm(ChoicesForm):
    sends_sets = True


@dataclass(frozen=True)
class SubsetProtection(Protection):
    """Protection of a question sent as sets; its margin of error assumes a true share of one in ten."""

    laws: tuple[SubsetLaw]

    @property
    def law(self) -> SubsetLaw:
        return self.laws[0]

    @property
    def keep_probability(self) -> float:
        return float(self.law.keep)

    @property
    def false_choice_probability(self) -> float:
        return float(self.law.false_inclusion_probability)

    @cached_property
    def half_width_for_one_respondent(self) -> float:
        """Half width of the interval with a single respondent, from which the width for any number of
        respondents follows."""
        return NORMAL_95 * sqrt(self.law.variance_per_respondent(Fraction(DEFAULT_SHARE)))

    @property
    def half_width(self) -> float:
        return self.half_width_for_one_respondent / sqrt(self.respondents)

    @property
    def share_margins(self) -> tuple[float, ...]:
        return (self.half_width,) if self.has_enough_answers else ()

    @property
    def margin_text(self) -> str:
        return margin_text(self.half_width, self.has_enough_answers)

    def answers_needed_for_half_width(self, half_width: float) -> int:
        return max(
            LEAST_BASE, round_up_to_two_figures(ceil((self.half_width_for_one_respondent / half_width) ** 2))
        )

    @property
    def answers_needed(self) -> int:
        """Number of answers at which the margin of error is five percentage points; never fewer than an estimate
        needs."""
        return self.answers_needed_for_half_width(PRECISE)


def subset_protection(
    section: SubsetDraft, respondents: int, prior: Fraction, language: str = ""
) -> SubsetProtection | None:
    """Returns guarantee and expected errors of a section that sends sets; None if its set size does not fit."""
    law = section.disguise_law()
    return SubsetProtection((law,), respondents, prior) if law else None


@dataclass(frozen=True, slots=True)
class SetChances(CoinChances):
    """Probabilities that the start page states; `keep`: how often the set contains the true choice; `other`:
    how often it contains any other choice. A set has `size` of the `choices` choices."""

    keep: Chance
    other: Chance
    size: int
    choices: int

    template: ClassVar[str] = "intake/odds-set.html"
    sets: ClassVar[bool] = True


class SubsetKind(QuestionKind[SubsetDraft]):
    draft = SubsetDraft
    device = "privacy/kinds/subset.js"
    module = "sets"
    title = gettext_lazy("Disguised question, sent as sets of answers")
    form_class = SubsetForm
    promise = "builder/promise-subset.html"
    panel = "builder/results-subset.html"
    heading = gettext_lazy("A question sent as sets: %(name)s")
    summary_line = staticmethod(choices_summary_line)
    section_within_limit = staticmethod(subset_at_gamma_limit)
    protection = staticmethod(subset_protection)

    def new_section(self, draft: Questionnaire) -> SubsetDraft:
        questions = new_block(draft, FORM, sensitive=True)
        return SubsetDraft(preset=DEFAULT.name, questions=tuple(questions))

    def one_question_section_text(self, section: SubsetDraft, respondents: int) -> str:
        protection = subset_protection(section, respondents, PRIOR)
        if protection is None:
            return ""
        words = _("%(name)s, sent as sets: %(margin)s")
        return words % {"name": short_label_of_draft(section.question), "margin": protection.margin_text}

    def protection_settings(self, section: SubsetDraft) -> Iterator[ProtectionSetting]:
        field = ProbabilityField(label=_("Sets that hold the true answer (%)"))
        yield ProtectionSetting("keep", field, percent_text(section.keep), 99)
        most = max(2, section.choice_count // 2)
        sizes = forms.IntegerField(label=_("Answers in a set"), min_value=2, max_value=most)
        yield ProtectionSetting("size", sizes, section.size, most, low=2)

    def settings_that_end_presets(self, section: SubsetDraft) -> Any:
        return [section.question.name, section.keep, section.size]

    def settings_faults(self, section: SubsetDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if cleaned.get("keep") is None or (size := cleaned.get("size")) is None:
            return
        if nearest_allowed_size(size, section.choice_count) != size:
            yield "size", _("That makes too many different sets: choose smaller ones.")
        elif section.disguise_law() and self.apply_settings(section, cleaned).disguise_law() is None:
            yield "keep", _("So rarely, a set says nothing of the true answer.")

    def apply_settings(self, section: SubsetDraft, cleaned: Mapping[str, Any]) -> SubsetDraft:
        return replace(section, keep=probability_text(cleaned["keep"]), size=cleaned["size"])

    def start_page_chances(self, section: SubsetSection, language: str) -> SetChances:
        law = section.law
        return SetChances(
            chance_from_share(law.keep),
            chance_from_share(law.false_inclusion_probability),
            law.size,
            law.choices,
        )

    def sending_chances(self, section: SubsetSection, question: SubsetQuestion) -> SendingChances:
        return [(section.law.keep, section.law.false_inclusion_probability)]

    def file_columns(self, section: SubsetSection) -> FileColumns:
        return FileColumns(
            SUBSET, "sets", are_sets=True, names=subset_choice_names, script=subset_analysis_facts
        )

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        section = draft.sections[number]
        assert isinstance(section, SubsetDraft)
        protection = subset_protection(section, draft.disguised_respondents, PRIOR)
        if protection is None:
            return
        if not USUAL.admits(protection.law.gamma):
            words = _("One answer says much: ε is %(epsilon)s (limit: %(most)s).")
            yield weak_protection_warning(
                words, protection, number, QuickFix(_("Strengthen it"), f"limit {number}")
            )
        if not protection.has_enough_answers:
            yield few_answers_warning(draft, number)
        elif protection.half_width > WIDE:
            words = _(
                "Few answers for this protection: with %(expected)s answers, the margin of error of "
                "one answer’s share will be ±%(points)s points."
            )
            cure = more_answers_fix(draft, protection.answers_needed_for_half_width(WIDE))
            yield wide_margin_warning(words, draft, protection.half_width, number, cure)


def subset_choice_names(question: SubsetQuestion) -> list[str]:
    return [choice.name for choice in question.choices]


def subset_analysis_facts(section: SubsetSection, question: SubsetQuestion) -> Mapping[str, Fact]:
    cells = markable_cell_texts(subset_choice_names(question))
    return {"cells": cells, "keep": Decimal(parts_to_decimal(section.keep_parts)), "size": question.size}


def sets_proposal_text(section: DraftSection, law: SectionLaw) -> str:
    """Returns a sentence that proposes to send sets instead of one choice; empty if sets are no better."""
    proposal = convert_to_subset_selection(section, law)
    if proposal is None:
        return ""
    sets, times = proposal
    words = _(
        "Sending a set of %(size)s choices instead of one needs %(times)s times fewer answers at the same protection."
    )
    return words % {"size": sets.size, "times": number_format(times, 1)}
