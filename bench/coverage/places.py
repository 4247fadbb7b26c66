"""Shares of the regions of a place, of elsewhere, and of cells outside."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.kinds.place.shares import place_shares
from privacy.kinds.place.law import PlaceLaw, PlaceLevel

COLUMNS = ROWS = 6
REGIONS = ((0, 1, 6, 7), (4, 5, 10, 11, 16, 17), (24, 25, 26, 30, 31, 32))
ODDS = (300, 900, 2_700)
INSIDE = ((0.02, 0.05, 0.1), (0.1, 0.2, 0.3), (0.0, 0.3, 0.5))
"""By region the share of those who are there."""


@dataclass(frozen=True)
class Placed:
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


def placed_cells() -> list[Placed]:
    return [Placed(*cell) for cell in product(ODDS, INSIDE, (300, 1_000, 5_000), (0.0, 0.3))]


def placed(setting: Placed, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law, keep = setting.law, float(setting.law.keep)
    truth = np.zeros(len(law.points))
    for region, share in zip(law.regions, setting.inside, strict=True):
        truth[list(region)] = share / len(region)
    # Cells outside are not alike: from one part to as many parts as there are cells.
    outside = list(law.outside)
    parts = np.arange(1, len(outside) + 1)
    truth[outside] = (1 - sum(setting.inside)) * parts / parts.sum()
    received = keep * truth
    received[list(law.inside)] += (1 - keep) / len(law.inside)
    chances = np.concatenate([setting.opened * truth, (1 - setting.opened) * received])
    counts = rng.multinomial(setting.n, chances, surveys).reshape(surveys, 2, -1)
    estimates = place_shares(law, list(counts))
    low, high = (np.stack([getattr(one, end) for one in estimates]) for end in ("low", "high"))
    shares = np.array([*setting.inside, truth[outside].sum(), *truth[outside]])
    names = [*("region",) * len(law.regions), "elsewhere", *("cell outside",) * len(outside)]
    for item, (name, share) in enumerate(zip(names, shares, strict=True)):
        known = np.isfinite(low[:, item])
        if known.any():
            held = float(((low[:, item] <= share) & (share <= high[:, item]))[known].mean())
            yield Value(name, f"{share:.3f}: {setting}", held, int(known.sum()))


SECTIONS = (
    Section(
        "places",
        "Places",
        "36 cells, 16 of them in three regions, keep .20 to .76, regions of 0 to 50 %, 300 to 5,000 respondents, none "
        "or 30 % open. What is withheld counts as not used.",
        placed_cells,
        placed,
        1_000,
        10_000,
        {"region": Bar(0.93), "elsewhere": Bar(0.93), "cell outside": Bar(0.93)},
    ),
)
