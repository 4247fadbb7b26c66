"""Pages on which a rehearsal gets simulated respondents."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted
from intake.rehearsal import respondent_simulation, true_counts
from intake.rehearsal.models import Simulation
from intake.rehearsal.simulated_people import CHANGED
from surveys.lifecycle import record_counts, survey_creation
from surveys.lifecycle.next_step import NextStep, next_step
from surveys.models import Design, Survey
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.signed_in_view import form_page, posting, reading, refusal_as_message


class RespondentsForm(forms.Form):
    n = forms.IntegerField(
        label=gettext_lazy("How many?"),
        help_text=gettext_lazy(
            "They are invented and answer at once. Of your survey they get only the design."
        ),
        min_value=1,
        max_value=respondent_simulation.MOST,
    )


@form_page
def simulate_respondents(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "run")
    initial = {"n": respondent_simulation.people_of_round_before(survey) or 5_000}
    form = RespondentsForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        with refusal_as_message(request):
            respondent_simulation.start_simulation(
                survey, request.user, form.cleaned_data["n"], timezone.now()
            )
        return redirect("rehearsal:rehearse", survey.pk)
    job = respondent_simulation.latest_simulation(survey)
    design = Design.load_parsed(survey.design_id) if survey.design_id else None
    context = {
        "survey": survey,
        "form": form,
        "job": job,
        "step": _next_step_after_simulation(job, survey, request.user),
        "answered": true_counts.respondent_count(survey),
        "counts": record_counts.shown_counts_of_survey(survey),
        "takes": survey.is_rehearsal and survey.state == Survey.State.OPEN,
        "changed": CHANGED if design and design.lasting_sections else None,
    }
    return render(request, "intake/rehearsal/rehearse.html", context)


@reading
def next_step_poll(request: PersonRequest, pk: int) -> HttpResponse:
    """View: returns status 204 while a simulation runs; afterwards makes the page that polls reload itself."""
    survey = get_permitted(Survey.objects, request.user, pk, "run")
    step = _next_step_after_simulation(respondent_simulation.latest_simulation(survey), survey, request.user)
    if step is None or not step.url:
        return HttpResponse(status=204)
    return HttpResponse(headers={"HX-Refresh": "true"})


def _next_step_after_simulation(job: Simulation | None, survey: Survey, person: Person) -> NextStep | None:
    """Returns the person's next step after a simulation; None if there was no simulation. While one runs, the step has
    no address."""
    if job is None:
        return None
    if job.live:
        return NextStep(_("Simulated people answer"))
    return next_step(survey, person, record_counts.shown_counts_of_survey(survey), timezone.now())


@posting
def start_rehearsal(request: PersonRequest, pk: int) -> HttpResponse:
    """View: makes a rehearsal of a draft, opens it and starts simulated respondents; a first run of mining follows."""
    survey = get_permitted(Survey.objects, request.user, pk)
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    try:
        rehearsal = respondent_simulation.start_rehearsal(survey, request.user, timezone.now())
    except InputRefused:
        messages.error(request, _("It cannot be tried out yet. Add what is missing first."))
        return redirect(survey)
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return redirect(survey)
    return redirect("rehearsal:rehearse", rehearsal.pk)


def may_simulate_respondents(survey: Survey, person: Person) -> bool:
    return survey.is_rehearsal and survey.state == Survey.State.OPEN and survey.may(person, "run")
