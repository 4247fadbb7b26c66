"""Endpoints for files that leave the server once a reviewer has approved them: releases, record files and
deposits."""

from typing import Literal

from django.http import HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import get_language, gettext as _
from ninja import Router
from ninja.errors import HttpError

from accounts.permission import get_permitted
from api.endpoints.operation_base import (
    JSON,
    ListPage,
    PageNumber,
    Since,
    Text,
    TokenRequest,
    filter_by_title,
    list_page,
    operation_options,
    start_of_day,
)
from api.models import Scope
from api.schemas import DepositIn, ReleaseList, ReleaseOut
from deposits.views import DepositForm, hand_over_deposit, proposed_metadata
from importing.faults import Fault, FileRefused
from intake.hosted.views import archive_response
from intake.recordfiles.download import hand_over_file
from releases.lifecycle import download_zip
from releases.models import Release, ReleaseQuerySet
from reports.review.report_page_data import page_to_share
from surveys.lifecycle import asked_at
from surveys.models import Survey

router = Router()
RELEASES: list[str] = ["Releases"]
RECORDS: list[str] = ["Records"]
ZIP = {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}


def _approved_releases() -> ReleaseQuerySet:
    """Returns the approved releases; reviewers may download others too, but only on their pages."""
    return Release.objects.with_permissions().filter(state=Release.State.APPROVED)


def _release_schema(release: Release) -> ReleaseOut:
    return ReleaseOut(
        id=release.pk, survey=release.source.survey_id, title=str(release.source), since=release.since
    )


@router.get(
    "/surveys/{int:pk}/page",
    tags=["Surveys"],
    url_name="page",
    **operation_options(Scope.READ_SURVEYS, None, responses=ZIP),
)
def download_page(request: TokenRequest, pk: int) -> HttpResponse:
    """Download the frozen page of a survey that another host serves, as a zip: its files, their digests, and what the
    host has to do."""
    survey = get_permitted(Survey.objects, request.auth.person, pk)
    folder = asked_at.current_folder(survey)
    if folder is None:
        raise HttpError(404, _("There is no frozen page of this survey."))
    return archive_response(bytes(folder.content), survey.slug)


@router.get("/releases", tags=RELEASES, **operation_options(Scope.READ_RELEASES, ReleaseList))
def list_releases(
    request: TokenRequest,
    page: PageNumber = 1,
    kind: Literal["survey", "upload"] | None = None,
    text: Text = "",
    since: Since = None,
) -> ListPage:
    """The approved releases that you may download, the newest first. `kind`: made of a survey or an upload; `since`:
    only those approved on this day or later."""
    rows = _approved_releases().visible_to(request.auth.person)
    rows = rows.filter(source__survey__isnull=kind == "upload") if kind else rows
    rows = rows.filter(since__gte=start_of_day(since)) if since else rows
    rows = filter_by_title(rows, text, lambda release: str(release.source))
    return list_page(request, rows, page, _release_schema)


@router.get(
    "/releases/{int:pk}/table",
    tags=RELEASES,
    url_name="release-table",
    **operation_options(Scope.READ_RELEASES, None, 409, responses=ZIP),
)
def download_release(
    request: TokenRequest, pk: int, kind: Literal["csv", "parquet"] = "csv"
) -> StreamingHttpResponse:
    """Download an approved release as a zip: the table, its report, and which values each shown value covers. The
    activity log says who took it."""
    person = request.auth.person
    release = get_permitted(_approved_releases(), person, pk, "download")
    pieces = download_zip.stream_download(release, person, kind, timezone.now())
    return StreamingHttpResponse(pieces, content_type="application/zip")


@router.get(
    "/surveys/{int:pk}/records",
    tags=RECORDS,
    url_name="records",
    **operation_options(Scope.READ_RECORDS, None, 409, responses=ZIP),
)
def download_records(
    request: TokenRequest, pk: int, kind: Literal["csv", "parquet", "sav", "dta"] = "csv"
) -> StreamingHttpResponse:
    """Download the record file as a zip with its codebook and scripts, if a reviewer has approved that. The activity
    log says who took it, and the ledger of disclosures records it."""
    survey = get_permitted(Survey.objects, request.auth.person, pk, "download")
    language, now = get_language() or "", timezone.now()
    pieces = hand_over_file(survey, request.auth.person, kind, language, now, permission="download")
    return StreamingHttpResponse(pieces, content_type="application/zip")


@router.post(
    "/reports/{int:pk}/deposits",
    tags=RECORDS,
    url_name="deposits",
    **operation_options(Scope.READ_RECORDS, None, 409, body_media_type=JSON, responses=ZIP),
)
def make_deposit(request: TokenRequest, pk: int, metadata: DepositIn) -> StreamingHttpResponse:
    """Make a zip of a published report for a repository; the same metadata give the same bytes. The metadata that you
    send are in the zip, and stored nowhere."""
    report = page_to_share(request.auth.person, pk)
    values = {**proposed_metadata(report), **metadata.dict(exclude_none=True)}
    if metadata.creators is not None:
        values["creators"] = "\n".join(metadata.creators)
    form = DepositForm(report.design.languages, values, offers_records=False)
    if not form.is_valid():
        errors = form.errors.get_json_data().items()
        raise FileRefused([Fault(name, fault["message"]) for name, faults in errors for fault in faults])
    pieces = hand_over_deposit(report, request.auth.person, form, metadata.records, timezone.now())
    return StreamingHttpResponse(pieces, content_type="application/zip")
