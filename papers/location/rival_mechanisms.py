"""Rivals of the square mechanism: planar Laplace noise, randomised response on a grid, the piecewise law.

docs/mathematics.md, Places on the plane; docs/references.md: andres-2013, wang-2019. Points outside
the domain are moved to its nearest point, which comes after the draw, does not know the place and so
keeps the guarantee; a density that is cut off at the edge and scaled up would not, since the scale
depends on the place.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, hypot, pi

import numpy as np
from scipy.special import iti0k0, k0, k1

from privacy.plane.regions import Floats, Places, Rectangle, excess_odds

NODES = 400
"""Number of quadrature points over the domain along each axis."""
MOST_LINES = 256
"""Most cells along one axis of a grid, in the search for the best grid."""


@dataclass(frozen=True, slots=True)
class PlanarLaplace:
    """Planar Laplace noise: density rate^2 / (2 pi) exp( -rate |y - p| ) around p (geo-indistinguishability).

    A received point changes the odds between two places by at most exp(rate times their distance), so rate =
    eps / diameter of the domain keeps gamma = e^eps between any two places.
    """

    domain: Rectangle
    epsilon: float

    def __post_init__(self) -> None:
        excess_odds(self.epsilon)

    @property
    def rate(self) -> float:
        return self.epsilon / hypot(*self.domain.sides)

    def error(self) -> float:
        """Returns the expected squared error for evenly spread people, by quadrature to about eight digits."""
        nodes, weights = _gauss_legendre_nodes()
        points = self.domain.centre + nodes[:, np.newaxis] * self.domain.sides / 2
        below, above = points - self.domain.low, self.domain.high - points
        squares = clipped_second_moment(self.rate * below) + clipped_second_moment(self.rate * above)
        return float((weights @ (squares / self.rate**2)).sum() / 2)


@cache
def _gauss_legendre_nodes() -> tuple[Floats, Floats]:
    """Returns the Gauss-Legendre nodes from -1 to 1, and their weights; the first call takes a tenth of a second."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def clipped_second_moment(edge: Floats) -> Floats:
    """Returns E[ min(X, u)^2 ; X > 0 ] for the noise X along one axis at rate 1, of density |x| K_1(|x|) / pi.

    ( INTEGRAL_0..u x^3 K_1 + u^2 INTEGRAL_u..inf x K_1 ) / pi, with INTEGRAL_0..u x^3 K_1 = 3 (J - u K_0 - u^2 K_1) -
    u^3 K_0 and INTEGRAL_u..inf x K_1 = u K_0 + pi/2 - J, where J(u) = INTEGRAL_0..u K_0.
    """
    u = np.maximum(edge, np.finfo(np.float64).tiny)
    area = np.asarray(iti0k0(u)[1])
    inner = 3 * (area - u * k0(u) - u**2 * k1(u)) - u**3 * k0(u)
    return np.asarray((inner + u**2 * (u * k0(u) + pi / 2 - area)) / pi)


@dataclass(frozen=True, slots=True)
class GridResponse:
    """Generalised randomised response over the m cells of a grid, whose centres are sent; K = e^eps - 1.

    The true cell is sent with probability e^eps a, every other with a = 1 / (K + m); that is, the true one
    with probability b = K a, else any cell.
    """

    domain: Rectangle
    columns: int
    rows: int
    epsilon: float

    def __post_init__(self) -> None:
        excess_odds(self.epsilon)
        if min(self.columns, self.rows) < 1:
            raise ValueError("a grid has at least one cell")

    @classmethod
    def with_least_error(cls, domain: Rectangle, epsilon: float) -> "GridResponse":
        """Returns the grid with the least expected error for evenly spread people, at most MOST_LINES cells
        along each axis."""
        odds, lines = excess_odds(epsilon), np.arange(1, MOST_LINES + 1)
        across, up = (_axis_squared_distances(float(side), lines) for side in domain.sides)
        cells = np.outer(lines, lines)
        anywhere, own = (left[:, np.newaxis] + right for left, right in zip(across, up, strict=True))
        errors = (cells * anywhere + odds * own) / (odds + cells)
        columns, rows = np.unravel_index(errors.argmin(), errors.shape)
        return cls(domain, int(columns) + 1, int(rows) + 1, epsilon)

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def base_probability(self) -> float:
        """The probability a that a given other cell is sent."""
        return 1 / (excess_odds(self.epsilon) + self.cells)

    @property
    def keep_probability(self) -> float:
        """The probability b that the true cell is sent without drawing any cell."""
        return excess_odds(self.epsilon) * self.base_probability

    def error(self) -> float:
        """Returns the expected squared error for evenly spread people."""
        along = zip(self.domain.sides, (self.columns, self.rows), strict=True)
        anywhere, own = (
            sum(term) for term in zip(*(_axis_squared_distances(float(s), n) for s, n in along), strict=True)
        )
        return float((1 - self.keep_probability) * anywhere + self.keep_probability * own)


def _axis_squared_distances(side: float, lines: int | Places) -> tuple[Floats, Floats]:
    """Returns the mean squared distance along an axis to a random cell's centre, and to the true cell's."""
    own = np.asarray(side**2 / (12 * np.asarray(lines, dtype=np.float64) ** 2))
    return np.asarray(side**2 / 6 - own), own


def piecewise_error(epsilon: float) -> float:
    """Returns the expected squared error of the piecewise mechanism, half of epsilon on each axis.

    People are spread evenly over [-1, 1] x [-1, 1].
    """
    t, weights = np.polynomial.legendre.leggauss(200)
    return float(weights @ piecewise_axis_error(t, epsilon / 2))


def piecewise_axis_error(t: Floats, epsilon: float) -> Floats:
    """Returns the expected squared error of the piecewise mechanism along one axis, at each true t.

    With s = e^(eps/2) and C = (s+1)/(s-1), somebody at t of [-1, 1] sends a point of [-C, C] with density

        p = (s^2 - s) / (2s + 2)   on [l, r],  l = (C+1) t/2 - (C-1)/2,  r = l + C - 1,      p / s^2 elsewhere
    """
    s = exp(epsilon / 2)
    far = (s + 1) / (s - 1)
    high = (s * s - s) / (2 * s + 2)
    low = high / (s * s)
    left = (far + 1) / 2 * t - (far - 1) / 2
    right = left + far - 1
    a, b = np.maximum(left, -1), np.minimum(right, 1)
    within = low * (_integral_of_square(1 - t) - _integral_of_square(-1 - t)) + (high - low) * (
        _integral_of_square(b - t) - _integral_of_square(a - t)
    )
    above = low * (far - 1) + (high - low) * np.maximum(right - 1, 0)
    below = low * (far - 1) + (high - low) * np.maximum(-1 - left, 0)
    return np.asarray(within + above * (1 - t) ** 2 + below * (1 + t) ** 2)


def _integral_of_square(x: Floats) -> Floats:
    return x**3 / 3
