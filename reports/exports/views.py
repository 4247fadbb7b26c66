"""Views that serve the files of a published report."""

from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify

from accounts.permission import PersonRequest
from reports.exports.file_format_writers import available_file_formats
from reports.review.public_page_switch import sharing_context
from reports.review.report_page_data import published_page, render_report_page
from surveys.signed_in_view import reading


@reading
def files_page(request: PersonRequest, pk: int) -> HttpResponse:
    report = published_page(request.user, pk, undecided=True)
    return render_report_page(request, report, "exports", sharing_context(request.user, report.review))


@reading
def download_file(request: PersonRequest, pk: int, kind: str) -> HttpResponse:
    report = published_page(request.user, pk, undecided=True)
    kinds = available_file_formats(report)
    if kind not in kinds:
        raise Http404
    ending, content_type, content = kinds[kind]
    response = HttpResponse(content(report), content_type=content_type)
    title = slugify(report.title, allow_unicode=True)[:60] or "survey"
    name = f"{title}-report-{report.review.run.number}-{kind}.{ending}"
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response
