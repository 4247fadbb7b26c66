"""All that is computed and simulated."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from papers.location.corollary import CornerErrors, TiledErrors, at_corner, tiled
from papers.location.errors import (
    CONSTANT,
    BaselineErrors,
    LayoutErrors,
    SeveralErrors,
    baselines,
    layouts,
    several,
)
from papers.location.people import PeopleErrors, people_errors
from papers.location.settings import CENTRE, CORNERS, COUNTS, HALF, SEED, TILES, clusters, draws
from papers.location.widths import Regions, Widths, widths
from papers.tables import csv_text, rounded


@dataclass(frozen=True)
class LocationResults:
    widths: list[Widths]
    layouts: list[LayoutErrors]
    baselines: list[BaselineErrors]
    several: list[SeveralErrors]
    people: list[PeopleErrors]
    tiled: list[TiledErrors]
    corner: list[CornerErrors]

    def tables(self) -> dict[str, str]:
        """Every table as CSV, by its name."""
        found = {}
        for field in fields(self):
            rows = [_flat(asdict(row)) for row in getattr(self, field.name)]
            found[field.name] = csv_text(list(rows[0]), [rounded(list(row.values())) for row in rows])
        return found

    def as_json(self) -> dict[str, Any]:
        return {
            "paper": "location",
            "half_side": HALF,
            "seed": SEED,
            "constant_answer": CONSTANT,
            "regions": {
                "centre": _edges(CENTRE),
                "corners": _edges(CORNERS),
                "tiles": _edges(TILES),
                "clusters": _edges(clusters()),
                "drawn": {str(count): [_edges(regions) for regions in draws(count)] for count in COUNTS},
            },
            **asdict(self),
        }


def results() -> LocationResults:
    return LocationResults(
        list(widths()),
        list(layouts()),
        list(baselines()),
        list(several()),
        list(people_errors()),
        list(tiled()),
        list(at_corner()),
    )


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A part that has parts becomes a column for each."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found |= {f"{name}_{part}": of for part, of in value.items()}
        else:
            found[name] = value
    return found


def _edges(regions: Regions) -> list[list[float]]:
    """Left, bottom, right and top of each."""
    return [[region.left, region.bottom, region.right, region.top] for region in regions]
