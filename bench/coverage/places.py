"""Shares of the regions of a place, of elsewhere, and of cells outside."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bench.coverage.section import Measures, Value, grid, held
from mining.kinds.place.region_shares import place_shares
from privacy.kinds.place.law import PlaceLaw, PlaceLevel

COLUMNS = ROWS = 6
REGIONS = ((0, 1, 6, 7), (4, 5, 10, 11, 16, 17), (24, 25, 26, 30, 31, 32))


@dataclass(frozen=True)
class Placed:
    """`inside`: by region the share of those who are there."""

    odds: int
    inside: tuple[float, ...]
    n: int
    opened: float

    @property
    def law(self) -> PlaceLaw:
        points = tuple((cell % COLUMNS, cell // COLUMNS) for cell in range(COLUMNS * ROWS))
        return PlaceLaw(points, REGIONS, (PlaceLevel(2, self.odds),) * len(REGIONS))

    def __str__(self) -> str:
        shares = ", ".join(f"{share:g}" for share in self.inside)
        return f"keep {float(self.law.keep):.2f}, regions of {shares}, {self.n:,} records, {self.opened:.0%} open"


def placed(setting: Placed, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law, keep = setting.law, float(setting.law.keep)
    truth = np.zeros(len(law.points))
    for region, share in zip(law.regions, setting.inside, strict=True):
        truth[list(region)] = share / len(region)
    # Cells outside are not alike: from one part to as many parts as there are cells.
    outside = list(law.cells_outside_regions)
    parts = np.arange(1, len(outside) + 1)
    truth[outside] = (1 - sum(setting.inside)) * parts / parts.sum()
    received = keep * truth
    received[list(law.cells_in_regions)] += (1 - keep) / len(law.cells_in_regions)
    chances = np.concatenate([setting.opened * truth, (1 - setting.opened) * received])
    estimates = place_shares(law, list(rng.multinomial(setting.n, chances, surveys).reshape(surveys, 2, -1)))
    low, high = (np.stack([getattr(estimate, end) for estimate in estimates]).T for end in ("low", "high"))
    names = [*("region",) * len(law.regions), "elsewhere", *("cell outside",) * len(outside)]
    shares = [*setting.inside, truth[outside].sum(), *truth[outside]]
    for name, share, *interval in zip(names, shares, low, high, strict=True):
        value = held(name, f"{share:.3f}: {setting}", (interval[0], interval[1]), float(share))
        yield replace(value, none=0.0)


SHARES = ((0.02, 0.05, 0.1), (0.1, 0.2, 0.3), (0.0, 0.3, 0.5))
MEASURES: Measures = {
    "places": (grid(Placed, (300, 900, 2_700), SHARES, (300, 1_000, 5_000), (0.0, 0.3)), placed),
}
