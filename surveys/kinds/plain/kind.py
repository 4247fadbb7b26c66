"""Plain questions, whose answers are sent without disguise: form, commands for the bands (classes) of a number, and
columns of record files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.input_error import InputError
from privacy.grammar.number_range import FURTHEST, NumberRange
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.plain.section import PlainSection
from surveys.kinds.choices_form import ChoicesForm, choices_summary_line
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.percent_fields import digits_text_input
from surveys.kinds.plain.draft import PLAIN, PlainDraft
from surveys.kinds.protection_page_elements import SettingsWarning
from surveys.kinds.question_form import choice_label_text
from surveys.kinds.record_file_columns import Fact, FileColumns, choice_analysis_facts
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.plain_number_bands import (
    DraftBands,
    propose_round_limits,
    question_with_bands,
    takes_number,
)
from surveys.questionnaire.problems_and_refusals import NotAllowed, Problem, reason_text
from surveys.questionnaire.question_block_editing import (
    Block,
    block_html_id,
    find_block,
    replace_block,
    undo_data_for_draft,
)
from surveys.questionnaire.questionnaire import (
    Command,
    CommandResult,
    Questionnaire,
    Sent,
    read_question_key,
)
from surveys.questionnaire.show_if_rules import check_rules

RANGE_FIELDS: Mapping[str, tuple[Any, Any]] = {
    "low": (gettext_lazy("Lowest number"), gettext_lazy("People below it give this number (“or less”).")),
    "high": (gettext_lazy("Highest number"), gettext_lazy("People above it give this number (“or more”).")),
    "step": (gettext_lazy("Step"), gettext_lazy("1 for whole numbers, 50 for 0, 50, 100, …")),
}
MOST_TYPED = 300
WHOLE = re.compile(r"-?[0-9]{1,10}", re.ASCII)


class PlainForm(ChoicesForm):
    """Form for a plain question: its choices, or the bands (classes) of its number, and its role (whether other people
    could know the answer)."""

    is_sensitive = False
    field_order = ("role",)

    role = forms.ChoiceField(
        label=gettext_lazy("Could other people know this about the respondent?"),
        help_text=gettext_lazy(
            "For example age or place of work. Candor uses this to judge how risky a record file would be."
        ),
        choices=[("quasi", gettext_lazy("Yes (quasi-identifier)")), ("other", gettext_lazy("No"))],
        widget=forms.RadioSelect,
        required=False,
    )

    def add_kind_fields(self) -> None:
        super().add_kind_fields()
        self.initial.update(role=self.block[0].role)
        if not takes_number(question := self.block[0]):
            return
        bands = question.number
        for name, (label, hint) in RANGE_FIELDS.items():
            self.fields[name] = forms.IntegerField(
                label=label,
                help_text=hint,
                initial=getattr(bands, name),
                min_value=-FURTHEST,
                max_value=FURTHEST,
                widget=digits_text_input(11),
            )
        limits = " ".join(map(str, bands.limits))
        self.fields["limits"] = forms.CharField(
            label=_("Where each further band begins"),
            help_text=_(
                "Numbers with spaces between them. While you change none of them, they follow the range."
            ),
            initial=limits,
            max_length=MOST_TYPED,
            widget=digits_text_input(40, "text"),
        )
        is_proposed = bands.limits == propose_round_limits(bands.range)
        self.fields["proposed"] = forms.CharField(
            required=False,
            max_length=MOST_TYPED,
            widget=forms.HiddenInput,
            initial=limits if is_proposed else "",
        )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if takes_number(question := self.block[0]) and not self.errors:
            try:
                data["bands"] = _bands_from_input(question.number, data)
                data["bands"].check()
            except InputError as refusal:
                field = refusal.path.partition("[")[0]
                self.add_error(
                    field if field in self.fields else "limits", Problem("", reason_text(refusal)).sentence
                )
            else:
                self._check_lost_bands_in_rules(question, data["bands"])
        return data

    def _check_lost_bands_in_rules(self, question: DraftQuestion, bands: DraftBands) -> None:
        """Adds a form error if the new bands lack a band that another question's show-if rule names."""
        names = question_with_bands(question, bands, ()).choice_names
        ruling = {
            choice for asked in self.draft.all_questions for choice in asked.show_if.get(question.name, ())
        }
        for choice in question.choices:
            if choice.name in ruling and choice.name not in names:
                words = _("A question is shown only after “%(band)s”. Change its rule first, then the bands.")
                self.add_error("limits", words % {"band": choice_label_text(choice, self.language)})
                return

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        role = cleaned["role"] or block[0].role
        block = [replace(question, role=role) for question in super().apply_to_block(block, cleaned)]
        if not takes_number(question := block[0]):
            return block
        bands = replace(cleaned["bands"], unit=question.number.unit)
        if bands == question.number:
            return block
        return [question_with_bands(question, bands, self.draft.languages)]

    # For the template.

    @property
    def bands(self) -> list[str]:
        """Labels of the saved bands (classes of the number); empty if the question is not answered by a number."""
        if not self.block[0].takes_number:
            return []
        return [choice_label_text(choice, self.language) for choice in self.block[0].choices]


