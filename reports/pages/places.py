"""What the page of places lists."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mining.disclosure.withhold import withhold_answer, withhold_place
from mining.document.places import OutsideShare
from mining.document.report import Estimate
from reports.kinds.place import maps
from reports.kinds.place.maps import PlaceMap
from reports.kinds.place.shown import PlaceGroup, Region, ShownPlace, shown_places
from reports.pictures.picture import PictureColumn
from reports.review.withholding import earlier_disclosures, verdict_of

if TYPE_CHECKING:
    from reports.review.report_page import ReportPage

MOST_ROWS = 200
"""The rows of a map's table on the page; its file has all."""


@dataclass(frozen=True)
class PageMap:
    """A map with its addresses in this report."""

    drawn: PlaceMap
    svg_url: str
    csv_url: str

    @property
    def cells(self) -> list[list[tuple[PictureColumn, object]]]:
        rows = self.drawn.rows[:MOST_ROWS]
        return [list(zip(self.drawn.columns, row, strict=True)) for row in rows]

    @property
    def omitted(self) -> int:
        return max(len(self.drawn.rows) - MOST_ROWS, 0)


OutsideRow = tuple[str, OutsideShare]
PageGroup = tuple[PlaceGroup, PageMap | None]


def page_map(report: "ReportPage", drawn: PlaceMap | None) -> PageMap | None:
    if drawn is None:
        return None
    return PageMap(drawn, report.url("map_svg", drawn.name), report.url("map_csv", drawn.name))


def places(
    report: "ReportPage",
) -> Iterator[tuple[ShownPlace, PageMap | None, list[PageMap], list[OutsideRow], list[PageGroup]]]:
    for shown in shown_places(report):
        drawn = (maps.of_received(shown), maps.of_illustration(shown))
        yield (
            shown,
            page_map(report, maps.of_shares(shown)),
            [one for each in drawn if (one := page_map(report, each))],
            outside(shown),
            [(group, page_map(report, maps.by_group(group))) for group in shown.groups],
        )


def outside(shown: ShownPlace) -> list[OutsideRow]:
    """The cells outside that are estimated, the most common first, each with its estimate."""
    cells = zip(shown.question.law.outside, shown.node.outside, strict=False)
    estimates = [(shown.cells[number].words, one) for number, one in cells if one]
    return sorted(estimates, key=lambda one: -one[1].share)[:MOST_ROWS]


def find_map(report: "ReportPage", name: str) -> PlaceMap | None:
    make = maps.map_makers(shown_places(report)).get(name)
    return make() if make else None


def left_out(report: "ReportPage") -> Iterator[tuple[ShownPlace, list[Region], int]]:
    """What a publication would leave out now of what is known of everybody: regions, and how many cells."""
    run = report.review.run
    verdict = verdict_of(run, earlier_disclosures(run), report.labels)
    for shown in shown_places(report):
        regions = [
            one
            for one in shown.regions
            if isinstance(one.node, Estimate)
            and one.share is not None
            and withhold_answer(one.node, verdict).support is None
        ]
        whole, kept = (
            sum(value is not None for value in place.received)
            for place in (shown.node, withhold_place(shown.node, verdict))
        )
        if regions or kept < whole:
            yield shown, regions, whole - kept
