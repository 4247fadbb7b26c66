"""Finds the near cells and odds of a place question with the least error within a limit of gamma.

Also computes the errors of any settings.

With a = |A_j| / |A|, a region of share P is received with r = b P + (1-b) a, and its score has the variance

    n se^2 = r (1-r) / b^2 = a (1-a) / b^2 + (P-a) (1-2a) / b - (P-a)^2

It falls with b: its derivative is -(2a (1-a) + b (P-a) (1-2a)) / b^3, where the bracket is linear in P and in b and not
negative at their ends. b grows with m and W. So for shares the largest odds within the limit are best, and as many near
cells as the smallest region has.

With D_m the mean of the squared distances from a true cell inside to its m near cells, and D to all cells inside, the
squared distance to the cell that is sent is b D_m + (1-b) D on average. D_1 is 0, so D_m <= D at the best m, and there
the largest odds are best again. Only m is searched. See docs/mathematics.md, Places in surveys.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.place.law import PlaceLaw, PlaceLevel, V
from privacy.kinds.place.section import LAND, LEAST_ODDS, MOST_ODDS, PlaceQuestion, odds_text, with_level

Floats = NDArray[np.float64]
Wanted = Literal["regions", "map"]
"""Error to minimise: largest standard error of a region's share, or mean squared distance inside."""
EARTH_RADIUS = 6371.0088
"""Mean radius of the Earth in kilometres."""
ROWS = 256
"""Number of true cells whose distances are computed at a time."""


@dataclass(frozen=True, slots=True)
class RegionError:
    """The expected share of a region, and the standard error of its estimate."""

    name: str
    share: float
    se: float


@dataclass(frozen=True, slots=True)
class PlaceErrors:
    """Expected errors of a place question; distances are squared, in the units of the cells' coordinates.

    `choices`: the regions in their order, then *elsewhere*, if a cell is outside. `squared_distance`: mean from the
    true cell to the sent one, for somebody inside who answers disguised. `constant`: the same if everybody inside sent
    the one cell for which it is least. `kilometres`: the root of `squared_distance` on the globe; None unless the map's
    outline is `land`.
    """

    choices: tuple[RegionError, ...]
    regions: int
    squared_distance: float
    constant: float
    kilometres: float | None

    @property
    def is_constant_better(self) -> bool:
        """True if sending one fixed cell for everybody errs no more, so that the map tells nothing of people's
        places."""
        return self.constant <= self.squared_distance


@dataclass(frozen=True, slots=True)
class PlaceChoice:
    """Best settings of a place question: one level (near cells, odds) for all regions, and its errors."""

    level: PlaceLevel
    errors: PlaceErrors


def best_place_level(
    question: PlaceQuestion,
    limit: GammaLimit,
    target: Wanted,
    respondents: int,
    prior: Sequence[float] | None = None,
) -> PlaceChoice:
    """Finds the level of a place question (near cells, odds) within the limit with the least error.

    Only cells and regions of `question` are used. A limit of odds is `GammaLimit(odds, strict=False)`.
    `prior`: relative probability of each cell; None: all equal. For 4,096 cells in one region some seconds.
    """
    odds = largest_odds(limit)
    level = PlaceLevel(_BEST_NEAR[target](question.law, _cell_shares(question, prior), odds), odds)
    return PlaceChoice(level, place_errors(with_level(question, level), respondents, prior))


def place_errors(
    question: PlaceQuestion, respondents: int, prior: Sequence[float] | None = None
) -> PlaceErrors:
    """Returns the expected errors of a place question with its own level, if everybody answers disguised.

    `prior`: relative probability of each cell.
    """
    law, shares = question.law, _cell_shares(question, prior)
    inside = shares[list(law.cells_in_regions)].sum()
    of_choices = [
        *(shares[list(region)].sum() for region in law.regions),
        *[1 - inside] * bool(law.cells_outside_regions),
    ]
    noise = [*map(float, law.region_shares), *[0.0] * bool(law.cells_outside_regions)]
    named = zip(question.item_choices, of_choices, noise, strict=True)
    return PlaceErrors(
        tuple(
            RegionError(
                choice.name, float(share), _standard_error(float(share), chance, float(law.keep), respondents)
            )
            for choice, share, chance in named
        ),
        len(law.regions),
        _mean_squared_distance(law, shares),
        float(_squared_distance_sums_by_cell(law, shares, _cell_points(law)).min() / inside),
        sqrt(_mean_squared_distance(law, shares, _globe_points(law))) if question.outline == LAND else None,
    )


