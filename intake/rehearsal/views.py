"""The page on which a rehearsal gets its respondents."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted
from intake.rehearsal import simulating, true_counts
from intake.rehearsal.simulated_people import CHANGED
from surveys.lifecycle import counts
from surveys.models import Design, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.view_decorators import form_page


class RespondentsForm(forms.Form):
    n = forms.IntegerField(
        label=_("How many?"),
        help_text=_("They are made up, answer at once, and get nothing of yours but the design."),
        min_value=1,
        max_value=simulating.MOST,
        initial=5_000,
    )


@form_page
def rehearse(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "run")
    form = RespondentsForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            simulating.start_simulation(survey, request.user, form.cleaned_data["n"], timezone.now())
        except NotAllowed as refused:
            messages.error(request, str(refused))
        return redirect("rehearsal:rehearse", survey.pk)
    design = Design.load_parsed(survey.design_id) if survey.design_id else None
    context = {
        "survey": survey,
        "form": form,
        "job": simulating.latest_simulation(survey),
        "answered": true_counts.respondent_count(survey),
        "counts": counts.shown_counts_of_survey(survey),
        "takes": survey.is_rehearsal and survey.state == Survey.State.OPEN,
        "changed": CHANGED if design and design.lasting_sections else None,
    }
    return render(request, "intake/rehearsal/rehearse.html", context)


def may_rehearse(survey: Survey, person: Person) -> bool:
    return survey.is_rehearsal and survey.state == Survey.State.OPEN and survey.may(person, "run")
