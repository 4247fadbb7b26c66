"""Design by guarantee for a place: the near cells and the odds with the least error, and the errors of any setting."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import floor, sqrt

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.refusal import Refusal, marked as _
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.place.form import LEAST_ODDS, MOST_ODDS, PlaceQuestion, with_level
from privacy.kinds.place.law import PlaceLaw, PlaceLevel, V

REGIONS, MAP = "regions", "map"
CANDIDATES = 24

Points = NDArray[np.float64]


@dataclass(frozen=True)
class PlaceErrors:
    """`shares`: by region the standard error of its share, if people are equally likely in every cell.

    `distance`: the expected squared distance from the true cell to the one that is sent, of somebody inside.
    `constant_is_better`: whether always naming the best single cell would err less.
    """

    shares: tuple[float, ...]
    distance: float
    constant_is_better: bool


@dataclass(frozen=True)
class PlaceChoice:
    level: PlaceLevel
    errors: PlaceErrors


ERRORS: dict[str, Callable[[PlaceChoice], float]] = {
    REGIONS: lambda choice: max(choice.errors.shares),
    MAP: lambda choice: choice.errors.distance,
}
"""What is least for each wish."""


def best_place(question: PlaceQuestion, limit: GammaLimit, wanted: str, n: int) -> PlaceChoice:
    """For the shares of regions, or for the map inside them; `Refusal` where the limit admits no odds."""
    odds = most_odds(limit)
    most = min(len(region.cells) for region in question.regions)
    nears = (
        range(1, most + 1) if most <= CANDIDATES else np.unique(np.geomspace(1, most, CANDIDATES).astype(int))
    )
    found = []
    for near in nears:
        level = PlaceLevel(int(near), odds)
        found.append(PlaceChoice(level, place_errors(with_level(question, level), n)))
    return min(found, key=ERRORS[wanted])


def most_odds(limit: GammaLimit) -> int:
    """In hundredths."""
    most = min(floor(limit.gamma * V), MOST_ODDS)
    most -= most == limit.gamma * V and limit.strict
    if most < LEAST_ODDS:
        raise Refusal("odds", _("so little may be given away that nothing could be learnt"))
    return most


def place_errors(question: PlaceQuestion, n: int) -> PlaceErrors:
    return _errors(question.law, n)


@lru_cache(maxsize=256)
def _errors(law: PlaceLaw, n: int) -> PlaceErrors:
    keep = float(law.keep)
    shares = []
    for region, noise in zip(law.regions, law.shares, strict=True):
        received = keep * len(region) / len(law.points) + (1 - keep) * float(noise)
        shares.append(sqrt(received * (1 - received) / n) / keep)
    points = np.array(law.points, np.float64)[list(law.inside)]
    distance = _distance(law, points)
    constant = _from_all(points).min() / len(points)
    return PlaceErrors(tuple(shares), distance, bool(constant <= distance))


def _from_all(points: Points) -> Points:
    """By point the sum of its squared distances to all of them."""
    centre = points.mean(axis=0)
    far = ((points - centre) ** 2).sum(axis=1)
    return np.asarray(far.sum() + len(points) * far)


def _distance(law: PlaceLaw, points: Points) -> float:
    total = V * _from_all(points).sum()
    for region, level in zip(law.regions, law.levels, strict=True):
        own = np.array([law.points[cell] for cell in region], np.float64)
        for point in own:
            far = ((own - point) ** 2).sum(axis=1)
            total += (level.odds - V) * np.partition(far, level.near - 1)[: level.near].sum()
    return float(total / law.sides / len(points))
