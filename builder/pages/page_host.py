"""Who serves the page of a draft: this site, or a host of somebody else (privacy.designs.asked_at)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from privacy.designs.asked_at import read_asked_at
from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import read_json
from surveys.questionnaire.problems_and_refusals import reason_text
from surveys.questionnaire.questionnaire import Questionnaire

HERE, HOST = "here", "host"


class PageHostForm(forms.Form):
    """Form for who serves the page; `record` is the address of the survey's records."""

    where = forms.ChoiceField(
        label=gettext_lazy("Who serves the page?"),
        widget=forms.RadioSelect,
        choices=[(HERE, gettext_lazy("This site")), (HOST, gettext_lazy("A host of somebody else"))],
    )
    host = forms.CharField(
        label=gettext_lazy("Address of the host"),
        help_text=gettext_lazy(
            "Such as https://ethics.example.edu, without a path: a name for this page alone."
        ),
        required=False,
        max_length=300,
    )

    def __init__(self, draft: Questionnaire, record: str, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.record, host = record, str(draft.asked_at.get("host", ""))
        self.initial.update(where=HOST if draft.asked_at else HERE, host=host)

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        asked_at = {"host": str(cleaned.get("host", "")).strip().rstrip("/"), "record": self.record}
        if cleaned.get("where") != HOST:
            return {**cleaned, "asked_at": {}}
        try:
            read_asked_at(read_json(json.dumps(asked_at), "asked_at"))
        except InputError as refusal:
            self.add_error("host", reason_text(refusal))
        return {**cleaned, "asked_at": asked_at}


class PageHostPart:
    """Who serves the page, as a part of the draft that is saved on its own."""

    dom_id = "page-host"

    def __init__(self, record: str) -> None:
        self.record = record

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        return dict(draft.asked_at)

    def build_form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> PageHostForm:
        return PageHostForm(draft, self.record, data, auto_id="page-host-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return replace(draft, asked_at=cleaned["asked_at"])
