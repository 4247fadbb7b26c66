"""Where a draft is asked: on this site, at a host that serves the page, or inside a tool that gets the records
(privacy.designs.asked_at)."""

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

HERE, HOST, INSIDE = "here", "host", "inside"


class PageHostForm(forms.Form):
    """Form for who serves the page; `record` is the address of the survey's records."""

    where = forms.ChoiceField(
        label=gettext_lazy("Who serves the page?"),
        widget=forms.RadioSelect,
        choices=[
            (HERE, gettext_lazy("This site")),
            (HOST, gettext_lazy("A host of somebody else")),
            (INSIDE, gettext_lazy("This site, inside a tool that gets the records")),
        ],
    )
    host = forms.CharField(
        label=gettext_lazy("Address of the host"),
        help_text=gettext_lazy(
            "Such as https://ethics.example.edu, without a path: a name for this page alone."
        ),
        required=False,
        max_length=300,
    )

    tools = forms.CharField(
        label=gettext_lazy("Addresses of the tool"),
        help_text=gettext_lazy(
            "One on each line, such as https://survey.example.edu, each in full: whoever has it gets the records."
        ),
        required=False,
        max_length=3_000,
        widget=forms.Textarea(
            attrs={"rows": 2, "spellcheck": "false", "autocapitalize": "off", "dir": "ltr"}
        ),
    )

    def __init__(self, draft: Questionnaire, record: str, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.record, host = record, str(draft.asked_at.get("host", ""))
        tools = draft.asked_at.get("inside") or []
        where = INSIDE if tools else HOST if draft.asked_at else HERE
        self.initial.update(where=where, host=host, tools="\n".join(map(str, tools)))

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        chosen: dict[str, dict[str, Any]] = {
            HOST: {"host": str(cleaned.get("host", "")).strip().rstrip("/"), "record": self.record},
            INSIDE: {"inside": [line.rstrip("/") for line in str(cleaned.get("tools", "")).split()]},
        }
        where = cleaned.get("where")
        if where not in chosen:
            return {**cleaned, "asked_at": {}}
        try:
            read_asked_at(read_json(json.dumps(chosen[where]), "asked_at"))
        except InputError as refusal:
            self.add_error("host" if where == HOST else "tools", reason_text(refusal))
        return {**cleaned, "asked_at": chosen[where]}


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
