"""Views of the life cycle: open, close, pause, finish, delete and duplicate a survey. Each page says what will happen
before a POST does it.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted, needs_recent_proof
from surveys.forms import DestroySurveyForm, DuplicateSurveyForm, OpenSurveyForm
from surveys.lifecycle import (
    field_device_keys,
    opening,
    ready_made_questionnaires,
    record_counts,
    state_changes,
    survey_creation,
)
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.signed_in_view import form_page, posting, refusal_as_message
from surveys.tabs_and_warnings import url_or_empty

State = Survey.State


@form_page
def open_survey_page(request: PersonRequest, pk: int) -> HttpResponse:
    survey, now = get_permitted(Survey.objects, request.user, pk, "open"), timezone.now()
    checklist = opening.opening_checklist(survey, now) if survey.state == State.DRAFT else None
    form = OpenSurveyForm(
        request.POST if request.method == "POST" else None,
        is_never_counted=checklist is not None and checklist.is_never_counted,
    )
    if request.method == "POST" and form.is_valid():
        try:
            if form.cleaned_data["when"] == "later":
                opening.schedule_opening(survey, request.user, form.cleaned_data["opens"], now)
                messages.success(request, _("The opening time is set."))
            else:
                opening.open_survey_now(survey, request.user, now)
                messages.success(request, _("The survey is open. What it asks will never change again."))
            return redirect(survey)
        except InputRefused as wrong:
            # All other places are named by the checklist of the page.
            for problem in wrong.problems:
                if problem.path == "opens":
                    form.add_error("opens", problem.sentence)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    context = {"survey": survey, "form": form, "now": now, "checklist": checklist}
    if checklist is None:
        context["obstacle"] = state_changes.state_change_refusal_text(State(survey.state), State.OPEN)
    return render(request, "surveys/open.html", context)


@posting
def unschedule_opening(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "open")
    opening.unschedule_opening(survey, request.user, timezone.now())
    messages.success(request, _("It will not open by itself."))
    return redirect("surveys:open", survey.pk)


class StateChange(NamedTuple):
    """A change of state that the person must confirm; `obstacle` returns the reason why it is impossible,
    empty if it is possible."""

    permission: str
    act: Callable[[Survey, Person, datetime], None]
    obstacle: Callable[[Survey], str]
    title: str | Promise
    success: str | Promise


STATE_CHANGES = {
    "close": StateChange(
        "close",
        state_changes.close_survey,
        partial(state_changes.state_change_obstacle, after=State.CLOSED),
        gettext_lazy("Close survey"),
        gettext_lazy("The survey is closed."),
    ),
    "reopen": StateChange(
        "open",
        state_changes.reopen_survey,
        partial(state_changes.state_change_obstacle, after=State.OPEN),
        gettext_lazy("Open it again"),
        gettext_lazy("The survey is open again."),
    ),
    "pause": StateChange(
        "close",
        state_changes.pause_survey,
        state_changes.pause_obstacle,
        gettext_lazy("Pause survey"),
        gettext_lazy("The survey is paused."),
    ),
    "resume": StateChange(
        "open",
        state_changes.resume_survey,
        state_changes.resume_obstacle,
        gettext_lazy("Resume survey"),
        gettext_lazy("The survey takes answers again."),
    ),
    "finish": StateChange(
        "finish",
        state_changes.finish_survey,
        partial(state_changes.state_change_obstacle, after=State.FINISHED),
        gettext_lazy("Finish the survey"),
        gettext_lazy("The survey is finished."),
    ),
}
"""The changes of state by the last word of their URL, which is also the name of their template."""


@form_page
def confirm_state_change(request: PersonRequest, pk: int, name: str) -> HttpResponse:
    change = STATE_CHANGES[name]
    survey = get_permitted(Survey.objects, request.user, pk, change.permission)
    if request.method == "POST":
        return _apply_state_change(request, survey, change.act, change.success)
    now = timezone.now()
    context = {"survey": survey, "change": change, "obstacle": change.obstacle(survey)}
    context |= {"counts": record_counts.shown_counts_of_survey(survey), "now": now}
    context |= {
        "field_days": field_device_keys.field_grace_period(survey).days,
        "field_until": field_device_keys.sending_deadline(survey, now),
    }
    return render(request, f"surveys/{name}.html", context)


def _apply_state_change(
    request: PersonRequest,
    survey: Survey,
    act: Callable[[Survey, Person, datetime], None],
    success: str | Promise,
) -> HttpResponse:
    with refusal_as_message(request):
        act(survey, request.user, timezone.now())
        messages.success(request, str(success))
    return redirect(survey)


@form_page
@needs_recent_proof
def destroy_survey_page(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "destroy")
    form = DestroySurveyForm(survey, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return _apply_state_change(
            request, survey, state_changes.destroy_survey, _("The survey has been deleted.")
        )
    context = {"survey": survey, "form": form, "sealed": record_counts.shown_counts_of_survey(survey).sealed}
    context["obstacle"] = state_changes.state_change_obstacle(survey, State.DESTROYED)
    return render(request, "surveys/destroy.html", context)


@posting
def mark_or_unmark_ready_made(request: PersonRequest, pk: int) -> HttpResponse:
    """View: marks the questionnaire as ready-made, so that everybody may start from it, or removes the mark."""
    survey = get_permitted(Survey.objects, request.user, pk, "library")
    with refusal_as_message(request):
        if "mark" in request.POST:
            ready_made_questionnaires.mark_ready_made(survey, request.user, timezone.now())
            messages.success(
                request, _("Everybody who begins a survey may start from this questionnaire now.")
            )
        else:
            ready_made_questionnaires.unmark_ready_made(survey, request.user, timezone.now())
            messages.success(request, _("Nobody may start from this questionnaire any more."))
    return redirect(survey)


@posting
def start_from_ready_made(request: PersonRequest, pk: int) -> HttpResponse:
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    survey = get_object_or_404(ready_made_questionnaires.ready_made_surveys(), pk=pk)
    copy = ready_made_questionnaires.create_from_ready_made(survey, request.user, timezone.now())
    messages.success(
        request, _("Your draft is ready. You can change every question before you open the survey.")
    )
    return redirect(url_or_empty("builder:edit", copy.pk) or copy)


@form_page
def duplicate_survey_page(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk)
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    data = request.POST if request.method == "POST" else None
    wave = survey_creation.may_have_new_wave(survey)
    form = DuplicateSurveyForm(data, initial={"kind": "rehearsal"}, may_be_followed=wave)
    if request.method == "POST" and form.is_valid():
        is_rehearsal, is_wave = (form.cleaned_data["kind"] == kind for kind in ("rehearsal", "wave"))
        try:
            copy = survey_creation.duplicate_survey(
                survey, request.user, timezone.now(), rehearsal=is_rehearsal, as_new_wave=is_wave
            )
        except NotAllowed as refused:
            form.add_error(None, str(refused))
        else:
            copied = _("The copy is there, as a draft of yours.")
            messages.success(request, _("The rehearsal is there.") if is_rehearsal else copied)
            return redirect(copy)
    context = {
        "survey": survey,
        "form": form,
        "asks_again": survey_creation.would_copy_repeat_sensitive_questions(survey),
    }
    return render(request, "surveys/duplicate.html", context)
