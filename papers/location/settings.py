"""The map, where regions lie on it, and where people are: the document's settings but for the people."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from papers.location.plane.point_prior import EmpiricalPrior
from papers.location.plane.rectangle import Points, Rectangle

HALF = 1000
"""The document's d: the map is [-d, d] x [-d, d]."""
MAP = Rectangle.around(0, 0, HALF, HALF)

WIDTH_EPSILONS = range(1, 21)
EPSILONS = range(5, 21)
SEVERAL_EPSILONS = range(10, 21)

CENTRE = (Rectangle.around(0, 0, 500, 500),)
CORNERS = tuple((Rectangle.around(x, y, 500, 500),) for x in (-500, 500) for y in (-500, 500))
"""Four runs with one region each; a side is half of the map's, as in the middle."""
LAYOUTS = {"centre": (CENTRE,), "corners": CORNERS}
"""The runs of each, whose mean is shown."""

TILE_LINES = np.linspace(-HALF, HALF, 5).tolist()
TILES = tuple(
    Rectangle(left, bottom, left + 500, bottom + 500)
    for left in TILE_LINES[:-1]
    for bottom in TILE_LINES[:-1]
)
"""Sixteen regions that leave nothing of the map outside."""

SEED = 1
COUNTS = (2, 4, 6)
DRAWS = 10
EIGHTH = 2 * HALF / 8
"""The side of the regions whose place is drawn."""

PEOPLE = 10_000
CLUSTERS, CLUSTER_SIDE, CLUSTER_SD = 4, 500.0, 100.0
RECORDS = 50
"""Simulated records of each of the people."""


def drawn_regions(count: int, side: float, rng: np.random.Generator) -> tuple[Rectangle, ...]:
    """Squares of this side, each anywhere on the map where it overlaps none before it."""
    squares: list[Rectangle] = []
    while len(squares) < count:
        x, y = rng.uniform(-HALF + side / 2, HALF - side / 2, 2).tolist()
        square = Rectangle.around(x, y, side / 2, side / 2)
        if not any(map(square.overlaps, squares)):
            squares.append(square)
    return tuple(squares)


@cache
def draws(count: int) -> list[tuple[Rectangle, ...]]:
    """Ten times this number of regions."""
    return [drawn_regions(count, EIGHTH, np.random.default_rng([SEED, count, draw])) for draw in range(DRAWS)]


@cache
def clusters() -> tuple[Rectangle, ...]:
    """The squares in whose middles the clusters are."""
    return drawn_regions(CLUSTERS, CLUSTER_SIDE, np.random.default_rng([SEED, CLUSTERS, DRAWS]))


def clustered() -> EmpiricalPrior:
    """As many people in each cluster, normally distributed around its middle, kept on the map."""
    rng = np.random.default_rng([SEED, PEOPLE])
    middles = np.array([square.centre for square in clusters()])
    points = np.repeat(middles, PEOPLE // CLUSTERS, axis=0) + rng.normal(0, CLUSTER_SD, (PEOPLE, 2))
    return EmpiricalPrior(np.clip(points, MAP.low, MAP.high))


def even() -> EmpiricalPrior:
    return EmpiricalPrior(MAP.drawn(PEOPLE, np.random.default_rng([SEED, PEOPLE, 0])))


def at(*points: Sequence[float]) -> Points:
    return np.array(points, dtype=np.float64)
