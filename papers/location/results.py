"""All that is computed and simulated."""

from dataclasses import dataclass, fields

from papers.location.corollary import CornerErrors, TiledErrors, at_corner, tiled
from papers.location.errors import LayoutErrors, RivalErrors, SeveralErrors, layouts, rivals, several
from papers.location.people import PeopleErrors, people_errors
from papers.location.widths import Widths, widths
from papers.tables import csv_of


@dataclass(frozen=True)
class LocationResults:
    widths: list[Widths]
    rivals: list[RivalErrors]
    layouts: list[LayoutErrors]
    several: list[SeveralErrors]
    people: list[PeopleErrors]
    tiled: list[TiledErrors]
    corner: list[CornerErrors]

    def tables(self) -> dict[str, str]:
        """Every table as CSV, by its name."""
        return {field.name: csv_of(getattr(self, field.name)) for field in fields(self)}


def results() -> LocationResults:
    return LocationResults(
        list(widths()),
        list(rivals()),
        list(layouts()),
        list(several()),
        list(people_errors()),
        list(tiled()),
        list(at_corner()),
    )
