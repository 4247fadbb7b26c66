"""Views that show the hypotheses of a survey, drafted or frozen, and send the frozen plan as a file; nothing is edited
here.
"""

from dataclasses import replace

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.utils.text import slugify

from accounts.permission import PersonRequest, get_permitted
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.opening import load_frozen_plan
from surveys.models import Survey
from surveys.signed_in_view import reading
from surveys.study.hypothesis_editing import DraftedHypotheses


@reading
def show_hypotheses(request: PersonRequest, pk: int) -> HttpResponse:
    survey = get_permitted(Survey.objects, request.user, pk, "hypotheses")
    plan = load_frozen_plan(survey)
    if plan is None and survey.state != Survey.State.DRAFT:
        raise Http404
    shown = read_questionnaire(survey.questionnaire)
    if plan:
        shown = replace(shown, plan=plan.as_json())
    context = {"survey": survey, "plan": plan, "shown": DraftedHypotheses(shown)}
    return render(request, "surveys/hypotheses.html", context)


@reading
def send_plan_file(request: PersonRequest, pk: int) -> HttpResponse:
    """Sends the frozen plan byte for byte as it was hashed; the design has its SHA-256."""
    survey = get_permitted(Survey.objects, request.user, pk, "hypotheses")
    plan = load_frozen_plan(survey)
    if plan is None:
        raise Http404
    response = HttpResponse(plan.canonical.encode(), content_type="application/json")
    name = slugify(str(survey), allow_unicode=True)[:60] or "survey"
    response["Content-Disposition"] = content_disposition_header(True, f"{name}-plan.json") or ""
    return response
