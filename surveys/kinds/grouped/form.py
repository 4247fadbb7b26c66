"""The form of a question that is disguised with others: what chance says instead of its answers."""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.kinds.forms.choices_form import ChoicesForm, answer_words
from surveys.kinds.forms.percent_fields import HUNDRED, ProbabilityField, as_percent, as_probability
from surveys.kinds.grouped.draft import is_grouped
from surveys.questionnaire import answer_choices
from surveys.questionnaire.blocks import Block, is_group
from surveys.questionnaire.control_items import error_factor
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.scales import scale_values


class GroupedForm(ChoicesForm):
    def _add_chances(self) -> None:
        for row, label in enumerate(self._chances()):
            self.fields[f"chance-{row}"] = ProbabilityField(label=label, required=False)
        given = enumerate(noise_of(self.block))
        self.initial.update({f"chance-{row}": as_percent(noise) for row, noise in given if noise})

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
        section = self.draft.sections[self.position.section]
        law = section.law() if is_grouped(section) else None
        return error_factor(law, section.questions.index(self.block[0])) if law else None

    def _chances(self) -> list[str]:
        """Labels of the noise fields: one per answer of a question, or per option of a group."""
        return [
            _("“%(answer)s” among random answers (%%)")
            % {"answer": answer_words(self.block, row, self.language)}
            for row in range(len(answer_choices.rows(self.block)))
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        given = [data.get(f"chance-{row}") for row in range(len(self._chances()))]
        if is_group(self.block) or not any(given) or self.errors:
            return data
        total = sum((each for each in given if each), Decimal(0))
        if total != HUNDRED or not all(given):
            message = _(
                "Together they must be 100 %%, not %(total)s. Leave all empty for equal probabilities."
            )
            raise ValidationError(message, params={"total": f"{total.normalize():f}"})
        return data

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        block = super().changed_block(block, cleaned)
        return with_noise(block, [cleaned[f"chance-{row.row}"] for row in self.answer_rows])

    @property
    def has_noise(self) -> bool:
        return any(noise_of(self.block))


def noise_of(block: Block) -> list[str]:
    """Row by row what chance says, empty where all answers are alike; of a group's options their yes."""
    if is_group(block):
        return [option.noise[1] if option.noise else "" for option in block]
    first = block[0]
    return list(first.noise) or [""] * len(first.choices)


def with_noise(block: Block, percents: list[Decimal | None]) -> Block:
    if is_group(block):
        return [
            _noisy(option, [HUNDRED - yes, yes] if yes else [])
            for option, yes in zip(block, percents, strict=True)
        ]
    return [_noisy(block[0], [each for each in percents if each is not None])]


def _noisy(question: DraftQuestion, percents: list[Decimal]) -> DraftQuestion:
    return replace(question, noise=tuple(map(as_probability, percents)))
