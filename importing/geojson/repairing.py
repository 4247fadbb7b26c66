"""Takes away the crossings that rounding makes, so that what is written of the cells can be read again."""

import math
from collections.abc import Sequence

from importing.geojson.crossings import Point, Ring, first_crossing
from importing.geojson.simplifying import straightened

MOST_CORNERS = 100_000
"""Corners looked at for all shapes of a file, some two seconds; crossings found later stay."""


def without_crossings(shapes: Sequence[Sequence[Ring]]) -> list[list[Ring]]:
    """The shapes without the corners next to a crossing; a triangle goes as a whole, if it is not the only ring."""
    left = MOST_CORNERS
    repaired: list[list[Ring]] = []
    for shape in shapes:
        rings = list(shape)
        while left > 0:
            left -= sum(map(len, rings))
            crossing = first_crossing(rings)
            if crossing is None:
                break
            smaller = min(crossing.ring, crossing.other, key=lambda number: len(rings[number]))
            if not _cut(rings, smaller, crossing.at):
                break
        repaired.append(rings)
    return repaired


def _cut(rings: list[Ring], number: int, at: Point) -> bool:
    """Cut off the corner next to this point; whether that could be done."""
    ring = rings[number]
    nearest = min(range(len(ring)), key=lambda corner: math.dist(ring[corner], at))
    rest = straightened([*ring[:nearest], *ring[nearest + 1 :]])
    if not rest and len(rings) == 1:
        return False
    rings[number : number + 1] = [rest] if rest else []
    return True
