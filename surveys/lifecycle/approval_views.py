"""Views of approvals: the owner asks reviewers, reviewers see the queue of requests and decide."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, get_permitted
from surveys.forms import ApprovalDecisionForm, ApprovalRequestForm
from surveys.lifecycle import reviewer_approvals
from surveys.lifecycle.earlier_designs import epsilon_with_earlier_surveys
from surveys.lifecycle.opening import opening_checklist
from surveys.lifecycle.reviewer_approvals import Matter
from surveys.models import Survey
from surveys.phrases.own_wording import own_sentences
from surveys.questionnaire.hypotheses import KEY, drafted_hypotheses
from surveys.questionnaire.problems_and_refusals import NotAllowed, Problem
from surveys.questionnaire.protection import EPSILON_PLACES, design_epsilon, protects_only_inside_regions
from surveys.questionnaire.question_count import count_design_questions
from surveys.signed_in_view import form_page, reading

State = Survey.State


def approval_matter(request: PersonRequest, survey: Survey) -> Matter:
    """Returns what an approval is about: weak settings if the survey is a draft; else a deposit, if the address says
    so, or record files."""
    if survey.state == State.DRAFT:
        return "weak"
    return "deposit" if request.GET.get("matter") == "deposit" else "records"


@form_page
def request_approval_page(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk)
    matter = approval_matter(request, survey)
    if not survey.may(request.user, {"weak": "open", "records": "edit", "deposit": "share"}[matter]):
        raise PermissionDenied
    fingerprint, weak = reviewer_approvals.current_fingerprint(survey, matter), tuple[Problem, ...]()
    if matter == "weak":
        ready = opening_checklist(survey, timezone.now())
        weak, fingerprint = ready.weak, fingerprint if ready.weak else ""
    form = ApprovalRequestForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and fingerprint:
        try:
            reason = form.cleaned_data["reason"]
            reviewer_approvals.request_approval(
                survey, request.user, matter, fingerprint, reason, timezone.now()
            )
        except NotAllowed as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(
                request, _("The reviewers have been asked. Their answer will be shown on this page.")
            )
            return redirect(survey)
    context = {"survey": survey, "matter": matter, "weak": weak, "form": form, "to_allow": bool(fingerprint)}
    context["answer"] = reviewer_approvals.approval_status(survey, matter, fingerprint)
    return render(request, "surveys/ask.html", context)


@reading
def approval_queue(request: PersonRequest) -> HttpResponse:
    # Who reviews single surveys sees here what waits of these.
    may_review_some = settings.OWNERS_NAME_REVIEWERS or settings.ONE_PERSON_DOES_BOTH
    if not (request.user.is_reviewer or may_review_some):
        raise PermissionDenied
    context = {
        "waiting": reviewer_approvals.waiting_approvals(request.user),
        "one_person_does_both": settings.ONE_PERSON_DOES_BOTH,
    }
    return render(request, "surveys/queue.html", context)


@form_page
def decide_approval_page(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "review")
    matter = approval_matter(request, survey)
    fingerprint = reviewer_approvals.current_fingerprint(survey, matter)
    answer = reviewer_approvals.approval_status(survey, matter, fingerprint)
    initial = {"matter": matter, "fingerprint": fingerprint, "seen": answer.number}
    form = ApprovalDecisionForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        allow, reason = form.cleaned_data["allow"], form.cleaned_data["reason"]
        now = timezone.now()
        try:
            shown, seen = form.cleaned_data["fingerprint"], form.cleaned_data["seen"]
            if form.cleaned_data["matter"] != matter:
                raise NotAllowed(_("The survey was changed while you read it. Look at it again."))
            reviewer_approvals.decide_approval(
                survey, request.user, matter, shown, allow=allow, reason=reason, now=now, seen=seen
            )
        except NotAllowed as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("Your decision is written down."))
            return redirect("surveys:queue")
    ready = opening_checklist(survey, timezone.now()) if matter == "weak" else None
    design = ready.design if ready else (survey.design.content if survey.design else None)
    context = {
        "survey": survey,
        "matter": matter,
        "form": form,
        "design": design,
        "weak": ready.weak if ready else (),
        "own_sentences": own_sentences(design) if ready and design else (),
        "questions": sum(count_design_questions(design)) if design else 0,
        "epsilon": design_epsilon(design, EPSILON_PLACES) if design else None,
        "chain_epsilon": epsilon_with_earlier_surveys(design, EPSILON_PLACES) if design else None,
        "inside_only": design is not None and protects_only_inside_regions(design),
        "answer": answer,
        "may_decide": not answer.is_rehearsal and (matter != "weak" or bool(ready and ready.weak)),
        "planned": len(drafted_hypotheses(survey.draft.get(KEY))),
    }
    return render(request, "surveys/review.html", context)
