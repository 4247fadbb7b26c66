"""The specification of a picture, and its numbers as CSV."""

import csv
import io

from django.http import Http404, HttpResponse, JsonResponse
from django.utils.http import content_disposition_header

from mining.reports import gallery
from mining.reports.exports.spreadsheet_safe import harmless
from mining.reports.pictures.picture import Picture
from mining.reports.report_page import ReportPage, report_page
from people.permission import PersonRequest
from surveys.pages import reading

LEAST_WIDTH, MOST_WIDTH, USUAL_WIDTH = 240, 1200, 640


@reading
def specification(request: PersonRequest, pk: int, name: str, *, whole: bool = False) -> HttpResponse:
    picture = find_picture(report_page(request.user, pk, whole=whole), name)
    return JsonResponse(picture.draw(width(request.GET.get("width", ""))))


@reading
def numbers(request: PersonRequest, pk: int, name: str, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    picture = find_picture(report, name)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([column.name for column in picture.columns])
    rows.writerows([harmless(value) for value in row[: len(picture.columns)]] for row in picture.rows)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    file = f"candor-report-{report.review.run.number}-{name}.csv"
    response["Content-Disposition"] = content_disposition_header(True, file) or ""
    return response


def find_picture(report: ReportPage, name: str) -> Picture:
    picture = gallery.picture(report, name)
    if picture is None:
        raise Http404
    return picture


def width(wanted: str) -> int:
    pixels = int(wanted) if wanted.isdecimal() and len(wanted) < 6 else USUAL_WIDTH
    return min(max(pixels, LEAST_WIDTH), MOST_WIDTH)
