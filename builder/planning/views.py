"""The page before the first question: what to learn and from how many; it answers with a design and its precision."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext as _

from accounts.permission import PersonRequest
from builder.planning.answers import designed
from builder.planning.forms import BeginForm, PlanForm
from builder.planning.plan import Plan
from builder.saving.responses import wants_fragment
from surveys import draft as drafts
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import create
from surveys.not_allowed import NotAllowed
from surveys.pages import form_page


@form_page
def plan(request: PersonRequest) -> HttpResponse:
    if not create.may_begin(request.user):
        raise PermissionDenied
    if request.method == "POST":
        return _begun(request)
    form = PlanForm(request.GET)
    if wants_fragment(request):
        context = {"form": form, "plan": _plan(form), "oob": True}
        return render(request, "builder/planning/forecast.html", context)
    return _page(request, form, _plan(form), BeginForm(initial={"language": get_language()}))


def _begun(request: PersonRequest) -> HttpResponse:
    form, begin = PlanForm(request.POST), BeginForm(request.POST)
    made = _plan(form)
    if not begin.is_valid() or made is None:
        return _page(request, form, made, begin, status=422)
    survey = create.begin(
        request.user,
        begin.cleaned_data["title"],
        begin.cleaned_data["language"],
        timezone.now(),
        partial(designed, answers=made.answers),
    )
    messages.success(
        request, _("Your draft is ready. You can change every question before you open the survey.")
    )
    return redirect("builder:edit", survey.pk)


def _plan(form: PlanForm) -> Plan | None:
    """None where something is missing or does not fit, which the form then says."""
    if not form.is_valid():
        return None
    new = drafts.new_draft("", get_language() or "en", timezone.localdate())
    try:
        return Plan(form.answers, designed(read_questionnaire(new), form.answers))
    except NotAllowed as refused:
        form.add_error(None, str(refused))
        return None


def _page(
    request: PersonRequest, form: PlanForm, made: Plan | None, begin: BeginForm, **more: Any
) -> HttpResponse:
    context = {"form": form, "plan": made, "begin": begin}
    return render(request, "builder/planning/plan.html", context, **more)
