"""Finds a point inside an area: its centroid, or else a point in the middle of its widest part."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from importing.geojson.ring_crossings import Point, Ring
from importing.geojson.ring_simplification import doubled_area, turn_direction

SCANNED = 16
"""Number of horizontal lines searched for a point; at most twice as many are used."""


def point_in_largest_ring(rings: Sequence[Ring]) -> Point | None:
    """Returns a point with integer coordinates strictly inside the largest ring; None if none is found."""
    ring = max(rings, key=lambda ring: abs(doubled_area(ring)))
    return next((point for point in _candidate_points(ring) if is_strictly_inside(point, ring)), None)


def _candidate_points(ring: Ring) -> Iterator[Point]:
    """Yields the centroid, then the midpoints of horizontal spans inside the ring, the widest span first."""
    yield _centroid(ring)
    low, high = min(y for _x, y in ring), max(y for _x, y in ring)
    step = max(1, (high - low) // (SCANNED + 1))
    spans = [span for y in range(low + step, high, step) for span in _inside_spans(ring, y)]
    for left, right, y in sorted(spans, key=lambda span: (span[0] - span[1], span[2])):
        middle = (left + right) // 2
        yield from ((middle, y), (middle + 1, y))


def _centroid(ring: Ring) -> Point:
    x = y = area = 0
    for (a, b), (c, d) in pairwise([*ring, *ring[:1]]):
        piece = a * d - b * c
        x, y, area = x + (a + c) * piece, y + (b + d) * piece, area + piece
    # A ring that crosses itself after rounding may have no area.
    return (round(Fraction(x, 3 * area)), round(Fraction(y, 3 * area))) if area else ring[0]


def _inside_spans(ring: Ring, y: int) -> Iterator[tuple[int, int, int]]:
    """Yields the parts of the horizontal line at `y` inside the ring: left end, right end, y."""
    met = sorted(
        Fraction((y - b) * (c - a), d - b) + a
        for (a, b), (c, d) in pairwise([*ring, *ring[:1]])
        if (b > y) != (d > y)
    )
    for left, right in zip(met[::2], met[1::2], strict=True):
        yield left.__floor__(), right.__ceil__(), y


def is_strictly_inside(point: Point, ring: Ring) -> bool:
    """True if the point is inside the ring by the even-odd rule, and on no edge."""
    inside = False
    for before, after in pairwise([*ring, *ring[:1]]):
        side = turn_direction(before, after, point)
        if side == 0 and min(before, after) <= point <= max(before, after):
            return False
        if (before[1] > point[1]) != (after[1] > point[1]) and (side > 0) == (after[1] > before[1]):
            inside = not inside
    return inside
