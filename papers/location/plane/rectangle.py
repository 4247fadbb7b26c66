"""Rectangles of the plane with sides along the axes."""

from dataclasses import dataclass
from math import expm1, isfinite

import numpy as np
from numpy.typing import NDArray

MOST = 100.0
"""Beyond this doubles lose the error of a mechanism, and nothing is protected anyway."""


def excess_odds(epsilon: float) -> float:
    """K = e^eps - 1; an epsilon that promises nothing, or more than everything, is refused."""
    if not (isfinite(epsilon) and 0 < epsilon <= MOST):
        raise ValueError(f"epsilon {epsilon:g} is not above 0 and at most {MOST:g}")
    return expm1(epsilon)


Floats = NDArray[np.float64]
Points = NDArray[np.float64]
"""A row per point: x and y."""
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """The edges belong to it. Lengths are in any one unit."""

    left: float
    bottom: float
    right: float
    top: float

    def __post_init__(self) -> None:
        edges = (self.left, self.bottom, self.right, self.top)
        if not all(map(isfinite, edges)) or self.left >= self.right or self.bottom >= self.top:
            raise ValueError(f"{self} has no area")

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
        """The mean squared distance of its points from its centre, (a_1^2 + a_2^2)/3 of the half-sides."""
        return float((self.sides**2).sum() / 12)

    def holds(self, points: Points) -> NDArray[np.bool_]:
        x, y = points[..., 0], points[..., 1]
        return np.asarray((x >= self.left) & (x <= self.right) & (y >= self.bottom) & (y <= self.top))

    def contains(self, other: "Rectangle") -> bool:
        return bool((other.low >= self.low).all() and (other.high <= self.high).all())

    def overlaps(self, other: "Rectangle") -> bool:
        """Whether both have an area in common; touching edges have none."""
        return bool((np.maximum(self.low, other.low) < np.minimum(self.high, other.high)).all())

    def square_centres(self, points: Points, width: float) -> Points:
        """Where the square of this width lies that is inside and as near to each point as it can be."""
        return np.clip(points, self.low + width / 2, self.high - width / 2)

    def squared_distances(self, points: Points) -> Floats:
        """From each point: the integral of the squared distance over the rectangle."""
        return np.asarray(self.area * (((points - self.centre) ** 2).sum(axis=-1) + self.variance))

    def drawn(self, count: int, rng: np.random.Generator) -> Points:
        """Points of the rectangle, all equally likely; in floating point, so for simulation only."""
        return rng.uniform(self.low, self.high, (count, 2))
