"""The kind of plain questions, which are sent as they are answered: their form and columns of files."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.plain.section import PlainSection
from surveys.kinds.choices_form import ChoicesForm, choices_summary_line
from surveys.kinds.file_columns import Fact, FileColumns, choice_script_facts
from surveys.kinds.kind import SurveyKind
from surveys.kinds.plain.draft import PLAIN, PlainDraft
from surveys.kinds.settings_and_warnings import SettingsWarning
from surveys.questionnaire.question_blocks import Block
from surveys.questionnaire.questionnaire import Questionnaire


class PlainForm(ChoicesForm):
    """Form for a question with choices, and for whether other people could know the answer."""

    is_sensitive = False
    field_order = ("role",)

    role = forms.ChoiceField(
        label=_("Could other people know this about the respondent?"),
        help_text=_(
            "For example age or place of work. Candor uses this to judge how risky a record file would be."
        ),
        choices=[("quasi", _("Yes (quasi-identifier)")), ("other", _("No"))],
        widget=forms.RadioSelect,
        required=False,
    )

    def add_kind_fields(self) -> None:
        super().add_kind_fields()
        self.initial.update(role=self.block[0].role)

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        role = cleaned["role"] or block[0].role
        return [replace(question, role=role) for question in super().apply_to_block(block, cleaned)]


class PlainKind(SurveyKind[PlainDraft]):
    draft = PlainDraft
    device = "privacy/kinds/plain.js"
    title = _("Not disguised")
    form_class = PlainForm
    summary_line = staticmethod(choices_summary_line)

    def new_section(self, draft: Questionnaire) -> PlainDraft:
        return PlainDraft()

    def section_within_limit(self, section: PlainDraft, limit: GammaLimit) -> None:
        return None

    def protection(self, section: PlainDraft, respondents: int, prior: Fraction, language: str = "") -> None:
        return None

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        return iter(())

    def file_columns(self, section: PlainSection) -> FileColumns:
        return FileColumns(PLAIN, "choices", script=plain_script_facts)


def plain_script_facts(section: PlainSection, question: Any) -> Mapping[str, Fact]:
    """Returns the facts for the scripts: every answer is kept."""
    names = question.code_names
    return choice_script_facts(names, Decimal(1), [Decimal(0)] * len(names))
