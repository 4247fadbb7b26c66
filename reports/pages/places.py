"""What the page of places lists."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mining.document.places import OutsideShare
from reports.kinds.place import maps
from reports.kinds.place.maps import MOST_ROWS, PlaceMap
from reports.kinds.place.shown_place import PlaceGroup, ShownPlace, shown_places

if TYPE_CHECKING:
    from reports.review.report_page import ReportPage

OutsideRow = tuple[str, OutsideShare]
PageGroup = tuple[PlaceGroup, PlaceMap | None]


def places(
    report: "ReportPage",
) -> Iterator[tuple[ShownPlace, PlaceMap | None, list[PlaceMap], list[OutsideRow], list[PageGroup]]]:
    for shown in shown_places(report):
        drawn = (maps.of_received(shown), maps.of_illustration(shown))
        yield (
            shown,
            maps.of_shares(shown),
            [one for one in drawn if one],
            outside(shown),
            [(group, maps.by_group(group)) for group in shown.groups],
        )


def outside(shown: ShownPlace) -> list[OutsideRow]:
    """The cells outside that are estimated, the most common first, each with its estimate."""
    cells = zip(shown.question.law.outside, shown.node.outside, strict=False)
    estimates = [(shown.cell_text(number), one) for number, one in cells if one]
    return sorted(estimates, key=lambda one: -one[1].share)[:MOST_ROWS]


def find_map(report: "ReportPage", name: str) -> PlaceMap | None:
    make = maps.map_makers(shown_places(report)).get(name)
    return make() if make else None
