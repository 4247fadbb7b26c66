"""Views that start, show, repeat, check and compare runs."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from accounts.permission import PersonRequest, get_permitted
from jobs.models import State
from runs import run_start
from runs.models import ACTIONS, Run
from runs.pages import itemset_and_error_forecast as forecasts
from runs.pages.itemset_and_error_forecast import estimator_choice_facts
from runs.pages.run_comparison import ComparisonPage
from runs.pages.run_page import RunPage
from runs.pages.start_and_forecast_forms import ForecastForm, StartRunForm
from surveys.models import Design, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page, posting, reading as reading_page, refusal_as_message

ROWS = 20


@form_page
def runs(request: PersonRequest, pk: int) -> HttpResponse:
    is_post = request.method == "POST"
    survey = get_permitted(Survey.objects, request.user, pk, "run" if is_post else "see")
    form = StartRunForm(
        request.POST if is_post else None, has_arms=_has_arms(survey), margins=survey.margins.all()
    )
    if is_post and form.is_valid():
        try:
            margins = form.cleaned_data.get("margins")
            mlxtend = form.cleaned_data["mlxtend"]
            run = run_start.start_mining_run(
                survey, request.user, form.parameters, timezone.now(), margins, mlxtend=mlxtend
            )
            return redirect(run)
        except NotAllowed as refused:
            form.add_error(None, str(refused))
    page = Paginator(survey.runs.order_by("-pk").defer("findings"), ROWS)
    page_obj = page.get_page(request.GET.get("page"))
    context = {
        "survey": survey,
        "form": form,
        "choice": estimator_choice_facts(survey) if survey.may(request.user, "run") else None,
        "refusal": run_start.refusal_text(survey),
        "may_run": survey.may(request.user, "run"),
        "sees_numbers": survey.may(request.user, ACTIONS["numbers"]),
        "page_obj": page_obj,
        "rows": [RunPage(run, request.user) for run in page_obj],
    }
    return render(request, "runs/runs.html", context, status=422 if form.errors else 200)


def _has_arms(survey: Survey) -> bool:
    return bool(survey.design_id) and Design.load_parsed(survey.design_id or "").has_arms


@reading_page
def forecast(request: PersonRequest, pk: int) -> HttpResponse:
    """Renders the forecast of itemsets by threshold; for htmx the table alone."""
    survey = get_permitted(Survey.objects, request.user, pk, "run")
    form = ForecastForm(request.GET or ForecastForm.usual_values(), has_arms=_has_arms(survey))
    with_plain = survey.is_rehearsal or survey.may(request.user, "review")
    expected = forecasts.forecast(survey, form.parameters, with_plain=with_plain) if form.is_valid() else []
    template = "runs/_forecast.html" if "HX-Request" in request.headers else "runs/forecast.html"
    return render(request, template, {"survey": survey, "expected": expected, "with_plain": with_plain})


@reading_page
def run(request: PersonRequest, pk: int) -> HttpResponse:
    run = get_permitted(Run.objects, request.user, pk)
    return render(request, "runs/run.html", _outcome_context(request, run))


@reading_page
def poll_run_result(request: PersonRequest, pk: int) -> HttpResponse:
    """Renders the result of a run; status 204 while it is running, so that the page asks again."""
    run = get_permitted(Run.objects, request.user, pk)
    if run.live:
        return HttpResponse(status=204)
    return render(request, "runs/_outcome.html", _outcome_context(request, run))


def _outcome_context(request: PersonRequest, run: Run) -> dict[str, object]:
    return {
        "run": run,
        "survey": run.survey,
        "shown": RunPage(run, request.user),
        "may_repeat": run.may(request.user, "repeat"),
        "may_check": run.may(request.user, "check"),
    }


@posting
def repeat(request: PersonRequest, pk: int) -> HttpResponse:
    run = get_permitted(Run.objects, request.user, pk, "repeat")
    try:
        again = run_start.repeat_run(run, request.user, timezone.now())
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return redirect(run)
    return redirect(again)


@posting
def check(request: PersonRequest, pk: int) -> HttpResponse:
    """Starts a check by mlxtend on all records of the run, whatever that costs."""
    run = get_permitted(Run.objects, request.user, pk, "check")
    with refusal_as_message(request):
        run_start.start_full_check(run, request.user, timezone.now())
    return redirect(run)


@reading_page
def compare_runs(request: PersonRequest, pk: int) -> HttpResponse:
    """Renders two runs of one survey side by side, with numbers only if this person may read those of both."""
    done = Run.objects.filter(state=State.DONE)
    first = get_permitted(done, request.user, pk)
    second = get_permitted(done.filter(survey=first.survey_id), request.user, request.GET.get("other"))
    comparison = ComparisonPage(first, second, request.user)
    return render(
        request, "runs/compare.html", {"survey": first.survey, "run": first, "comparison": comparison}
    )
