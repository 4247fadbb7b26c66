"""Published reports."""

from django.http import HttpResponse
from django.utils.translation import get_language
from ninja import Router

from api.bearer import TokenRequest
from api.endpoints.operation import ListPage, PageNumber, listed, operation
from api.models import Scope
from api.schemas import ReportDocument, ReportList, ReportOut
from reports.exports.files import KINDS
from reports.models import Review
from reports.review.report_page import report_page

router = Router(tags=["Reports"])


def _report_out(review: Review) -> ReportOut:
    return ReportOut(
        id=review.pk,
        survey=review.survey.pk,
        title=review.survey.title_in(get_language()),
        run=review.run_id,
        since=review.since,
    )


@router.get("/reports", **operation(Scope.READ_REPORTS, ReportList))
def reports(request: TokenRequest, page: PageNumber = 1) -> ListPage:
    """The published reports that you may read, the newest first."""
    published = Review.objects.visible_to(request.auth.person).filter(state=Review.State.PUBLISHED)
    return listed(published.listed(), page, _report_out)


@router.get("/reports/{int:pk}", **operation(Scope.READ_REPORTS, ReportDocument))
def report(request: TokenRequest, pk: int) -> HttpResponse:
    """A published report: the same bytes as the JSON file of its page."""
    _ending, content_type, made = KINDS["json"]
    published = report_page(request.auth.person, pk, whole=False)
    return HttpResponse(made(published), content_type=content_type)
