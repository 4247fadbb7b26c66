"""Questions that are disguised together, by an unrelated question: their form, and what respondents are told."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.guarantee.presets import DEFAULT, section_within
from privacy.kinds.grouped.section import SensitiveQuestion, UnrelatedQuestionSection
from surveys.kinds.chance import Chance, SentIf, ThrownChances, as_chance
from surveys.kinds.choices_form import ChoicesForm, answer_words, choices_line
from surveys.kinds.fields import HUNDRED, ProbabilityField, as_percent, as_probability
from surveys.kinds.file_columns import GROUPED_COLUMNS, FileColumns
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.grouped.protection import expected_code, expected_share, grouped_protection, with_law
from surveys.kinds.grouped.settings import GroupedPanel, grouped_warnings
from surveys.kinds.kind import ComparedItem, SurveyKind
from surveys.questionnaire import answer_choices
from surveys.questionnaire.blocks import Block, is_group
from surveys.questionnaire.control_items import error_factor
from surveys.questionnaire.protection import keep_text
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.scales import scale_values


class GroupedForm(ChoicesForm):
    """Beside the choices: how likely each answer is where chance answers; of an option its yes."""

    section: GroupedDraft

    def add_noise(self) -> None:
        block = self.block
        self.has_noise = any(question.noise for question in block)
        for row in range(len(answer_choices.rows(block))):
            label = _("“%(answer)s” among random answers (%%)")
            label %= {"answer": answer_words(block, row, self.language)}
            self.fields[f"chance-{row}"] = ProbabilityField(label=label, required=False)
            noise = block[row].noise[1:] if is_group(block) else block[0].noise[row:]
            if noise:
                self.initial[f"chance-{row}"] = as_percent(noise[0])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        percents = [data.get(f"chance-{row}") for row in range(len(answer_choices.rows(self.block)))]
        if is_group(self.block) or not any(percents) or self.errors:
            return data
        total = sum((percent for percent in percents if percent), Decimal(0))
        if total != HUNDRED or not all(percents):
            message = _(
                "Together they must be 100 %%, not %(total)s. Leave all empty for equal probabilities."
            )
            raise ValidationError(message, params={"total": f"{total.normalize():f}"})
        return data

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        block = super().changed_block(block, cleaned)
        percents = [cleaned[f"chance-{row}"] for row in range(len(answer_choices.rows(block)))]
        noise = [[percent for percent in percents if percent]]
        if is_group(block):
            noise = [[HUNDRED - yes, yes] if yes else [] for yes in percents]
        pairs = zip(block, noise, strict=True)
        return [replace(question, noise=tuple(map(as_probability, percents))) for question, percents in pairs]

    @property
    def numbers(self) -> str:
        """What asking it as a number would bring; empty where its answers are no scale of numbers."""
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
    def control_cost(self) -> float | None:
        """How many times this question makes the errors of the others in its section larger, at the same gamma."""
        law = self.section.law()
        return error_factor(law, self.section.questions.index(self.block[0])) if law else None


@dataclass(frozen=True, slots=True)
class SectionChances(ThrownChances):
    """`keep`: how often the true answers go out. `yes`: how often chance draws a yes, where that is the same for
    every question of the section, else None; `yes_label`: the design's word for it, where all have the same.
    `rarest`: how often the least likely of all answers goes out from accounts whose answer it is not.
    """

    questions: int
    asked: int
    keep: Chance
    yes: Chance | None
    rarest: Chance
    yes_label: str = ""

    template: ClassVar[str] = "intake/odds-grouped.html"

    @property
    def rotates(self) -> bool:
        return self.asked < self.questions


class GroupedKind(SurveyKind[GroupedDraft]):
    draft = GroupedDraft
    device = "privacy/kinds/grouped.js"
    title = gettext_lazy("Disguised")
    form = GroupedForm
    promise = "builder/promise-grouped.html"
    panel = GroupedPanel
    summary = staticmethod(choices_line)
    protection = staticmethod(grouped_protection)
    warnings = staticmethod(grouped_warnings)

    def new(self, draft: Questionnaire) -> GroupedDraft:
        return GroupedDraft(preset=DEFAULT.name)

    def within(self, section: GroupedDraft, limit: GammaLimit) -> GroupedDraft | None:
        law = section.law()
        keep = admissible_keep(law.noise, law.asked, limit) if law else None
        return replace(section, keep=keep_text(keep)) if keep else None

    def best_within(self, section: GroupedDraft, limit: GammaLimit) -> GroupedDraft | None:
        """Sets also how many of its questions each person is asked."""
        before = section.law()
        law = section_within(before.noise, limit) if before else None
        return with_law(section, law) if law else None

    def compared_items(self, section: GroupedDraft) -> Iterator[ComparedItem]:
        if (law := section.law()) is None:
            return iter(())
        pairs = zip(section.questions, law.noise, strict=True)
        answers = {
            (expected_share(question), noise[expected_code(question, noise)]) for question, noise in pairs
        }
        return (ComparedItem.of(law, share, noise) for share, noise in sorted(answers))

    def chances(self, section: UnrelatedQuestionSection, language: str) -> SectionChances:
        questions = section.questions
        laws = {(question.form in ("yes-no", "many"), question.noise) for question in questions}
        is_yes_no, noise = next(iter(laws))
        labels = {
            # The label of an option among several is no word for yes.
            "" if question.form == "many" else question.choices[1].label.in_language(language)
            for question in questions
        }
        return SectionChances(
            questions=len(questions),
            asked=section.asked,
            keep=as_chance(section.keep),
            yes=as_chance(noise[1]) if is_yes_no and len(laws) == 1 else None,
            rarest=as_chance((1 - section.keep) * min(min(question.noise) for question in questions)),
            yes_label=labels.pop() if len(labels) == 1 else "",
        )

    def sent_if(self, section: UnrelatedQuestionSection, question: SensitiveQuestion) -> SentIf:
        """Of a question that was asked; other answers and the drawing of questions do not change it."""
        keep = section.keep
        return [(keep + (1 - keep) * chance, (1 - keep) * chance) for chance in question.noise]

    def file_columns(self, section: UnrelatedQuestionSection) -> FileColumns:
        return GROUPED_COLUMNS
