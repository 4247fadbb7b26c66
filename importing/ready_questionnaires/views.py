"""View that creates a survey from a ready questionnaire."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import get_language, gettext as _, gettext_lazy

from accounts.permission import PersonRequest
from importing.ready_questionnaires.questionnaires import LANGUAGES, QUESTIONNAIRES, StartingQuestionnaire
from surveys import draft_json
from surveys.lifecycle import survey_creation
from surveys.lifecycle.survey_creation import create_survey_from_draft
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import language_name
from surveys.signed_in_view import posting

if TYPE_CHECKING:
    from accounts.models import Person


@posting
def start_from_ready_questionnaire(request: PersonRequest) -> HttpResponse:
    """View: creates a draft survey from the chosen ready questionnaire, and opens it in the builder."""
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    form = StartForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose one of the questionnaires and its languages."))
        return redirect("surveys:new")
    questionnaire = QUESTIONNAIRES[form.cleaned_data["questionnaire"]]
    survey = create_survey_from_questionnaire(
        questionnaire, request.user, form.chosen_languages, timezone.now()
    )
    messages.success(
        request, _("Your draft is ready. You can change every question before you open the survey.")
    )
    return redirect("builder:edit", survey.pk)


def create_survey_from_questionnaire(
    questionnaire: StartingQuestionnaire, person: "Person", languages: Sequence[str], now: datetime
) -> Survey:
    """Creates a draft survey from a ready questionnaire in these languages; `person` is named as the one who asks."""
    draft = replace(
        questionnaire.draft.in_languages(languages),
        asker=dict.fromkeys(languages, person.name) if person.name else {},
        contact=person.email,
        retention=draft_json.date_in_365_days(timezone.localdate(now)).isoformat(),
    )
    return create_survey_from_draft(person, draft.as_json(), "surveys.created", now)


class StartForm(forms.Form):
    """Form to choose a ready questionnaire and its languages: one, or all with the reader's language first."""

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
