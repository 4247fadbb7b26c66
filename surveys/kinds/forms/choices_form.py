"""The form of a question with choices.

No field has to be filled: surveys.lifecycle.draft_problems says what is missing.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.question import SHUFFLED
from surveys.kinds.forms.block_form import BlockForm, answer_of
from surveys.kinds.forms.known_field import KnownField, shown_known, with_known
from surveys.questionnaire import answer_choices, wording
from surveys.questionnaire.answer_order import may_shuffle, with_order
from surveys.questionnaire.blocks import Block, is_group
from surveys.questionnaire.control_items import KNOWN
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.questions import KINDS, kind_of
from surveys.questionnaire.scales import SCALES
from ui.numbers import exact_percent


@dataclass(frozen=True)
class AnswerRow:
    """One answer in the form: its words, its name in files, what chance gives it."""

    row: int
    number: int
    label: BoundField | None
    name: BoundField | None
    fixed_name: str
    chance: BoundField | None
    prefer_not: bool
    first: bool
    last: bool


class ChoicesForm(BlockForm):
    """A question with choices, or all options of one of several."""

    template = "builder/question-choices.html"
    is_sensitive: ClassVar[bool] = True
    sends_sets: ClassVar[bool] = False

    shuffled = forms.BooleanField(
        label=gettext_lazy("Show these answers in random order"),
        help_text=gettext_lazy(
            "Each device draws the order. It is not recorded. “Prefer not to say” and “None of these” stay last."
        ),
        required=False,
    )

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(draft, key, language, data, **options)
        shuffled = any(each.shuffled for each in self.block)
        self.initial = {**self.initial, SHUFFLED: shuffled, "kind": kind_of(self.block)}
        if not may_shuffle(self.block):
            del self.fields[SHUFFLED]
        if self.block[0].in_battery:
            help_field = self.fields["help"]
            help_field.label = _("Words above the battery")
            help_field.help_text = _("These words and the answers are the same in all its lines.")
        if wording.NONE in self.fields:
            self.fields[wording.NONE].help_text = _("People who choose it choose no other answer.")
        self._add_kind()
        self._add_answers()
        self._add_chances()
        self._add_known()
        self._add_rules()

    def _add_kind(self) -> None:
        scales = [(key, scale.title) for key, scale in SCALES.items()]
        kinds: list[Any] = [*KINDS.items(), (_("Ready-made scales"), scales)]
        self.fields["kind"] = forms.ChoiceField(
            label=_("Kind"), choices=kinds, required=False, widget=forms.Select(attrs={"data-keeps-not": ""})
        )

    def _add_answers(self) -> None:
        names = [] if answer_choices.is_yes_no(self.block) else answer_choices.rows(self.block)
        for row, choice in enumerate(names):
            if not answer_choices.is_prefer_not(self.block, row):
                label = _("Name of answer %(number)s") % {"number": row + 1}
                self.fields[f"name-{row}"] = forms.CharField(
                    label=label, required=False, max_length=200, initial=choice.name
                )
        if not is_group(self.block):
            self._add_name()

    def _add_chances(self) -> None:
        """Of answers that a device draws."""

    def _add_known(self) -> None:
        """Only a question with the answers yes and no alone can be a control item."""
        if self.block[0].form == "yes-no":
            self.fields[KNOWN] = KnownField(initial=shown_known(self.block[0]))

    @property
    def drawn_shares(self) -> str:
        """How often the device draws each answer; empty where people answer."""
        return " · ".join(exact_percent(float(each)) for each in self.block[0].shares)

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        if KNOWN in cleaned:
            block = [with_known(block[0], cleaned[KNOWN])]
        return with_order(block, bool(cleaned.get(SHUFFLED)))

    # For the template.

    @property
    def answer_rows(self) -> list[AnswerRow]:
        last = answer_choices.own(self.block) - 1
        return [
            AnswerRow(
                row=row,
                number=row + 1,
                label=self[f"label-{row}"] if f"label-{row}" in self.fields else None,
                name=self[f"name-{row}"] if f"name-{row}" in self.fields else None,
                fixed_name=each.name,
                chance=self[f"chance-{row}"] if f"chance-{row}" in self.fields else None,
                prefer_not=answer_choices.is_prefer_not(self.block, row),
                first=row == 0,
                last=row >= last,
            )
            for row, each in enumerate(answer_choices.rows(self.block))
        ]

    @property
    def fixed_answers(self) -> bool:
        return answer_choices.is_yes_no(self.block)

    @property
    def none(self) -> BoundField | None:
        """The words of the answer that excludes the others."""
        return self[wording.NONE] if wording.NONE in self.fields else None

    @property
    def offers_none(self) -> bool:
        return is_group(self.block) and not self.none

    @property
    def prefers_not(self) -> bool:
        return answer_choices.prefers_not(self.block)


def answer_words(block: Block, row: int, language: str) -> str:
    return answer_of(answer_choices.choice_at(block, row), language)