def largest_odds(limit: GammaLimit) -> int:
    """Returns the largest odds that a limit of gamma admits, in hundredths."""
    most = int(limit.gamma * V)
    odds = min(most - (limit.strict and most == limit.gamma * V), MOST_ODDS)
    if odds < LEAST_ODDS:
        raise InputError(
            "limit",
            _("no odds are within this limit: the smallest possible are %(least)s"),
            least=odds_text(LEAST_ODDS),
        )
    return odds


def _cell_shares(question: PlaceQuestion, prior: Sequence[float] | None) -> Floats:
    """Returns the expected share of people in each cell, with sum 1; refuses a `prior` without people in a region."""
    weights = np.ones(len(question.cells)) if prior is None else np.asarray(prior, dtype=np.float64)
    if len(weights) != len(question.cells) or (weights < 0).any():
        raise ValueError("a prior is a weight for each cell, not negative")
    if not weights[list(question.law.cells_in_regions)].sum() > 0:
        raise ValueError("nobody is inside")
    return np.asarray(weights / weights.sum())


def _standard_error(share: float, noise: float, keep: float, respondents: int) -> float:
    received = keep * share + (1 - keep) * noise
    return sqrt(received * (1 - received) / respondents) / keep


def _best_near_count_for_shares(law: PlaceLaw, shares: Floats, odds: int) -> int:
    return min(map(len, law.regions))


def _cell_points(law: PlaceLaw) -> Floats:
    return np.array(law.points, dtype=np.float64)


def _globe_points(law: PlaceLaw) -> Floats:
    """Returns cells as points in kilometres from the Earth's centre; coordinates: hundredths of a degree."""
    longitude, latitude = np.radians(_cell_points(law) / 100).T
    across = np.cos(latitude)
    return EARTH_RADIUS * np.stack(
        [across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)], axis=1
    )


def _best_near_count_for_map(law: PlaceLaw, shares: Floats, odds: int) -> int:
    most = min(map(len, law.regions))
    near = sum(_squared_distances_by_near_count(law, shares, region, most) for region in law.regions)
    m = np.arange(1, most + 1)
    anywhere = _squared_distance_sums_by_cell(law, shares, _cell_points(law)).sum()
    away = ((odds - V) * near + V * anywhere) / ((odds - V) * m + V * len(law.cells_in_regions))
    return int(away.argmin()) + 1


_BEST_NEAR: dict[Wanted, Callable[[PlaceLaw, Floats, int], int]] = {
    "regions": _best_near_count_for_shares,
    "map": _best_near_count_for_map,
}


def _mean_squared_distance(law: PlaceLaw, shares: Floats, on_globe: Floats | None = None) -> float:
    near = sum(
        (level.odds - V) * _squared_distances_by_near_count(law, shares, region, level.near, on_globe)[-1]
        for region, level in zip(law.regions, law.levels, strict=True)
    )
    sides = (
        near
        + V
        * _squared_distance_sums_by_cell(
            law, shares, _cell_points(law) if on_globe is None else on_globe
        ).sum()
    )
    return float(sides / law.coin_sides / shares[list(law.cells_in_regions)].sum())


def _squared_distances_by_near_count(
    law: PlaceLaw, shares: Floats, region: Sequence[int], most: int, on_globe: Floats | None = None
) -> Floats:
    """Returns for m = 1 .. `most` the sum, over a region's cells, of share times squared distances to their m near
    cells.

    Near cells are chosen by coordinates, even if distances are measured between the points `on_globe`.
    """
    region = sorted(region)
    cells = _cell_points(law)[region]
    near_shares = np.zeros(most)
    for first in range(0, len(cells), ROWS):
        rows = slice(first, first + ROWS)
        squares = _squared_distances(cells[rows], cells)
        if on_globe is None:
            nearest = np.sort(squares, axis=1)[:, :most]
        else:
            near = squares.argsort(axis=1, kind="stable")[:, :most]
            nearest = np.take_along_axis(
                _squared_distances(on_globe[region][rows], on_globe[region]), near, axis=1
            )
        near_shares += shares[region][rows] @ nearest.cumsum(axis=1)
    return near_shares


def _squared_distances(first: Floats, second: Floats) -> Floats:
    """Returns the squared distance of each point of `first` to each point of `second`."""
    return np.asarray(((first[:, None] - second[None]) ** 2).sum(axis=2))


def _squared_distance_sums_by_cell(law: PlaceLaw, shares: Floats, points: Floats) -> Floats:
    """Returns for each cell in a region the squared distances from all such cells, summed with their shares as
    weights."""
    inside = list(law.cells_in_regions)
    points = points[inside] - points[inside].mean(axis=0)
    squares, weights = (points**2).sum(axis=1), shares[inside]
    return np.asarray(weights @ squares - 2 * points @ (weights @ points) + weights.sum() * squares)
