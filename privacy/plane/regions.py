"""Rectangles of the plane with sides along the axes, and distributions of people in them.

The expected error of a square mechanism depends on these moments, with c the centre of the square of width w
for somebody at p inside a region (docs/mathematics.md, Places on the plane):

    M     the mean of I(p) = SUM_l (integral of the squared distance from p over region l), over all people
    P     the share of people inside a region
    Q(w)  the mean of |p - c|^2 over the people inside, times P; it does not fall, and neither does its slope Q'(w)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import expm1, isfinite
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MOST = 100.0
"""Largest epsilon: beyond it doubles are too coarse for the error, and nothing is protected."""
LARGEST = 1e12
"""Largest distance of an edge from 0; its inverse is the shortest side. Powers of lengths beyond leave the doubles."""


def excess_odds(epsilon: float) -> float:
    """Returns K = e^eps - 1; raises ValueError for an epsilon that is not positive or too large."""
    if not (isfinite(epsilon) and 0 < epsilon <= MOST):
        raise ValueError(f"epsilon {epsilon:g} is not above 0 and at most {MOST:g}")
    return expm1(epsilon)


Floats = NDArray[np.float64]
Points = NDArray[np.float64]
"""Array of points, one row each: x and y."""
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle with sides along the axes, edges included. Lengths are in any one unit."""

    left: float
    bottom: float
    right: float
    top: float

    def __post_init__(self) -> None:
        edges = (self.left, self.bottom, self.right, self.top)
        if not all(map(isfinite, edges)) or self.left >= self.right or self.bottom >= self.top:
            raise ValueError(f"{self} has no area")
        if max(map(abs, edges)) > LARGEST or self.shorter_side < 1 / LARGEST:
            raise ValueError(
                f"{self} has an edge beyond {LARGEST:g} or a side below {1 / LARGEST:g}: take another unit"
            )

    def __str__(self) -> str:
        return f"[{self.left:g}, {self.right:g}] x [{self.bottom:g}, {self.top:g}]"

    @classmethod
    def around(cls, x: float, y: float, half_width: float, half_height: float) -> "Rectangle":
        return cls(x - half_width, y - half_height, x + half_width, y + half_height)

    @property
    def low(self) -> Floats:
        return np.array([self.left, self.bottom], dtype=np.float64)

    @property
    def high(self) -> Floats:
        return np.array([self.right, self.top], dtype=np.float64)

    @property
    def centre(self) -> Floats:
        return np.asarray((self.low + self.high) / 2)

    @property
    def sides(self) -> Floats:
        return np.asarray(self.high - self.low)

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.top - self.bottom)

    @property
    def shorter_side(self) -> float:
        return min(self.right - self.left, self.top - self.bottom)

    @property
    def variance(self) -> float:
        """The mean squared distance of the points from the centre, (a_1^2 + a_2^2)/3 of the half-sides."""
        return float((self.sides**2).sum() / 12)

    def contains_points(self, points: Points) -> NDArray[np.bool_]:
        x, y = points[..., 0], points[..., 1]
        return np.asarray((x >= self.left) & (x <= self.right) & (y >= self.bottom) & (y <= self.top))

    def contains(self, other: "Rectangle") -> bool:
        return bool((other.low >= self.low).all() and (other.high <= self.high).all())

    def overlaps(self, other: "Rectangle") -> bool:
        """Returns True if two rectangles have an area in common; touching edges have none."""
        return bool((np.maximum(self.low, other.low) < np.minimum(self.high, other.high)).all())

    def nearest_square_centres(self, points: Points, width: float) -> Points:
        """Returns, for each point, the centre of the nearest square of this width inside the rectangle."""
        return np.clip(points, self.low + width / 2, self.high - width / 2)

    def integrated_squared_distances(self, points: Points) -> Floats:
        """Returns, for each point, the integral of the squared distance over the rectangle."""
        return np.asarray(self.area * (((points - self.centre) ** 2).sum(axis=-1) + self.variance))

    def draw(self, count: int, rng: np.random.Generator) -> Points:
        """Draws uniform random points of the rectangle; in floating point, so for simulation only."""
        return rng.uniform(self.low, self.high, (count, 2))


@dataclass(frozen=True, slots=True)
class PlaceMoments:
    """Moments M, P and Q(w) of a distribution of people, from which the expected error is computed."""

    anywhere: float
    """M, the mean over all people of the integrated squared distance to the regions."""
    inside: float
    """P, the share of people inside a region."""
    pushed: Callable[[float], tuple[float, float]]
    """Function of the width w that returns Q(w) and Q'(w), the squared shift of squares and its slope."""


class PointPrior(Protocol):
    """A distribution of people over the points of the plane."""

    def moments(self, domain: Rectangle, regions: Sequence[Rectangle]) -> PlaceMoments: ...


@dataclass(frozen=True, slots=True)
class EvenPrior:
    """Uniform distribution of people over the domain."""

    def moments(self, domain: Rectangle, regions: Sequence[Rectangle]) -> PlaceMoments:
        """Computes the moments M, P and Q(w) of the uniform distribution.

        The square of a point nearer than w/2 to an edge is shifted inwards; along one axis this gives Q(w) = G w^3.
        """
        anywhere = sum(
            region.area * (((region.centre - domain.centre) ** 2).sum() + region.variance + domain.variance)
            for region in regions
        )
        inside = sum(region.area for region in regions) / domain.area
        cubic = sum(region.area / domain.area * (1 / region.sides).sum() / 12 for region in regions)
        return PlaceMoments(float(anywhere), inside, lambda w: (float(cubic) * w**3, 3 * float(cubic) * w**2))


@dataclass(frozen=True, eq=False)
class EmpiricalPrior:
    """Empirical distribution of people: the given points with equal weights; a million take a second."""

    points: Points

    def moments(self, domain: Rectangle, regions: Sequence[Rectangle]) -> PlaceMoments:
        check_points(domain, self.points)
        at, count = region_indexes(regions, self.points), len(self.points)
        anywhere = sum(region.integrated_squared_distances(self.points).sum() for region in regions)
        # Along both axes, the distance to the nearer edge.
        margins = np.concatenate(
            [
                region.sides / 2 - np.abs(self.points[at == j] - region.centre)
                for j, region in enumerate(regions)
            ]
        )

        def pushed_moment_and_slope(width: float) -> tuple[float, float]:
            by = np.maximum(width / 2 - margins, 0)
            return float((by**2).sum() / count), float(by.sum() / count)

        return PlaceMoments(float(anywhere) / count, float((at >= 0).mean()), pushed_moment_and_slope)


def region_indexes(regions: Sequence[Rectangle], points: Points) -> Places:
    """Returns the index of the region around each point, -1 outside; on a shared edge the first region."""
    numbers = np.full(len(points), -1, dtype=np.int64)
    for number, region in enumerate(regions):
        numbers[(numbers < 0) & region.contains_points(points)] = number
    return numbers


def check_points(domain: Rectangle, points: Points) -> None:
    """Raises ValueError if there is no point, or a point lies outside the domain."""
    if not len(points):
        raise ValueError("no point is given")
    if not domain.contains_points(points).all():
        raise ValueError(f"a point lies outside {domain}")
