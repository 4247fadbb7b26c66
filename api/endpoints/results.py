"""Results of surveys: runs, published reports and approved releases."""

from typing import Literal, cast

from django.http import HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from ninja import Router, Status

from accounts.models import Person
from accounts.permission import get_permitted
from api.endpoints.operation import ListPage, PageNumber, TokenRequest, list_page, operation
from api.models import Scope
from api.schemas import (
    ReleaseList,
    ReleaseOut,
    ReportDocument,
    ReportList,
    ReportOut,
    RunIn,
    RunList,
    RunOut,
    RunState,
)
from mining.parameters import Parameters
from releases.lifecycle import download_zip
from releases.models import Release, ReleaseQuerySet
from reports.exports.file_formats import KINDS
from reports.models import Review
from reports.review.report_page import published_page
from runs import run_start
from runs.models import Run
from surveys.models import Survey

router = Router()
RUNS: list[str] = ["Runs"]
REPORTS: list[str] = ["Reports"]
RELEASES: list[str] = ["Releases"]
ZIP = {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}


def _run_schema(run: Run, person: Person) -> RunOut:
    """The state that this person may see, without progress, which would reveal unpublished numbers."""
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


@router.get("/surveys/{int:pk}/runs", tags=RUNS, url_name="runs", **operation(Scope.READ_SURVEYS, RunList))
def runs(request: TokenRequest, pk: int, page: PageNumber = 1) -> ListPage:
    """The runs of a survey, the newest first."""
    person = request.auth.person
    rows = get_permitted(Survey.objects, person, pk).runs.order_by("-pk").defer("findings")
    return list_page(rows, page, lambda run: _run_schema(run, person))


@router.post(
    "/surveys/{int:pk}/runs", tags=RUNS, **operation(Scope.RUN, RunOut, 400, 409, 413, 415, status=201)
)
def start(request: TokenRequest, response: HttpResponse, pk: int, parameters: RunIn) -> Status[RunOut]:
    """Start a run over all answers that are sealed now. Its report waits for a reviewer, who publishes it."""
    person = request.auth.person
    survey = get_permitted(Survey.objects, person, pk, "run")
    run = run_start.start(survey, person, Parameters(**parameters.dict()), timezone.now())
    response["Location"] = reverse("v1:run", args=[run.pk])
    return Status(201, _run_schema(run, person))


@router.get("/runs/{int:pk}", tags=RUNS, **operation(Scope.READ_SURVEYS, RunOut))
def run(request: TokenRequest, pk: int) -> RunOut:
    """One run: its state, the day of its records, and its report once it is published."""
    return _run_schema(get_permitted(Run.objects, request.auth.person, pk), request.auth.person)


def _report_schema(review: Review) -> ReportOut:
    return ReportOut(
        id=review.pk,
        survey=review.survey.pk,
        title=review.survey.title_in(get_language()),
        run=review.run_id,
        since=review.since,
    )


@router.get("/reports", tags=REPORTS, **operation(Scope.READ_REPORTS, ReportList))
def reports(request: TokenRequest, page: PageNumber = 1) -> ListPage:
    """The published reports that you may read, the newest first."""
    published = Review.objects.visible_to(request.auth.person).filter(state=Review.State.PUBLISHED)
    return list_page(published.listed(), page, _report_schema)


@router.get("/reports/{int:pk}", tags=REPORTS, **operation(Scope.READ_REPORTS, ReportDocument))
def report(request: TokenRequest, pk: int) -> HttpResponse:
    """A published report: the same bytes as the JSON file of its page."""
    _ending, content_type, export = KINDS["json"]
    published = published_page(request.auth.person, pk)
    return HttpResponse(export(published), content_type=content_type)


def _approved_releases() -> ReleaseQuerySet:
    """Approved releases; reviewers may download others too, but on their pages alone."""
    return Release.objects.listed().filter(state=Release.State.APPROVED)


def _release_schema(release: Release) -> ReleaseOut:
    return ReleaseOut(
        id=release.pk, survey=release.source.survey_id, title=str(release.source), since=release.since
    )


@router.get("/releases", tags=RELEASES, **operation(Scope.READ_RELEASES, ReleaseList))
def releases(request: TokenRequest, page: PageNumber = 1) -> ListPage:
    """The approved releases that you may download, the newest first."""
    return list_page(_approved_releases().visible_to(request.auth.person), page, _release_schema)


@router.get(
    "/releases/{int:pk}/table",
    tags=RELEASES,
    url_name="release-table",
    **operation(Scope.READ_RELEASES, None, 409, responses=ZIP),
)
def release_table(
    request: TokenRequest, pk: int, kind: Literal["csv", "parquet"] = "csv"
) -> StreamingHttpResponse:
    """A zip of an approved table, its report and what its values cover. The activity log says who took it."""
    person = request.auth.person
    release = get_permitted(_approved_releases(), person, pk, "download")
    pieces = download_zip.stream_download(release, person, kind, timezone.now())
    return StreamingHttpResponse(pieces, content_type="application/zip")
