"""Views that print a report or return it as PDF, and that open and close its public page."""

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import get_language, gettext as _

from accounts.permission import PersonRequest, get_permitted
from reports.models import Review
from reports.pages.first_findings import requested_language_or_empty
from reports.pages.report_document import ReportDocument
from reports.review import public_page_switch as links
from reports.review.report_page_data import published_page, render_report_page
from surveys.signed_in_view import form_page, posting, reading, refusal_as_message
from ui import pdf as papers


@reading
def print_page(request: PersonRequest, pk: int) -> HttpResponse:
    """Shows the report as a document of two pages for printing."""
    document = _published_document(request, pk)
    return HttpResponse(document.page(), headers={"Content-Language": document.language})


@reading
def pdf(request: PersonRequest, pk: int) -> HttpResponse:
    document = _published_document(request, pk)
    rest = f"report-{document.report.review.run.number}-{document.language}"
    return papers.download_pdf(request, document.page, document.title.text, rest)


def _published_document(request: PersonRequest, pk: int) -> ReportDocument:
    report = published_page(request.user, pk, undecided=True)
    return ReportDocument(report, requested_language_or_empty(request) or get_language() or "en")


@posting
def open_public_page(request: PersonRequest, pk: int) -> HttpResponse:
    review = get_permitted(Review.objects.with_surveys(), request.user, pk, "share")
    with refusal_as_message(request):
        links.open_page(review, request.user, timezone.now())
        messages.success(request, _("The public page is open."))
    return redirect("reports:exports", pk)


@form_page
def close_public_page(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Asks whether to close the public page; a POST closes it."""
    review = get_permitted(Review.objects.with_surveys(), request.user, pk, "share")
    if request.method != "POST":
        report = published_page(request.user, pk)
        return render_report_page(
            request, report, "public/close", links.sharing_context(request.user, review)
        )
    with refusal_as_message(request):
        links.close_page(review, request.user, timezone.now())
        messages.success(request, _("The public page is closed. Its address leads nowhere any more."))
    return redirect("reports:exports", pk)
