from typing import Any

from django import forms
from django.utils.translation import get_language, gettext_lazy

from importing.starting.questionnaires import LANGUAGES, QUESTIONNAIRES
from surveys.questionnaire.problems import language_name


class StartForm(forms.Form):
    """The questionnaire to start from, and the languages of the survey: one of ours, or all with the reader's first."""

    questionnaire = forms.ChoiceField(choices=[(name, name) for name in QUESTIONNAIRES])
    languages = forms.ChoiceField(label=gettext_lazy("Languages of the survey"))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        mine = get_language()
        ordered = sorted(LANGUAGES, key=lambda code: code != mine)
        offered = [[code] for code in ordered] + [ordered]
        self.fields["languages"].choices = [  # type: ignore[attr-defined]
            (" ".join(codes), " + ".join(map(language_name, codes))) for codes in offered
        ]

    @property
    def chosen_languages(self) -> list[str]:
        chosen: str = self.cleaned_data["languages"]
        return chosen.split()
