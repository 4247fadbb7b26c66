"""Shows the page of sensitive places, and serves each map as SVG and its numbers as CSV."""

from collections.abc import Iterable, Iterator

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.template.loader import render_to_string

from accounts.permission import PersonRequest
from mining.nodes.place_nodes import OutsideShare
from reports.kinds.place import maps
from reports.kinds.place.maps import MOST_ROWS, PlaceMap
from reports.kinds.place.shown_place import PlaceGroup, ShownPlace, shown_places
from reports.pages.picture_views import csv_response, download_response, picture_table
from reports.review.report_page_data import ReportPage, question_page_context, render_report_page, report_page
from surveys.signed_in_view import reading

OutsideRow = tuple[str, OutsideShare]
PageGroup = tuple[PlaceGroup, PlaceMap | None]


@reading
def places(request: PersonRequest, pk: int, *, whole: bool = False) -> HttpResponse:
    """Shows the estimates of sensitive places: one question per page, in the classes of one plain question."""
    report = report_page(request.user, pk, whole=whole)
    if not report.asks_places:
        raise Http404
    places = shown_places(report)
    chosen = question_page_context(request, places, [place.text for place in places])
    sections = place_sections(chosen["page_obj"], request.GET.get("by"))
    return render_report_page(request, report, "places", {"places": sections, **chosen})


@reading
def map_svg(request: PersonRequest, pk: int, name: str, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    drawn = get_map_or_404(report, name)
    made = render_to_string("reports/map.svg", {"map": drawn})
    return download_response(report, f"{name}.svg", made, "image/svg+xml")


@reading
def map_csv(request: PersonRequest, pk: int, name: str, *, whole: bool = False) -> HttpResponse:
    report = report_page(request.user, pk, whole=whole)
    drawn = get_map_or_404(report, name)
    return csv_response(report, picture_table(name, drawn.columns, drawn.rows))


def get_map_or_404(report: ReportPage, name: str) -> PlaceMap:
    make = maps.map_makers(shown_places(report)).get(name)
    drawn = make() if make else None
    if drawn is None:
        raise Http404
    return drawn


def place_sections(
    places: Iterable[ShownPlace], by: str | None
) -> Iterator[tuple[ShownPlace, PlaceMap | None, list[PlaceMap], list[OutsideRow], int, list[PageGroup]]]:
    """Yields the sections of the page of places: each place with its maps and its cells outside all regions, and its
    groups by the plain question `by`, counted from 1, with their map."""
    for shown in places:
        chosen = Paginator(shown.groups, 1).get_page(by)
        drawn = (maps.received_map(shown), maps.likeliest_distribution_map(shown))
        yield (
            shown,
            maps.share_map(shown),
            [one for one in drawn if one],
            outside_cells(shown),
            chosen.number,
            [(group, maps.class_share_map(group)) for group in chosen],
        )


def outside_cells(place: ShownPlace) -> list[OutsideRow]:
    """Returns the cells outside all regions that have an estimate, the most common first."""
    cells = zip(place.question.law.cells_outside_regions, place.node.outside, strict=False)
    estimates = [(place.cell_text(number), one) for number, one in cells if one]
    return sorted(estimates, key=lambda one: -one[1].share)[:MOST_ROWS]
