"""Serves a picture as an SVG file, and its numbers as CSV."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header

from accounts.permission import PersonRequest
from reports.export_table import ExportTable, csv_bytes
from reports.pages import named_pictures
from reports.pictures.picture import Picture, PictureColumn
from reports.pictures.plot import svg_file
from reports.review.report_page_data import ReportPage, report_page
from surveys.signed_in_view import reading


@reading
def picture_svg(request: PersonRequest, pk: int, name: str, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    picture = get_picture_or_404(report, name)
    return download_response(report, f"{name}.svg", svg_file(picture.drawing, picture.title), "image/svg+xml")


@reading
def picture_csv(request: PersonRequest, pk: int, name: str, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    picture = get_picture_or_404(report, name)
    return csv_response(report, picture_table(name, picture.columns, picture.rows))


def picture_table(
    name: str, columns: Sequence[PictureColumn], rows: Sequence[Sequence[object]]
) -> ExportTable:
    cut = (tuple(row[: len(columns)]) for row in rows)
    return ExportTable(name, tuple(column.name for column in columns), tuple(cut))


def csv_response(report: ReportPage, table: ExportTable) -> HttpResponse:
    return download_response(report, f"{table.name}.csv", csv_bytes(table), "text/csv; charset=utf-8")


def download_response(report: ReportPage, name: str, content: str | bytes, content_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    file = f"candor-report-{report.review.run.number}-{name}"
    response["Content-Disposition"] = content_disposition_header(True, file) or ""
    return response


def get_picture_or_404(report: ReportPage, name: str) -> Picture:
    picture = named_pictures.make_picture(report, name)
    if picture is None:
        raise Http404
    return picture
