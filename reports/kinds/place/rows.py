"""What the page of places lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mining.document.places import OutsideShare
from reports.kinds.place import maps
from reports.kinds.place.maps import PlaceMap
from reports.kinds.place.shown import PlaceGroup, RegionShare, ShownPlace, shown_places
from reports.pictures.picture import PictureColumn
from reports.withholding import Withholding, earlier_disclosures

if TYPE_CHECKING:
    from reports.report_page import ReportPage

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


@dataclass(frozen=True)
class PlaceGroupRows:
    group: PlaceGroup
    map: PageMap | None

    @property
    def label(self) -> str:
        """Of its table, unlike that of any other on the page."""
        return f"{self.group.of.text} · {self.group.text}"


@dataclass(frozen=True)
class PlaceRows:
    shown: ShownPlace
    maps: Sequence[PageMap]
    groups: Sequence[PlaceGroupRows]

    @property
    def is_known(self) -> bool:
        return any(one.share is not None for one in self.shown.regions)

    @cached_property
    def knows_truth(self) -> bool:
        return any(one.truth is not None for one in self.shown.regions)

    @property
    def outside(self) -> list[tuple[str, OutsideShare]]:
        """The cells outside that are estimated, the most common first, each with its estimate."""
        found = [(cell.words, cell.outside) for cell in self.shown.cells() if cell.outside]
        return sorted(found, key=lambda one: -one[1].share)[:MOST_ROWS]


def page_map(report: "ReportPage", drawn: PlaceMap | None) -> PageMap | None:
    if drawn is None:
        return None
    return PageMap(drawn, report.url("map_svg", drawn.name), report.url("map_csv", drawn.name))


def places(report: "ReportPage") -> list[PlaceRows]:
    return [_rows(report, shown) for shown in shown_places(report)]


def _rows(report: "ReportPage", shown: ShownPlace) -> PlaceRows:
    made = (maps.of_shares(shown), maps.of_received(shown), maps.of_illustration(shown))
    return PlaceRows(
        shown,
        [one for drawn in made if (one := page_map(report, drawn))],
        [PlaceGroupRows(group, page_map(report, maps.by_group(group))) for group in shown.groups],
    )


def find_map(report: "ReportPage", name: str) -> PlaceMap | None:
    make = maps.map_makers(shown_places(report)).get(name)
    return make() if make else None


@dataclass(frozen=True)
class WithheldPlace:
    """What a publication would withhold of a place: `regions`, and how many `cells`."""

    shown: ShownPlace
    regions: Sequence[RegionShare]
    cells: int


def left_out(report: "ReportPage") -> list[WithheldPlace]:
    """What a publication would leave out now of what is known of everybody."""
    run = report.review.run
    withholding = Withholding(run, earlier_disclosures(run), report.naming)
    shares = {share.items[0]: share for share in report.content.shares}
    found = []
    for shown in shown_places(report):
        regions = [
            one
            for one in shown.regions
            if one.share is not None and withholding.answer(shares[one.item]).support is None
        ]
        kept = withholding.place(shown.found).received
        gone = sum(value is not None for value in shown.found.received) - sum(
            value is not None for value in kept
        )
        if regions or gone:
            found.append(WithheldPlace(shown, regions, gone))
    return found
