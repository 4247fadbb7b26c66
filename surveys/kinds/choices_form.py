"""Form of a question with choices, and its summary while the form is closed.

No text has to be filled in: surveys.lifecycle.draft_problems lists what is missing before opening.
"""

from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from privacy.grammar.json_node import parts_to_decimal
from privacy.grammar.question import SHUFFLED
from surveys.default_draft_texts import SOMETHING_ELSE, shipped_words_by_language
from surveys.kinds.percent_fields import KnownShareField, percent_text, ten_thousandths_from_percent
from surveys.kinds.question_form import QuestionBlockForm, QuestionBlockSummary, choice_label_text
from surveys.questionnaire import answer_choice_editing, translatable_texts
from surveys.questionnaire.answer_scales import SCALES
from surveys.questionnaire.choice_question_kinds import QUESTION_KINDS, question_kind
from surveys.questionnaire.draft_question import KNOWN
from surveys.questionnaire.draft_section import may_shuffle_answers, set_answer_order
from surveys.questionnaire.question_block_editing import Block, is_group_of_options
from ui.number_format import format_exact_percent

SHOWN = 5
"""Number of answers that a closed question lists."""


class AnswerRow(NamedTuple):
    """Row of an answer in a question's form: its fields for the label, for the name in record files, and for the
    probability of a random answer."""

    row: int
    fixed_name: str
    label: BoundField | None
    name: BoundField | None
    chance: BoundField | None
    prefer_not: bool
    last: bool


class ChoicesForm(QuestionBlockForm):
    """Form for a question with choices, or for all options of a multiple-answer question."""

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

    def add_kind_fields(self) -> None:
        block, first = self.block, self.block[0]
        shuffled = any(question.shuffled for question in block)
        self.initial = {**self.initial, SHUFFLED: shuffled, "kind": question_kind(block)}
        if not may_shuffle_answers(block):
            del self.fields[SHUFFLED]
        if first.is_line_of_battery:
            help_field = self.fields["help"]
            help_field.label = _("Words above the battery")
            help_field.help_text = _("These words and the answers are the same in all its lines.")
        if translatable_texts.NONE in self.fields:
            self.fields[translatable_texts.NONE].help_text = _("People who choose it choose no other answer.")
        if not self.sends_sets:
            scales = [(name, scale.title) for name, scale in SCALES.items()]
            kinds: list[Any] = [*QUESTION_KINDS.items(), (_("Ready-made scales"), scales)]
            self.fields["kind"] = forms.ChoiceField(
                label=_("Kind"),
                choices=kinds,
                required=False,
                widget=forms.Select(attrs={"data-keeps-not": ""}),
            )
        self.fixed_answers = answer_choice_editing.is_yes_no(block) or first.takes_number
        self.prefers_not = answer_choice_editing.offers_prefer_not_to_say(block)
        for row, choice in enumerate([] if self.fixed_answers else answer_choice_editing.answer_rows(block)):
            if not answer_choice_editing.is_prefer_not_to_say(block, row):
                label = _("Name of answer %(number)s") % {"number": row + 1}
                self.fields[f"name-{row}"] = forms.CharField(
                    label=label, required=False, max_length=200, initial=choice.name
                )
        if not is_group_of_options(block):
            self.add_name_field()
        self.add_noise_fields()
        if first.form == "yes-no":
            self.fields[KNOWN] = KnownShareField(initial=percent_text(first.known) if first.known else "")

    def add_noise_fields(self) -> None:
        """Adds fields for the probabilities of random answers; does nothing unless a subclass overrides it."""

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        if KNOWN in cleaned:
            percent = cleaned[KNOWN]
            known = "" if percent is None else parts_to_decimal(ten_thousandths_from_percent(percent))
            block = [replace(block[0], known=known)]
        return set_answer_order(block, bool(cleaned.get(SHUFFLED)))

    # For the template.

    @property
    def answer_rows(self) -> list[AnswerRow]:
        last = answer_choice_editing.count_answers_but_prefer_not(self.block) - 1
        return [
            AnswerRow(
                row=row,
                fixed_name=choice.name,
                label=self[f"label-{row}"] if f"label-{row}" in self.fields else None,
                name=self[f"name-{row}"] if f"name-{row}" in self.fields else None,
                chance=self[f"chance-{row}"] if f"chance-{row}" in self.fields else None,
                prefer_not=answer_choice_editing.is_prefer_not_to_say(self.block, row),
                last=row >= last,
            )
            for row, choice in enumerate(answer_choice_editing.answer_rows(self.block))
        ]

    @property
    def device_draw_shares_text(self) -> str:
        """Shares with which the device draws each answer, as text; empty for a question that people answer."""
        return " · ".join(format_exact_percent(float(share)) for share in self.block[0].shares)

    @property
    def none_of_these_field(self) -> BoundField | None:
        """Field for the answer "None of these", which excludes the others; None if the question lacks this answer."""
        return self[translatable_texts.NONE] if translatable_texts.NONE in self.fields else None

    @property
    def may_add_something_else(self) -> bool:
        """True if the answer "Something else" can be added: the kind allows it, and the question lacks it."""
        if self.fixed_answers or self["kind"].initial not in ("one", "many"):
            return False
        words = shipped_words_by_language(SOMETHING_ELSE, [self.language]).get(self.language)
        labels = answer_choice_editing.answer_labels_but_prefer_not(self.block)
        return words is not None and all(label.get(self.language) != words for label in labels)

    @property
    def may_add_none_of_these(self) -> bool:
        return is_group_of_options(self.block) and not self.none_of_these_field


def answer_text(block: Block, row: int, language: str) -> str:
    """Returns the label of the answer in row `row` of a question; in another language if this one has none."""
    return choice_label_text(answer_choice_editing.choice_at(block, row), language)


def choices_summary_line(block: Block, language: str) -> QuestionBlockSummary:
    """Returns the summary of a question with choices, shown while its form is closed."""
    if share := block[0].known:
        words = _("Control item: %(share)s truly say yes")
        return QuestionBlockSummary(words % {"share": format_exact_percent(float(share))})
    kind, own, rows = (
        question_kind(block),
        answer_choice_editing.count_answers_but_prefer_not(block),
        len(answer_choice_editing.answer_rows(block)),
    )
    titles = {
        "one": ngettext("One of %(count)s", "One of %(count)s", own),
        "many": ngettext("Several of %(count)s", "Several of %(count)s", own),
        "scale": ngettext("Scale of %(count)s", "Scale of %(count)s", own),
    }
    title = titles[kind] % {"count": own} if kind in titles else str(QUESTION_KINDS[kind])
    if kind == "yes-no" and not answer_choice_editing.offers_prefer_not_to_say(block):
        return QuestionBlockSummary(title)
    answers = tuple(answer_text(block, row, language) for row in range(min(rows, SHOWN)))
    return QuestionBlockSummary(title, answers, rows - len(answers))
