"""Where the utility-optimised mechanism has the larger error, against corollary 3."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from papers.location.plane.rectangle import Points
from papers.location.settings import CENTRE, EPSILONS, TILES, at
from papers.location.widths import square, with_common_width, with_own_width

AT_CORNER = at((500, 500))
"""A corner of the region in the middle."""
LINES = 200


@dataclass(frozen=True)
class TiledErrors:
    """For even points on a map tiled by regions: both mechanisms with one w, and each with its best."""

    epsilon: int
    width: float
    square: float
    optimised: float
    square_best: float
    optimised_best: float


@dataclass(frozen=True)
class CornerErrors:
    """Of somebody at a corner of the region in the middle."""

    epsilon: int
    square: float
    optimised: float
    """With the w of the square mechanism."""
    own: float
    worse: float
    """The part of the region in which people have a larger error than with the square mechanism, with one w."""


def tiled() -> Iterator[TiledErrors]:
    for epsilon in EPSILONS:
        square_law, other = with_common_width(TILES, epsilon)
        best = square(epsilon).error(), with_own_width(TILES, epsilon).error()
        yield TiledErrors(epsilon, square_law.width, square_law.error(), other.error(), *best)


def at_corner() -> Iterator[CornerErrors]:
    inside = _points_of_the_region()
    for epsilon in EPSILONS:
        square_law, other = with_common_width(CENTRE, epsilon)
        own = with_own_width(CENTRE, epsilon)
        of_square, optimised, of_own = (float(law.error_at(AT_CORNER)[0]) for law in (square_law, other, own))
        worse = float((other.error_at(inside) > square_law.error_at(inside)).mean())
        yield CornerErrors(epsilon, of_square, optimised, of_own, worse)


def _points_of_the_region() -> Points:
    (region,) = CENTRE
    along = region.left + (np.arange(LINES) + 0.5) * region.shorter_side / LINES
    return np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
