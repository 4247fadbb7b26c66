"""A new survey from one of the questionnaires that come with Candor."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from importing.starting.beginning import begin_from
from importing.starting.forms import StartForm
from importing.starting.questionnaires import QUESTIONNAIRES
from people.permission import PersonRequest
from surveys.lifecycle import create
from surveys.pages import posting


@posting
def start(request: PersonRequest) -> HttpResponse:
    if not create.may_begin(request.user):
        raise PermissionDenied
    form = StartForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose one of the questionnaires and its languages."))
        return redirect("surveys:new")
    questionnaire = QUESTIONNAIRES[form.cleaned_data["questionnaire"]]
    survey = begin_from(questionnaire, request.user, form.chosen_languages, timezone.now())
    messages.success(
        request, _("Your draft is ready. You can change every question before you open the survey.")
    )
    return redirect("builder:edit", survey.pk)
