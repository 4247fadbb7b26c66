"""Base form for questions of all kinds: their texts, name and show-if rules.

No text has to be filled in to save the form: surveys.lifecycle.draft_problems lists what is missing before opening.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _

from privacy.designs.labels import proposed_label
from privacy.grammar.question import YES_NO
from privacy.grammar.question_reading import MOST_LABEL
from surveys.questionnaire import translatable_texts, value_normalization
from surveys.questionnaire.answer_choice_editing import answer_rows, choice_at
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import Problem
from surveys.questionnaire.question_block_editing import (
    Block,
    find_block,
    is_group_of_options,
    question_text_with_fallback,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_proposals import propose_sentences_for_question
from surveys.questionnaire.report_sentence_texts import ANSWER_TEXTS, sentence_text_fault
from surveys.questionnaire.show_if_rules import questions_that_rules_may_name


def translated_text_field(
    label: str,
    path: str,
    lines: int = 1,
    required: bool = True,
    max_length: int = translatable_texts.LONGEST,
    **attrs: Any,
) -> forms.CharField:
    """Returns a field for a text in one language. The form accepts it empty; `required` marks it as needed before
    opening."""
    shown: dict[str, Any] = {"id": Problem(path, "").anchor, "autocomplete": "off", "dir": "auto", **attrs}
    widget = forms.Textarea(attrs={"rows": lines, **shown}) if lines > 1 else forms.TextInput(attrs=shown)
    field = forms.CharField(label=label, required=False, max_length=max_length, widget=widget, strip=False)
    field.widget.attrs["data-wanted" if required else "data-optional"] = ""
    return field


def field_for_translatable_text(
    text: translatable_texts.TranslatableText, language: str, lines: int
) -> forms.CharField:
    """Returns the form field for a translatable text in this language."""
    field = translated_text_field(
        text.label, f"{text.path}.{language}", lines, text.required, text.max_length, lang=language
    )
    if text.is_sentence:
        field.validators.append(validate_sentence_text)
    return field


def validate_sentence_text(text: str) -> None:
    if reason := sentence_text_fault(text):
        raise forms.ValidationError(reason)


@dataclass(frozen=True)
class QuestionBlockSummary:
    """Summary shown in place of a closed form: the question's kind and first answers; `more` is the number of
    further answers."""

    kind: str
    answers: tuple[str, ...] = ()
    more: int = 0


class SentenceRow(NamedTuple):
    """Form fields for the words by which report sentences name an answer; `title` is its label."""

    title: str
    fields: list[BoundField]


class QuestionBlockForm(forms.Form):
    """Base form for a question, or for all options of a multiple-answer question, in one language; `template` renders
    the fields of its kind."""

    template: ClassVar[str]
    section: DraftSection

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        self.draft, self.key, self.language = draft, key, language
        self.position, self.block = find_block(draft, key)
        self.section = draft.sections[self.position.section]
        super().__init__(data, **options)
        lines = translatable_texts.texts_in_two_languages(draft, key, language, language)
        self.initial = {line.field: line.target for line in lines}
        for line in lines:
            self.fields[line.field] = field_for_translatable_text(
                line, language, 2 if line.needs_long_field else 1
            )
        first, label = self.block[0], self.fields["label"]
        label.help_text = _("Used in lists, charts and files. At most %(most)s characters.") % {
            "most": MOST_LABEL
        }
        name = "" if first.is_line_of_battery else first.of or first.name
        proposal = proposed_label(name, question_text_with_fallback(self.block, language))
        label.widget.attrs["placeholder"] = proposal
        self.add_kind_fields()
        self.add_rule_fields()
        self._set_sentence_placeholders()

    def add_kind_fields(self) -> None:
        """Adds the fields of the question's kind, placed between texts and rules, and sets their initial values."""
        raise NotImplementedError

    def add_name_field(self) -> None:
        self.fields["name"] = forms.CharField(
            label=_("Name of the question"), required=False, max_length=200, initial=self.block[0].name
        )

    def add_rule_fields(self) -> None:
        """Adds a field for each show-if rule, and one that chooses the question of another rule."""
        above = {
            question.name: (block, question)
            for block in questions_that_rules_may_name(self.draft, self.key)
            for question in block
        }
        show_if = self.block[0].show_if
        self.rulings = [name for name in show_if if name in above]
        self.lost_rules = [name for name in show_if if name not in above]
        for number, name in enumerate(self.rulings):
            block, question = above[name]
            self.fields[f"rule-{number}"] = forms.MultipleChoiceField(
                label=condition_question_text(block, question, self.language),
                choices=[
                    (choice.name, choice_label_text(choice, self.language)) for choice in question.choices
                ],
                initial=list(show_if[name]),
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
        offered = [
            (name, condition_question_text(block, question, self.language))
            for name, (block, question) in above.items()
            if name not in self.rulings
        ]
        self.can_rule = bool(offered)
        self.fields["ruling"] = forms.ChoiceField(
            label=_("Show this question only if the answer to"),
            choices=[("", _("Choose a question above")), *offered],
            required=False,
            error_messages={"invalid_choice": _("Choose a question above this one that is not disguised.")},
            widget=forms.Select(attrs={"data-keeps-not": ""}),
        )

    def _set_sentence_placeholders(self) -> None:
        """Sets the placeholders of the fields for report sentences: the words proposed for this question."""
        proposals = [propose_sentences_for_question(question, self.language) for question in self.block]
        is_group = is_group_of_options(self.block)
        rows = {"": proposals[0].get("", {})}
        for row, answer in enumerate(answer_rows(self.block)):
            rows[f"-{row}"] = proposals[row].get("yes", {}) if is_group else proposals[0].get(answer.name, {})
        for row_id, texts in rows.items():
            for key, text in texts.items():
                self.fields[f"{key}{row_id}"].widget.attrs["placeholder"] = text

    @property
    def sentence_answer_labels(self) -> list[str]:
        """Labels of the answers for which words in report sentences can be written."""
        return [
            choice_label_text(choice_at(self.block, row), self.language)
            for row in range(len(answer_rows(self.block)))
        ]

    @property
    def sentence_rows(self) -> list[SentenceRow]:
        return [
            SentenceRow(title, [self[f"{key}-{row}"] for key in ANSWER_TEXTS])
            for row, title in enumerate(self.sentence_answer_labels)
        ]

    @property
    def has_wrong_sentence(self) -> bool:
        return any(field.errors for row in self.sentence_rows for field in row.fields)

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        """Returns the question, or its options, with the form's cleaned values, except texts and show-if rules."""
        raise NotImplementedError

    @property
    def rule_fields(self) -> list[BoundField]:
        return [self[f"rule-{number}"] for number in range(len(self.rulings))]


def choice_label_text(choice: Choice, language: str) -> str:
    """Returns the label of a choice in this language, else in any; without a label "Yes", "No" or the choice's name."""
    words = choice.label.get(language) or next(iter(choice.label.values()), "")
    if not words and choice.name in YES_NO:
        return _("Yes") if choice.name == "yes" else _("No")
    return words or choice.name


def condition_question_text(block: Block, question: DraftQuestion, language: str) -> str:
    """Returns the text of a question that a show-if rule depends on; for an option, followed by the option's text."""
    words = question_text_with_fallback(block, language)
    return (
        f"{words} – {choice_label_text(question.choices[1], language)}"
        if is_group_of_options(block)
        else words
    )


def normalized_texts_of_form(cleaned: dict[str, Any]) -> dict[str, str]:
    """Returns the texts among the cleaned values of a form, normalised."""
    return {
        key: value_normalization.normal_text(value)
        for key, value in cleaned.items()
        if isinstance(value, str)
    }
