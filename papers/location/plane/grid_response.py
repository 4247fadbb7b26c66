"""A baseline: randomised response over the cells of a grid, whose centres are sent.

Generalised randomised response over m cells, K = e^eps - 1: one's own cell with probability e^eps a, every other with
a = 1 / (K + m); that is, one's own with probability b = K a, else any.
"""

from dataclasses import dataclass
from math import exp

import numpy as np

from papers.location.plane.point_prior import check_points
from papers.location.plane.rectangle import Floats, Places, Points, Rectangle, excess_odds

MOST = 256
"""Cells along one axis of the finest grid that is searched."""


@dataclass(frozen=True, slots=True)
class GridResponse:
    domain: Rectangle
    columns: int
    rows: int
    epsilon: float

    def __post_init__(self) -> None:
        excess_odds(self.epsilon)
        if min(self.columns, self.rows) < 1:
            raise ValueError("a grid has at least one cell")

    @classmethod
    def best(cls, domain: Rectangle, epsilon: float) -> "GridResponse":
        """The grid with the least expected error for even points, of at most MOST cells along each axis."""
        odds, lines = excess_odds(epsilon), np.arange(1, MOST + 1)
        width, other = (_axis_terms(float(side), lines) for side in domain.sides)
        cells = np.outer(lines, lines)
        anywhere, own = (left[:, np.newaxis] + right for left, right in zip(width, other, strict=True))
        errors = (cells * anywhere + odds * own) / (odds + cells)
        columns, rows = np.unravel_index(errors.argmin(), errors.shape)
        return cls(domain, int(columns) + 1, int(rows) + 1, epsilon)

    @property
    def gamma(self) -> float:
        """By which factor at most a received cell changes the odds between any two places."""
        return exp(self.epsilon)

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def base_probability(self) -> float:
        """a."""
        return 1 / (excess_odds(self.epsilon) + self.cells)

    @property
    def kept(self) -> float:
        """b."""
        return excess_odds(self.epsilon) * self.base_probability

    @property
    def centres(self) -> Points:
        """By the number of the cell, row by row."""
        return self._centre_of(np.arange(self.cells))

    def probability(self, cell: int, received: int) -> float:
        return self.base_probability * (self.gamma if cell == received else 1.0)

    def cell_of(self, points: Points) -> Places:
        shape = np.array([self.columns, self.rows])
        scaled = (points - self.domain.low) / self.domain.sides * shape
        column, row = np.minimum(scaled.astype(np.int64), shape - 1).T
        return np.asarray(row * self.columns + column)

    def _centre_of(self, cells: Places) -> Points:
        corner = np.stack([cells % self.columns, cells // self.columns], axis=-1)
        return np.asarray(
            self.domain.low + (corner + 0.5) * self.domain.sides / np.array([self.columns, self.rows])
        )

    def error_at(self, points: Points) -> Floats:
        """The expected squared distance of the centre that somebody at each point sends."""
        check_points(self.domain, points)
        own = ((points - self._centre_of(self.cell_of(points))) ** 2).sum(axis=-1)
        spread = ((self.centres - self.domain.centre) ** 2).sum(axis=-1).mean()
        anywhere = ((points - self.domain.centre) ** 2).sum(axis=-1) + spread
        return np.asarray((1 - self.kept) * anywhere + self.kept * own)

    def error(self) -> float:
        """The mean of this over the domain."""
        along = zip(self.domain.sides, (self.columns, self.rows), strict=True)
        anywhere, own = (
            sum(term) for term in zip(*(_axis_terms(float(s), n) for s, n in along), strict=True)
        )
        return float((1 - self.kept) * anywhere + self.kept * own)

    def drawn(self, points: Points, rng: np.random.Generator) -> Points:
        """One received centre for each."""
        check_points(self.domain, points)
        anywhere = rng.integers(0, self.cells, len(points))
        kept = rng.random(len(points)) < self.kept
        return self._centre_of(np.where(kept, self.cell_of(points), anywhere))

    def shares(self, received: Places) -> tuple[Floats, Floats]:
        """From the numbers of records by cell: unbiased shares of the people in each, with standard errors."""
        observed, n = received / received.sum(), received.sum()
        return (observed - self.base_probability) / self.kept, np.sqrt(
            observed * (1 - observed) / n
        ) / self.kept


def _axis_terms(side: float, lines: int | Places) -> tuple[Floats, Floats]:
    """Along one axis, over even points: the mean squared distance to the centre of any cell, and of one's own."""
    own = np.asarray(side**2 / (12 * np.asarray(lines, dtype=np.float64) ** 2))
    return np.asarray(side**2 / 6 - own), own
