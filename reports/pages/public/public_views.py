"""Serves the public page of a report and its preview card to everybody with the address, without cookies or
counters.
"""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from intake.pages.compression import compress_response
from intake.pages.language_negotiation import accepted_language
from reports.models import Review
from reports.pages.first_findings import requested_language_or_empty
from reports.pages.public import social_media_card as cards
from reports.pages.report_document import ReportDocument
from reports.review.public_page_switch import CACHED_MINUTES
from reports.review.report_page_data import ReportPage
from surveys.phrases.languages import SHIPPED

View = Callable[[HttpRequest, str], HttpResponse]


def cacheable(view: View) -> Callable[..., Any]:
    """Decorator: lets caches keep the response, which depends on the publication and the language alone."""

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
    document = _public_document(request, token)
    return HttpResponse(document.page(token), headers={"Content-Language": document.language})


@cacheable
def card_image(request: HttpRequest, token: str) -> HttpResponse:
    document = _public_document(request, token)
    return HttpResponse(
        cards.card_png(document.social_media_card),
        content_type="image/png",
        headers={"Content-Language": document.language},
    )


def _public_document(request: HttpRequest, token: str) -> ReportDocument:
    review = Review.objects.with_surveys().at_public_link(token).first()
    if review is None:
        raise Http404
    language = requested_language_or_empty(request) or accepted_language(
        request.headers.get("Accept-Language", ""), SHIPPED
    )
    return ReportDocument(ReportPage(review, whole=False), language)
