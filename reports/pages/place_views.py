"""The page of sensitive places, and each map as a file: its drawing, and its numbers."""

from django.http import Http404, HttpResponse
from django.template.loader import render_to_string

from accounts.permission import PersonRequest
from reports.kinds.place.maps import PlaceMap
from reports.pages import places as place_rows
from reports.pages.picture_views import csv_file, download, picture_table
from reports.review.report_page import ReportPage, page, report_page
from reports.texts import facts
from surveys.view_decorators import reading


@reading
def places(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    if not report.asks_places:
        raise Http404
    rows = list(place_rows.places(report))
    contents = [(f"place-part-{place.place}", place.text) for place, *_parts in rows]
    context = {"contents": contents, "places": rows, "stratified": facts.stratified_note(report)}
    return page(request, report, "places", context)


@reading
def drawing(request: PersonRequest, pk: int, name: str, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    drawn = found_map(report, name)
    made = render_to_string("reports/map.svg", {"map": drawn})
    return download(report, f"{name}.svg", made, "image/svg+xml")


@reading
def numbers(request: PersonRequest, pk: int, name: str, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    drawn = found_map(report, name)
    return csv_file(report, picture_table(name, drawn.columns, drawn.rows))


def found_map(report: ReportPage, name: str) -> PlaceMap:
    drawn = place_rows.find_map(report, name)
    if drawn is None:
        raise Http404
    return drawn
