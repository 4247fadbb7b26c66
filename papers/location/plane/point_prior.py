"""Where people are expected: what the expected error of a square mechanism needs to know of it.

With c the centre of the square of width w for somebody at p inside a region:

    M     the mean of I(p) = SUM_l (integral of the squared distance from p over region l), over all people
    P     the share of people inside a region
    Q(w)  the mean of |p - c|^2 over the people inside, times P; it does not fall, and neither does its slope Q'(w)

See docs/mathematics.md, Places on the plane.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from papers.location.plane.rectangle import Floats, Places, Points, Rectangle


@dataclass(frozen=True, slots=True)
class PlaceMoments:
    anywhere: float
    """M."""
    inside: float
    """P."""
    pushed: Callable[[float], tuple[float, float]]
    """Q(w) and Q'(w)."""


class PointPrior(Protocol):
    def moments(self, domain: Rectangle, regions: Sequence[Rectangle]) -> PlaceMoments: ...


@dataclass(frozen=True, slots=True)
class EvenPrior:
    """All points of the domain are equally likely."""

    def moments(self, domain: Rectangle, regions: Sequence[Rectangle]) -> PlaceMoments:
        """Along one axis a point nearer than w/2 to an edge is pushed; this gives Q(w) = G w^3."""
        anywhere = sum(
            region.area * (((region.centre - domain.centre) ** 2).sum() + region.variance + domain.variance)
            for region in regions
        )
        inside = sum(region.area for region in regions) / domain.area
        cubic = sum(region.area / domain.area * (1 / region.sides).sum() / 12 for region in regions)
        return PlaceMoments(float(anywhere), inside, lambda w: (float(cubic) * w**3, 3 * float(cubic) * w**2))


@dataclass(frozen=True, eq=False)
class EmpiricalPrior:
    """These points, all with the same weight; a million take a second."""

    points: Points

    def moments(self, domain: Rectangle, regions: Sequence[Rectangle]) -> PlaceMoments:
        check_points(domain, self.points)
        at, count = region_of(regions, self.points), len(self.points)
        anywhere = sum(region.squared_distances(self.points).sum() for region in regions)
        margins = np.concatenate([_margins(region, self.points[at == j]) for j, region in enumerate(regions)])

        def pushed(width: float) -> tuple[float, float]:
            by = np.maximum(width / 2 - margins, 0)
            return float((by**2).sum() / count), float(by.sum() / count)

        return PlaceMoments(float(anywhere) / count, float((at >= 0).mean()), pushed)


def _margins(region: Rectangle, points: Points) -> Floats:
    """Along both axes, the distance to the nearer edge."""
    return np.asarray(region.sides / 2 - np.abs(points - region.centre))


def region_of(regions: Sequence[Rectangle], points: Points) -> Places:
    """The number of the region that each point is in, -1 outside; an edge that two share belongs to the first."""
    numbers = np.full(len(points), -1, dtype=np.int64)
    for number, region in enumerate(regions):
        numbers[(numbers < 0) & region.holds(points)] = number
    return numbers


def check_points(domain: Rectangle, points: Points) -> None:
    if not len(points):
        raise ValueError("no point is given")
    if not domain.holds(points).all():
        raise ValueError(f"a point lies outside {domain}")
