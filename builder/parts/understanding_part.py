"""The form that asks respondents whether they understood the disguise."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs.design import UNDERSTOOD
from surveys.questionnaire.questionnaire import Questionnaire


class UnderstandingForm(forms.Form):
    understanding = forms.BooleanField(
        label=gettext_lazy("Check whether respondents understand the disguise"), required=False
    )

    def __init__(self, draft: Questionnaire, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.draft = draft
        self.initial.update(understanding=draft.understanding)

    def clean_understanding(self) -> bool:
        is_on = bool(self.cleaned_data["understanding"])
        if is_on and not self.draft.is_sensitive:
            words = _(
                "Nothing is disguised yet, so there is nothing to understand. Add a sensitive question first."
            )
            raise forms.ValidationError(words)
        if is_on and any(question.name == UNDERSTOOD for question in self.draft.questions):
            words = _("A question is called “%(name)s”, as the check will be. Give it another name first.")
            raise forms.ValidationError(words % {"name": UNDERSTOOD})
        return is_on


@dataclass(frozen=True)
class UnderstandingPart:
    @property
    def dom_id(self) -> str:
        return "understanding"

    def value(self, draft: Questionnaire) -> Any:
        return draft.understanding

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> UnderstandingForm:
        return UnderstandingForm(draft, data, auto_id="understanding-%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return replace(draft, understanding=cleaned["understanding"])
