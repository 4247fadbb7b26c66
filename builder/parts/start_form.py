"""The form of the start page."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs.parsing import ADDRESS
from surveys.kinds.block_form import words_field
from surveys.questionnaire import wording
from surveys.questionnaire.questionnaire import Questionnaire


class StartPageForm(forms.Form):
    """The texts and numbers of the start page, in one language."""

    contact = forms.CharField(
        label=gettext_lazy("Whom people can ask"),
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"id": "contact", "autocomplete": "off"}),
    )
    leave_to = forms.CharField(
        label=gettext_lazy("Page for people who leave"),
        help_text=gettext_lazy(
            "“Exit this page” replaces the survey by this page at once. Choose one that anybody might read, such as"
            " https://www.wikipedia.org/. Without it a blank page opens."
        ),
        required=False,
        max_length=500,
        widget=forms.URLInput(attrs={"id": "leave_to", "autocomplete": "off"}),
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Time to complete (minutes)"),
        required=False,
        min_value=0,
        max_value=24 * 60,
        widget=forms.NumberInput(attrs={"id": "minutes"}),
    )
    least = forms.IntegerField(
        label=gettext_lazy("Minimum batch size"),
        help_text=gettext_lazy("Answers are counted in batches of at least this many, never fewer."),
        required=False,
        min_value=1,
        max_value=10**9,
        widget=forms.NumberInput(attrs={"id": "least"}),
    )
    retention = forms.DateField(
        label=gettext_lazy("Deletion date"),
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date", "id": "retention"}, format="%Y-%m-%d"),
    )

    def __init__(self, draft: Questionnaire, language: str, data: Any = None, **options: Any) -> None:
        super().__init__(data, initial=start_values(draft, language), **options)
        texts = wording.start_texts(draft)
        for key, label in texts.items():
            lines = 3 if key in wording.LONG else 1
            required = key not in wording.OPTIONAL
            self.fields[key] = words_field(str(label), f"{key}.{language}", lines, required, lang=language)
        self.order_fields([*texts, "contact", "leave_to", "minutes", "least", "retention"])

    def clean_leave_to(self) -> str:
        address = str(self.cleaned_data["leave_to"])
        if address and not ADDRESS.fullmatch(address):
            raise ValidationError(_("Enter an address that begins with https://."))
        return address


def start_values(draft: Questionnaire, language: str) -> dict[str, Any]:
    return {
        **{key: getattr(draft, key).get(language, "") for key in wording.start_texts(draft)},
        "contact": draft.contact,
        "leave_to": draft.leave_to,
        "minutes": draft.minutes or None,
        "least": draft.batch_size,
        "retention": draft.retention,
    }
