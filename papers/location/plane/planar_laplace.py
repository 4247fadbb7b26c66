"""A baseline: planar Laplace noise, and what leaves the domain moved back to its nearest point.

Geo-indistinguishability (docs/references.md: andres-2013): density

    rate^2 / (2 pi) exp( -rate |y - p| )        around p

A received point changes the odds between two places by at most exp(rate times their distance), so rate = eps / diameter
of the domain keeps gamma = e^eps between any two. Moving a point to the nearest one of the domain (which they call
truncation) comes after the noise and does not know p, so it keeps that. A density that is cut off at the edge and
scaled up would not: the scale depends on p.
See docs/mathematics.md, Places on the plane.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, hypot, pi

import numpy as np
from scipy.special import iti0k0, k0, k1

from papers.location.plane.point_prior import check_points
from papers.location.plane.rectangle import Floats, Points, Rectangle, excess_odds

NODES = 400
"""Points of the integral over the domain, along each axis."""


@dataclass(frozen=True, slots=True)
class PlanarLaplace:
    domain: Rectangle
    epsilon: float

    def __post_init__(self) -> None:
        excess_odds(self.epsilon)

    @property
    def rate(self) -> float:
        return self.epsilon / hypot(*self.domain.sides)

    @property
    def gamma(self) -> float:
        """By which factor at most a received point changes the odds between two places of the domain."""
        return exp(self.epsilon)

    def density(self, points: Points, received: Points) -> Floats:
        """Before what left the domain is moved back; unbiased so, since the noise has the mean 0."""
        distance = np.sqrt(((received - points) ** 2).sum(axis=-1))
        return np.asarray(self.rate**2 / (2 * pi) * np.exp(-self.rate * distance))

    def error_at(self, points: Points) -> Floats:
        """The expected squared distance after it: the sum over the axes, since a point is moved back in each."""
        check_points(self.domain, points)
        return np.asarray(self._axis_errors(points).sum(axis=-1))

    def error(self) -> float:
        """The mean of this over the domain, by Gauss-Legendre quadrature to about eight digits."""
        nodes, weights = _nodes()
        points = self.domain.centre + nodes[:, np.newaxis] * self.domain.sides / 2
        return float((weights @ self._axis_errors(points)).sum() / 2)

    def _axis_errors(self, points: Points) -> Floats:
        below, above = points - self.domain.low, self.domain.high - points
        squares = clipped_square(self.rate * below) + clipped_square(self.rate * above)
        return np.asarray(squares / self.rate**2)

    def drawn(self, points: Points, rng: np.random.Generator) -> Points:
        """One received point for each."""
        check_points(self.domain, points)
        distance, angle = rng.gamma(2, 1 / self.rate, len(points)), rng.uniform(0, 2 * pi, len(points))
        noise = distance[:, np.newaxis] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        return np.asarray(np.clip(points + noise, self.domain.low, self.domain.high))


@cache
def _nodes() -> tuple[Floats, Floats]:
    """Those of Gauss and Legendre from -1 to 1, and their weights; they take a tenth of a second."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def clipped_square(edge: Floats) -> Floats:
    """E[ min(X, u)^2 ; X > 0 ] for the noise X along one axis at rate 1, whose density is |x| K_1(|x|) / pi.

    ( INTEGRAL_0..u x^3 K_1 + u^2 INTEGRAL_u..inf x K_1 ) / pi
    INTEGRAL_0..u x^3 K_1 = 3 (J - u K_0 - u^2 K_1) - u^3 K_0,      J(u) = INTEGRAL_0..u K_0
    INTEGRAL_u..inf x K_1 = u K_0 + pi/2 - J
    """
    u = np.maximum(edge, np.finfo(np.float64).tiny)
    area = np.asarray(iti0k0(u)[1])
    inner = 3 * (area - u * k0(u) - u**2 * k1(u)) - u**3 * k0(u)
    return np.asarray((inner + u**2 * (u * k0(u) + pi / 2 - area)) / pi)
