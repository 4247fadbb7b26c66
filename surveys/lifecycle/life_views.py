"""Pages of the life cycle: each says what will happen, and a POST does it."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Person
from accounts.permission import PersonRequest, guard, needs_proof
from surveys.forms import DestroyForm, DuplicateForm, OpenForm
from surveys.lifecycle import counts, create, opening, states as lifecycle
from surveys.models import Survey
from surveys.not_allowed import InputRefused, NotAllowed
from surveys.pages import form_page, posting

State = Survey.State
Act = Callable[[Survey, Person, datetime], None]


@form_page
def open_survey(request: PersonRequest, pk: int) -> HttpResponse:
    survey, now = guard(Survey.objects, request.user, pk, "open"), timezone.now()
    form = OpenForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and _opened(request, survey, form, now):
        return redirect(survey)
    context = {"survey": survey, "form": form, "now": now}
    if survey.state == State.DRAFT:
        context["checklist"] = opening.checklist(survey, now)
    else:
        context["obstacle"] = lifecycle.refusal_text(State(survey.state), State.OPEN)
    return render(request, "surveys/open.html", context)


def _opened(request: PersonRequest, survey: Survey, form: OpenForm, now: datetime) -> bool:
    try:
        if form.cleaned_data["when"] == "later":
            opening.schedule(survey, request.user, form.cleaned_data["opens"], now)
            messages.success(request, _("The opening time is set."))
        else:
            opening.open_now(survey, request.user, now)
            messages.success(request, _("The survey is open. What it asks will never change again."))
    except InputRefused as wrong:
        # All other places are named by the checklist of the page.
        for problem in wrong.problems:
            if problem.path == "opens":
                form.add_error("opens", problem.sentence)
        return False
    except NotAllowed as refused:
        form.add_error(None, str(refused))
        return False
    return True


@posting
def unschedule(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "open")
    opening.unschedule(survey, request.user, timezone.now())
    messages.success(request, _("It will not open by itself."))
    return redirect("surveys:open", survey.pk)


@form_page
def close(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "close")
    if request.method == "POST":
        return _done(request, survey, lifecycle.close, _("The survey is closed."))
    obstacle = lifecycle.obstacle(survey, State.CLOSED)
    context = {"survey": survey, "counts": counts.shown_for_survey(survey), "obstacle": obstacle}
    return render(request, "surveys/close.html", context)


@form_page
def reopen(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "open")
    if request.method == "POST":
        return _done(request, survey, lifecycle.reopen, _("The survey is open again."))
    obstacle = lifecycle.obstacle(survey, State.OPEN)
    return render(
        request, "surveys/reopen.html", {"survey": survey, "obstacle": obstacle, "now": timezone.now()}
    )


@form_page
def pause(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "close")
    done = lifecycle.pause, _("The survey is paused.")
    return _confirmed(request, survey, "surveys/pause.html", *done, lifecycle.pause_obstacle)


@form_page
def resume(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "open")
    done = lifecycle.resume, _("The survey takes answers again.")
    return _confirmed(request, survey, "surveys/resume.html", *done, lifecycle.resume_obstacle)


@form_page
def finish(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "finish")
    done = lifecycle.finish, _("The survey is finished.")
    obstacle = partial(lifecycle.obstacle, after=State.FINISHED)
    return _confirmed(request, survey, "surveys/finish.html", *done, obstacle)


def _confirmed(
    request: PersonRequest,
    survey: Survey,
    template: str,
    act: Act,
    words: str,
    obstacle: Callable[[Survey], str],
) -> HttpResponse:
    """A POST does it. The page before says what will happen, or what the `obstacle` is."""
    if request.method == "POST":
        return _done(request, survey, act, words)
    return render(request, template, {"survey": survey, "obstacle": obstacle(survey)})


def _done(request: PersonRequest, survey: Survey, act: Act, words: str) -> HttpResponse:
    try:
        act(survey, request.user, timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, words)
    return redirect(survey)


@form_page
@needs_proof
def destroy(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "destroy")
    form = DestroyForm(survey, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return _done(request, survey, lifecycle.destroy, _("The survey has been deleted."))
    context = {"survey": survey, "form": form, "sealed": counts.shown_for_survey(survey).sealed}
    context["obstacle"] = lifecycle.obstacle(survey, State.DESTROYED)
    return render(request, "surveys/destroy.html", context)


@form_page
def duplicate(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk)
    if not create.may_begin(request.user):
        raise PermissionDenied
    data = request.POST if request.method == "POST" else None
    wave = create.may_be_followed(survey)
    form = DuplicateForm(data, initial={"kind": "rehearsal"}, may_be_followed=wave)
    if request.method == "POST" and form.is_valid():
        kind = form.cleaned_data["kind"]
        rehearsal = kind == "rehearsal"
        try:
            copy = create.duplicate(
                survey, request.user, timezone.now(), rehearsal=rehearsal, follows=kind == "wave"
            )
        except NotAllowed as refused:
            form.add_error(None, str(refused))
        else:
            made = _("The rehearsal is there.") if rehearsal else _("The copy is there, as a draft of yours.")
            messages.success(request, made)
            return redirect(copy)
    context = {"survey": survey, "form": form, "asks_again": create.asks_again(survey)}
    return render(request, "surveys/duplicate.html", context)
