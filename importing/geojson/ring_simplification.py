"""Rounds rings to a coarser grid, and removes corners that become superfluous."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from importing.geojson.ring_crossings import Point, Ring


def round_ring(ring: Ring, unit: int) -> list[list[Point]]:
    """Returns the ring rounded to a grid of this unit: no ring, one ring, or several if the rounded ring
    touches itself."""
    half = unit // 2
    coarse = [((x + half) // unit, (y + half) // unit) for x, y in ring]
    pieces = (straighten_ring(loop) for loop in _split_loops(straighten_ring(coarse)))
    return [piece for piece in pieces if len(piece) > 2]


def straighten_ring(ring: Ring) -> list[Point]:
    """Returns the ring without repeated corners, corners on a straight line, and spikes; empty if no area remains."""
    kept: list[Point] = []
    for point in ring:
        _append_corner(kept, point)
    # The last corners and the first are neighbours too.
    first = 0
    while len(kept) - first > 2:
        if turn_direction(kept[-2], kept[-1], kept[first]) == 0:
            kept.pop()
        elif turn_direction(kept[-1], kept[first], kept[first + 1]) == 0:
            first += 1
        else:
            break
    return kept[first:] if len(kept) - first > 2 else []


def _append_corner(kept: list[Point], point: Point) -> None:
    """Appends a corner, and removes preceding corners that became superfluous."""
    while kept and (kept[-1] == point or (len(kept) > 1 and turn_direction(kept[-2], kept[-1], point) == 0)):
        kept.pop()
    kept.append(point)


def turn_direction(before: Point, at: Point, after: Point) -> int:
    """Returns a positive number for a left turn, negative for a right turn, 0 for straight on or straight back."""
    return (at[0] - before[0]) * (after[1] - at[1]) - (at[1] - before[1]) * (after[0] - at[0])


def _split_loops(ring: Ring) -> Iterator[list[Point]]:
    """Yields the loops of a ring, split wherever the ring returns to an earlier corner."""
    path: list[Point] = []
    where: dict[Point, int] = {}
    for point in ring:
        if point in where:
            start = where[point]
            yield path[start:]
            for gone in path[start + 1 :]:
                del where[gone]
            del path[start + 1 :]
        else:
            where[point] = len(path)
            path.append(point)
    yield path


def doubled_area(ring: Ring) -> int:
    """Returns twice the area inside the ring; positive if the ring runs anticlockwise."""
    return sum(a * d - b * c for (a, b), (c, d) in pairwise([*ring, *ring[:1]]))


def flatten_ring(ring: Ring) -> list[int]:
    """Returns the coordinates as one list x, y, x, y, …, as a design stores them."""
    return [number for point in ring for number in point]


def ring_points(shape: Sequence[int]) -> list[Point]:
    """Returns the points of a ring that is stored as one list x, y, x, y, …."""
    return list(zip(shape[::2], shape[1::2], strict=True))
