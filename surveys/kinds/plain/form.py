"""The form of a plain question: whether other people could know the answer."""

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from surveys.kinds.forms.choices_form import ChoicesForm
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.questionnaire import Questionnaire


class PlainForm(ChoicesForm):
    is_sensitive = False
    field_order = ("role",)

    role = forms.ChoiceField(
        label=gettext_lazy("Could other people know this about the respondent?"),
        help_text=gettext_lazy(
            "For example age or place of work. Candor uses this to judge how risky a record file would be."
        ),
        choices=[
            ("quasi", gettext_lazy("Yes (quasi-identifier)")),
            ("other", gettext_lazy("No")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(draft, key, language, data, **options)
        self.initial.update(role=self.block[0].role)

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        role = cleaned["role"] or block[0].role
        return [replace(question, role=role) for question in super().changed_block(block, cleaned)]
