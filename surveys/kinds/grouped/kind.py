"""Questions disguised together by an unrelated question: form, settings on the protection page, start page and columns
of record files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from privacy.grammar.json_node import PARTS, parts_to_decimal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import DEFAULT, best_section_law
from privacy.guarantee.section_layouts import admissible_keep
from privacy.kinds.grouped.section import LASTING, SensitiveQuestion, UnrelatedQuestionSection
from surveys.draft_json import DEFAULT_SHARE, TOGETHER
from surveys.kinds.choices_form import ChoicesForm, answer_text, choices_summary_line
from surveys.kinds.grouped.draft import GroupedDraft, expected_share_text, has_yes_and_no, noise_law
from surveys.kinds.grouped.guarantee_and_errors import (
    code_of_answer_for_margin,
    expected_answer_share,
    grouped_protection,
    question_text_or_name,
    section_with_law,
    supposed_shares_by_itemset_length,
)
from surveys.kinds.grouped.warnings import grouped_warnings
from surveys.kinds.kind_interface import ComparedItem, QuestionKind
from surveys.kinds.percent_fields import (
    HUNDRED,
    ProbabilityField,
    percent_text,
    probability_text,
    ten_thousandths_from_percent,
)
from surveys.kinds.protection_page_elements import ProtectionSetting
from surveys.kinds.record_file_columns import GROUPED_COLUMNS, FileColumns
from surveys.kinds.start_page_probabilities import Chance, CoinChances, SendingChances, chance_from_share
from surveys.questionnaire import answer_choice_editing
from surveys.questionnaire.answer_scales import scale_values
from surveys.questionnaire.draft_question import DraftQuestion, error_growth_of_other_questions
from surveys.questionnaire.question_block_editing import Block, is_group_of_options
from surveys.questionnaire.questionnaire import Questionnaire


class GroupedForm(ChoicesForm):
    """Form for a question with choices and the probabilities of its random answers; for an option of a multiple-answer
    question, the probability of yes only."""

    section: GroupedDraft

    def add_noise_fields(self) -> None:
        block = self.block
        self.has_noise = any(question.noise for question in block)
        for row in range(len(answer_choice_editing.answer_rows(block))):
            label = _("“%(answer)s” among random answers (%%)")
            label %= {"answer": answer_text(block, row, self.language)}
            self.fields[f"chance-{row}"] = ProbabilityField(label=label, required=False)
            noise = block[row].noise[1:] if is_group_of_options(block) else block[0].noise[row:]
            if noise:
                self.initial[f"chance-{row}"] = percent_text(noise[0])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        percents = [
            data.get(f"chance-{row}") for row in range(len(answer_choice_editing.answer_rows(self.block)))
        ]
        if is_group_of_options(self.block) or not any(percents) or self.errors:
            return data
        total = sum((percent for percent in percents if percent), Decimal(0))
        if total != HUNDRED or not all(percents):
            message = _(
                "Together they must be 100 %%, not %(total)s. Leave all empty for equal probabilities."
            )
            raise ValidationError(message, params={"total": f"{total.normalize():f}"})
        return data

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        block = super().apply_to_block(block, cleaned)
        percents = [cleaned[f"chance-{row}"] for row in range(len(answer_choice_editing.answer_rows(block)))]
        noise = [[percent for percent in percents if percent]]
        if is_group_of_options(block):
            noise = [[HUNDRED - yes, yes] if yes else [] for yes in percents]
        pairs = zip(block, noise, strict=True)
        return [
            replace(question, noise=tuple(map(probability_text, percents))) for question, percents in pairs
        ]

    @property
    def ask_as_number_advice(self) -> str:
        """Advice to ask a numeric scale as a number instead; empty for any other question."""
        values = scale_values(self.block[0])
        if not values:
            return ""
        if len({above - below for below, above in pairwise(values)}) == 1:
            return _(
                "These answers are numbers. Asked as a number, you also learn the average, and the shares at or above "
                "each have no larger errors at the same protection."
            )
        return _(
            "These answers are numbers. Asked as a number, people type theirs, and the shares at or above each of "
            "these have no larger errors at the same protection."
        )

    @property
    def control_item_error_growth(self) -> float | None:
        """Factor by which this control item enlarges the errors of the other questions in its section, at equal gamma;
        None if there are no others.

        A control item is a question whose true share is known.
        """
        law = self.section.disguise_law()
        return (
            error_growth_of_other_questions(law, self.section.questions.index(self.block[0])) if law else None
        )


@dataclass(frozen=True, slots=True)
class GroupedChances(CoinChances):
    """Probabilities that the start page states for questions disguised together.

    `keep`: how often the true answers are sent. `yes`: how often a random answer is yes; None if questions
    differ. `yes_label`: the design's label of yes, if all questions have the same. `rarest`: how often the
    rarest answer is sent by people with another true answer.
    """

    questions: int
    asked: int
    keep: Chance
    yes: Chance | None
    rarest: Chance
    yes_label: str = ""

    template: ClassVar[str] = "intake/odds-grouped.html"

    @property
    def asks_random_subset_of_questions(self) -> bool:
        return self.asked < self.questions


class GroupedKind(QuestionKind[GroupedDraft]):
    draft = GroupedDraft
    device = "privacy/kinds/grouped.js"
    title = gettext_lazy("Disguised")
    form_class = GroupedForm
    promise = "builder/promise-grouped.html"
    panel = "builder/results-grouped.html"
    summary_line = staticmethod(choices_summary_line)
    protection = staticmethod(grouped_protection)
    warnings = staticmethod(grouped_warnings)

    def new_section(self, draft: Questionnaire) -> GroupedDraft:
        return GroupedDraft(preset=DEFAULT.name, pairs=True)

    def section_within_limit(self, section: GroupedDraft, limit: GammaLimit) -> GroupedDraft | None:
        law = section.disguise_law()
        keep = admissible_keep(law.noise, law.asked, limit) if law else None
        return section_with_law(section, replace(law, keep=keep)) if law and keep else None

    def best_section_within_limit(self, section: GroupedDraft, limit: GammaLimit) -> GroupedDraft | None:
        """Returns the section with the best keep probability and number of questions per person within the limit; None
        if records would reveal nothing then."""
        before = section.disguise_law()
        if before is None:
            return None
        shares = supposed_shares_by_itemset_length(list(map(expected_answer_share, section.questions)))
        pairs = shares if section.is_for_pairs else None
        law = best_section_law(before.noise, limit, asks_all=section.together, pairs=pairs)
        return section_with_law(section, law) if law else None

    def items_compared_between_arms(self, section: GroupedDraft) -> Iterator[ComparedItem]:
        if (law := section.disguise_law()) is None:
            return iter(())
        pairs = zip(section.questions, law.noise, strict=True)
        answers = {
            (expected_answer_share(question), noise[code_of_answer_for_margin(question, noise)])
            for question, noise in pairs
        }
        return (ComparedItem.from_law(law, share, noise) for share, noise in sorted(answers))

    def protection_settings(self, section: GroupedDraft) -> Iterator[ProtectionSetting]:
        questions = section.questions
        field: forms.Field = ProbabilityField(label=_("True answers sent (%)"))
        yield ProtectionSetting("keep", field, percent_text(section.keep), 99)
        if any(map(has_yes_and_no, questions)):
            field = ProbabilityField(label=_("“Yes” among random answers (%)"), required=False)
            yield ProtectionSetting("yes", field, common_yes_noise_percent(section), 99)
        if len(questions) > 1:
            field = forms.IntegerField(
                label=_("Of %(all)s questions, each person is asked") % {"all": len(questions)},
                min_value=1,
                max_value=len(questions),
            )
            yield ProtectionSetting("asked", field, section.questions_asked_per_person, len(questions))
        field = ProbabilityField(label=_("True answers kept for all rounds (%)"), required=False)
        yield ProtectionSetting(LASTING, field, percent_text(section.lasting) if section.lasting else "", 99)

    def settings_that_end_presets(self, section: GroupedDraft) -> Any:
        noise = [[question.name, question.noise] for question in section.questions]
        return [section.keep, section.asked, section.lasting, noise]

    def settings_faults(self, section: GroupedDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        keep, yes, lasting = (cleaned.get(name) for name in ("keep", "yes", LASTING))
        most = max(
            (len(question.choices) for question in section.questions if has_yes_and_no(question)), default=0
        )
        # Each of the other answers needs .0001 at least.
        if yes and (100 - yes) * PARTS / 100 < most - 1:
            yield "yes", _("That leaves nothing for the other answers.")
        if lasting and keep and lasting <= keep:
            yield LASTING, _("It must be above the true answers sent: each round is disguised once more.")

    def apply_settings(self, section: GroupedDraft, cleaned: Mapping[str, Any]) -> GroupedDraft:
        yes, questions = cleaned.get("yes"), []
        if yes and f"{yes.normalize():f}" == common_yes_noise_percent(section):
            yes = None
        for row, question in enumerate(section.questions):
            expected = cleaned.get(f"share{row}")
            share = probability_text(expected) if expected else DEFAULT_SHARE
            after = question_with_yes_noise(question, yes) if yes and has_yes_and_no(question) else question
            questions.append(replace(after, share="" if share == DEFAULT_SHARE else share))
        return replace(
            section,
            keep=probability_text(cleaned["keep"]),
            asked=cleaned.get("asked") or section.asked,
            lasting=probability_text(cleaned[LASTING]) if cleaned.get(LASTING) else "",
            questions=tuple(questions),
            together=bool(cleaned.get(TOGETHER)),
        )

    def expected_share_fields(self, section: GroupedDraft) -> Iterator[tuple[str, forms.Field, Any]]:
        for row, question in enumerate(section.questions):
            label = _("Expected share (%%): %(question)s") % {"question": question_text_or_name(question)}
            field = ProbabilityField(label=label, required=False)
            yield f"share{row}", field, percent_text(expected_share_text(question))
        if section.may_ask_all_together:
            label = _("Ask all of them of everybody, however many sections follow")
            help_text = _(
                "Then associations between them can always be estimated, at the price of each share."
            )
            yield (
                TOGETHER,
                forms.BooleanField(label=label, help_text=help_text, required=False),
                section.together,
            )

    def expected_shares(self, section: GroupedDraft) -> list[str]:
        return [*map(expected_share_text, section.questions), str(section.together)]

    def panel_title(self, section: GroupedDraft) -> str:
        questions = len(section.questions)
        words = ngettext("%(questions)s disguised question", "%(questions)s disguised questions", questions)
        return words % {"questions": questions}

    def start_page_chances(self, section: UnrelatedQuestionSection, language: str) -> GroupedChances:
        questions = section.questions
        laws = {(question.form in ("yes-no", "many"), question.noise) for question in questions}
        is_yes_no, noise = next(iter(laws))
        labels = {
            # The label of an option among several is no word for yes.
            "" if question.form == "many" else question.choices[1].label.in_language_or_first(language)
            for question in questions
        }
        return GroupedChances(
            questions=len(questions),
            asked=section.asked,
            keep=chance_from_share(section.keep),
            yes=chance_from_share(noise[1]) if is_yes_no and len(laws) == 1 else None,
            rarest=chance_from_share((1 - section.keep) * min(min(question.noise) for question in questions)),
            yes_label=labels.pop() if len(labels) == 1 else "",
        )

    def sending_chances(
        self, section: UnrelatedQuestionSection, question: SensitiveQuestion
    ) -> SendingChances:
        """Returns, for each choice, how often it is sent by people with and without this true answer, if they are asked
        the question."""
        keep = section.keep
        return [(keep + (1 - keep) * chance, (1 - keep) * chance) for chance in question.noise]

    def file_columns(self, section: UnrelatedQuestionSection) -> FileColumns:
        return GROUPED_COLUMNS


def common_yes_noise_percent(section: GroupedDraft) -> str:
    """Returns the probability of yes among random answers, in per cent, if all yes/no questions of the section share
    it. Empty if they differ, or if their other random answers are not equally likely."""
    shares = set()
    for question in filter(has_yes_and_no, section.questions):
        noise = dict(zip(question.choice_names, noise_law(question), strict=True))
        yes, others = noise.pop("yes"), noise.values()
        is_even = max(others) - min(others) <= Fraction(1, PARTS)
        shares.add(parts_to_decimal(int(yes * PARTS)) if is_even else "")
    share = shares.pop() if len(shares) == 1 else ""
    return percent_text(share) if share else ""


def question_with_yes_noise(question: DraftQuestion, percent: Decimal) -> DraftQuestion:
    """Returns the question with this probability of yes among random answers. The other answers share the rest equally,
    and the first of them get the rounding remainder."""
    yes = ten_thousandths_from_percent(percent)
    share, spare = divmod(PARTS - yes, len(question.choices) - 1)
    noise, others = [], 0
    for name in question.choice_names:
        noise.append(parts_to_decimal(yes) if name == "yes" else parts_to_decimal(share + (others < spare)))
        others += name != "yes"
    return replace(question, noise=tuple(noise))
