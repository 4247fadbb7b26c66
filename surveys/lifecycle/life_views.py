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
from surveys.forms import ApprovalForm, DestroyForm, DuplicateForm, OpenForm, ReasonForm
from surveys.lifecycle import counts, create, opening, review, states as lifecycle
from surveys.lifecycle.opening import checklist
from surveys.lifecycle.review import Matter
from surveys.lifecycle.waves import chain_epsilon
from surveys.models import Survey
from surveys.pages import form_page, posting, reading
from surveys.questionnaire.hypotheses import KEY, drafted_hypotheses
from surveys.questionnaire.problems import InputRefused, NotAllowed, Problem
from surveys.questionnaire.protection import EPSILON_PLACES, epsilon, inside_only

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


# --- review views
# Asking a reviewer, and a reviewer's answer.


def matter_of(request: PersonRequest, survey: Survey) -> Matter:
    """Weak settings are a matter of drafts, record files and their deposit of opened surveys."""
    if survey.state == State.DRAFT:
        return "weak"
    return "deposit" if request.GET.get("matter") == "deposit" else "records"


@form_page
def ask(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk)
    matter = matter_of(request, survey)
    if not survey.may(request.user, {"weak": "open", "records": "edit", "deposit": "share"}[matter]):
        raise PermissionDenied
    fingerprint, weak = review.current(survey, matter), tuple[Problem, ...]()
    if matter == "weak":
        ready = checklist(survey, timezone.now())
        weak, fingerprint = ready.weak, fingerprint if ready.weak else ""
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and fingerprint:
        try:
            reason = form.cleaned_data["reason"]
            review.ask(survey, request.user, matter, fingerprint, reason, timezone.now())
        except NotAllowed as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(
                request, _("The reviewers have been asked. Their answer will be shown on this page.")
            )
            return redirect(survey)
    context = {"survey": survey, "matter": matter, "weak": weak, "form": form, "to_allow": bool(fingerprint)}
    context["answer"] = review.approval_status(survey, matter, fingerprint)
    return render(request, "surveys/ask.html", context)


@reading
def queue(request: PersonRequest) -> HttpResponse:
    if not request.user.is_reviewer:
        raise PermissionDenied
    return render(request, "surveys/queue.html", {"waiting": review.waiting(request.user)})


@form_page
def decide(request: PersonRequest, pk: int) -> HttpResponse:
    survey = guard(Survey.objects, request.user, pk, "review")
    matter = matter_of(request, survey)
    fingerprint = review.current(survey, matter)
    initial = {"matter": matter, "fingerprint": fingerprint}
    form = ApprovalForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid() and _decided(request, survey, form, matter, fingerprint):
        return redirect("surveys:queue")
    ready = checklist(survey, timezone.now()) if matter == "weak" else None
    design = ready.design if ready else (survey.design.content if survey.design else None)
    context = {
        "survey": survey,
        "matter": matter,
        "form": form,
        "design": design,
        "weak": ready.weak if ready else (),
        "epsilon": epsilon(design, EPSILON_PLACES) if design else None,
        "chain_epsilon": chain_epsilon(design, EPSILON_PLACES) if design else None,
        "inside_only": design is not None and inside_only(design),
        "answer": review.approval_status(survey, matter, fingerprint),
        "planned": len(drafted_hypotheses(survey.draft.get(KEY))),
    }
    return render(request, "surveys/review.html", context)


def _decided(
    request: PersonRequest, survey: Survey, form: ApprovalForm, matter: Matter, fingerprint: str
) -> bool:
    data = form.cleaned_data
    if (data["matter"], data["fingerprint"]) != (matter, fingerprint):
        form.add_error(None, _("The survey was changed while you read it. Look at it again."))
        return False
    try:
        review.decide(
            survey,
            request.user,
            matter,
            fingerprint,
            allow=data["allow"],
            reason=data["reason"],
            now=timezone.now(),
        )
    except NotAllowed as refused:
        form.add_error(None, str(refused))
        return False
    messages.success(request, _("Your decision is written down."))
    return True
