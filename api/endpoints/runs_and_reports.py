"""Endpoints for the results of surveys: runs, and published reports."""

from typing import Annotated, cast

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from ninja import Query, Router, Status

from accounts.models import Person
from accounts.permission import get_permitted
from api.endpoints.operation_base import (
    JSON,
    ListPage,
    PageNumber,
    Since,
    Text,
    TokenRequest,
    existing_surveys,
    filter_by_title,
    list_page,
    operation_options,
    start_of_day,
)
from api.models import Scope
from api.schemas import ReportDocument, ReportList, ReportOut, RunIn, RunList, RunOut, RunState
from mining.parameters import Parameters
from reports.exports.file_format_writers import KINDS
from reports.models import Review
from reports.review.report_page_data import published_page
from runs import run_start
from runs.models import Run

router = Router()
LARGEST_KEY = 2**63 - 1
RUNS: list[str] = ["Runs"]
REPORTS: list[str] = ["Reports"]


def _run_schema(run: Run, person: Person) -> RunOut:
    """Returns a run with the state that this person may see, without its progress, which would reveal
    unpublished numbers."""
    published = Review.objects.filter(run=run.pk, state=Review.State.PUBLISHED).exists()
    return RunOut(
        id=run.pk,
        number=run.number,
        survey=run.survey_id,
        state=cast("RunState", run.shown_to(person).state),
        created=run.created,
        day=run.day,
        report=run.pk if published else None,
    )


@router.get(
    "/surveys/{int:pk}/runs", tags=RUNS, url_name="runs", **operation_options(Scope.READ_SURVEYS, RunList)
)
def list_runs(
    request: TokenRequest, pk: int, page: PageNumber = 1, state: RunState | None = None, since: Since = None
) -> ListPage:
    """The runs of a survey, the newest first. `since`: only those started on this day or later."""
    person = request.auth.person
    rows = get_permitted(existing_surveys(), person, pk).runs.order_by("-pk").defer("findings")
    rows = rows.filter(state=state) if state else rows
    rows = rows.filter(created__gte=start_of_day(since)) if since else rows
    return list_page(request, rows, page, lambda run: _run_schema(run, person))


@router.post(
    "/surveys/{int:pk}/runs",
    tags=RUNS,
    **operation_options(Scope.RUN, RunOut, 409, status=201, body_media_type=JSON),
)
def start_run(request: TokenRequest, response: HttpResponse, pk: int, parameters: RunIn) -> Status[RunOut]:
    """Start a run, which mines all answers that are sealed now. Its report waits for a reviewer, who publishes it."""
    person = request.auth.person
    survey = get_permitted(existing_surveys(), person, pk, "run")
    run = run_start.start_mining_run(survey, person, Parameters(**parameters.dict()), timezone.now())
    response["Location"] = reverse("v1:run", args=[run.pk])
    return Status(201, _run_schema(run, person))


@router.get("/runs/{int:pk}", tags=RUNS, url_name="run", **operation_options(Scope.READ_SURVEYS, RunOut))
def read_run(request: TokenRequest, pk: int) -> RunOut:
    """One run: its state, the day of its records, and its report once it is published."""
    return _run_schema(get_permitted(Run.objects, request.auth.person, pk), request.auth.person)


def _report_schema(review: Review) -> ReportOut:
    return ReportOut(
        id=review.pk,
        survey=review.survey.pk,
        title=review.survey.title_with_fallback(get_language()),
        run=review.run_id,
        since=review.since,
    )


@router.get("/reports", tags=REPORTS, **operation_options(Scope.READ_REPORTS, ReportList))
def list_reports(
    request: TokenRequest,
    page: PageNumber = 1,
    survey: Annotated[int | None, Query(ge=1, le=LARGEST_KEY)] = None,
    text: Text = "",
    since: Since = None,
) -> ListPage:
    """The published reports that you may read, the newest first. `since`: only those published on this day or later."""
    rows = (
        Review.objects.visible_to(request.auth.person).filter(state=Review.State.PUBLISHED).with_permissions()
    )
    rows = rows.filter(run__survey=survey) if survey is not None else rows
    rows = rows.filter(since__gte=start_of_day(since)) if since else rows
    rows = filter_by_title(rows, text, lambda review: review.survey.title_with_fallback(get_language()))
    return list_page(request, rows, page, _report_schema)


@router.get(
    "/reports/{int:pk}",
    tags=REPORTS,
    url_name="report",
    **operation_options(Scope.READ_REPORTS, ReportDocument),
)
def read_report(request: TokenRequest, pk: int) -> HttpResponse:
    """A published report as JSON, byte for byte the file of its page."""
    _ending, content_type, export = KINDS["json"]
    published = published_page(request.auth.person, pk)
    return HttpResponse(export(published), content_type=content_type)
