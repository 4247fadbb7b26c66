"""Serves the public page of a report to everybody with the address, without cookies or counters."""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from intake.pages.compression import compress_response
from intake.pages.language_negotiation import accepted_language
from reports.models import Review
from reports.pages.first_findings import requested_language_or_empty
from reports.pages.report_document import ReportDocument
from reports.review import report_page_data
from reports.review.public_page_switch import CACHED_MINUTES
from surveys.phrases.languages import SHIPPED

LINK_PICTURE = settings.BASE_DIR / "static" / "ui" / "link-preview.png"
View = Callable[[HttpRequest, str], HttpResponse]


def cacheable(view: View) -> Callable[..., Any]:
    """Decorator: lets caches keep the response, which depends on what everybody reads and on the language alone."""

    @wraps(view)
    def wrapped(request: HttpRequest, token: str) -> HttpResponseBase:
        response = view(request, token)
        # Weak, since the page may be compressed after this.
        tag = response["ETag"] = f'W/"{sha256(response.content).hexdigest()[:32]}"'
        patch_cache_control(response, public=True, max_age=CACHED_MINUTES * 60)
        return get_conditional_response(request, etag=tag, response=response) or response

    return require_safe(wrapped)


@compress_response
@cacheable
def public_page(request: HttpRequest, token: str) -> HttpResponse:
    language = requested_language_or_empty(request) or accepted_language(
        request.headers.get("Accept-Language", ""), SHIPPED
    )
    document = ReportDocument(_public_report(token), language)
    return HttpResponse(document.page(token), headers={"Content-Language": language})


@cacheable
def link_picture(_request: HttpRequest, token: str) -> HttpResponse:
    """Serves the picture of every link's preview where older previews of this page look for theirs."""
    _public_report(token)
    return HttpResponse(LINK_PICTURE.read_bytes(), content_type="image/png")


def _public_report(token: str) -> report_page_data.ReportPage:
    review = Review.objects.with_surveys().at_public_link(token).first()
    report = report_page_data.public_page(review) if review else None
    if report is None:
        raise Http404
    return report
