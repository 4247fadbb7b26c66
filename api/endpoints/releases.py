"""Approved releases."""

from typing import Literal

from django.http import StreamingHttpResponse
from django.utils import timezone
from ninja import Router

from accounts.permission import guard
from api.bearer import TokenRequest
from api.endpoints.operation import ListPage, PageNumber, listed, operation
from api.models import Scope
from api.schemas import ReleaseList, ReleaseOut
from releases.making import downloading
from releases.models import Release, ReleaseQuerySet

router = Router(tags=["Releases"])
ZIP = {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}


def _approved() -> ReleaseQuerySet:
    """A reviewer may download others too, on their pages."""
    return Release.objects.listed().filter(state=Release.State.APPROVED)


def _release_out(release: Release) -> ReleaseOut:
    return ReleaseOut(
        id=release.pk, survey=release.source.survey_id, title=str(release.source), since=release.since
    )


@router.get("/releases", **operation(Scope.READ_RELEASES, ReleaseList))
def releases(request: TokenRequest, page: PageNumber = 1) -> ListPage:
    """The approved releases that you may download, the newest first."""
    return listed(_approved().visible_to(request.auth.person), page, _release_out)


@router.get(
    "/releases/{int:pk}/table",
    url_name="release-table",
    **operation(Scope.READ_RELEASES, None, 409, responses=ZIP),
)
def release_table(
    request: TokenRequest, pk: int, kind: Literal["csv", "parquet"] = "csv"
) -> StreamingHttpResponse:
    """A zip of an approved table, its report and what its values cover. The activity log says who took it."""
    person = request.auth.person
    release = guard(_approved(), person, pk, "download")
    pieces = downloading.hand_over(release, person, kind, timezone.now())
    return StreamingHttpResponse(pieces, content_type="application/zip")