def _bands_from_input(before: DraftBands, data: Mapping[str, Any]) -> DraftBands:
    """Returns the bands (classes of a plain number) that the form describes; limits equal to the proposed ones are
    proposed again for the new range."""
    numbers = NumberRange(data["low"], data["high"], data["step"])
    written = data["limits"].replace(",", " ").replace(";", " ").split()
    if written == data["proposed"].split():
        limits = propose_round_limits(numbers)
    elif all(WHOLE.fullmatch(text) for text in written):
        limits = tuple(map(int, written))
    else:
        raise forms.ValidationError(
            {"limits": _("Whole numbers with spaces between them, such as 18 35 55.")}
        )
    return replace(before, low=numbers.low, high=numbers.high, step=numbers.step, limits=limits)


def announce_saved_bands_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Returns a result that shows the form again, with the bands that were just saved."""
    return CommandResult(draft, _("The bands follow what you wrote."), read_question_key(sent), True)


def propose_bands_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = read_question_key(sent)
    _position, block = find_block(draft, key)
    if not takes_number(question := block[0]):
        raise NotAllowed(_("This question is not a number."))
    bands = replace(question.number, limits=propose_round_limits(question.number.range))
    after = check_rules(
        draft, replace_block(draft, key, [question_with_bands(question, bands, draft.languages)])
    )
    words, focus = _("Round bands are proposed."), f"{block_html_id(key)}-bands"
    return CommandResult(
        after, words, key, True, focus, undo_data_for_draft(draft, after) if after != draft else None
    )


class PlainKind(QuestionKind[PlainDraft]):
    draft = PlainDraft
    device = "privacy/kinds/plain.js"
    title = gettext_lazy("Not disguised")
    form_class = PlainForm
    summary_line = staticmethod(choices_summary_line)
    commands: ClassVar[Mapping[str, Command]] = {
        "bands": announce_saved_bands_command,
        "bands-propose": propose_bands_command,
    }

    def new_section(self, draft: Questionnaire) -> PlainDraft:
        return PlainDraft()

    def section_within_limit(self, section: PlainDraft, limit: GammaLimit) -> None:
        return None

    def protection(self, section: PlainDraft, respondents: int, prior: Fraction, language: str = "") -> None:
        return None

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        return iter(())

    def file_columns(self, section: PlainSection) -> FileColumns:
        return FileColumns(PLAIN, "choices", script=plain_analysis_facts)


def plain_analysis_facts(section: PlainSection, question: Any) -> Mapping[str, Fact]:
    """Returns the facts for analysis scripts: every answer is kept."""
    names = question.code_names
    return choice_analysis_facts(names, Decimal(1), [Decimal(0)] * len(names))
