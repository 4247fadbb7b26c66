"""Rounds rings to a coarser grid and leaves out the corners that it makes superfluous."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from importing.geojson.ring_crossings import Point, Ring


def rounded(ring: Ring, unit: int) -> list[list[Point]]:
    """What becomes of a ring on a grid of this unit: nothing, a ring, or several where it now touches itself."""
    half = unit // 2
    coarse = [((x + half) // unit, (y + half) // unit) for x, y in ring]
    pieces = (straightened(loop) for loop in _loops(straightened(coarse)))
    return [piece for piece in pieces if len(piece) > 2]


def straightened(ring: Ring) -> list[Point]:
    """Without repeated corners, corners on a straight line, and spikes."""
    kept: list[Point] = []
    for point in ring:
        _append(kept, point)
    # The last corners and the first are neighbours too.
    first = 0
    while len(kept) - first > 2:
        if turn(kept[-2], kept[-1], kept[first]) == 0:
            kept.pop()
        elif turn(kept[-1], kept[first], kept[first + 1]) == 0:
            first += 1
        else:
            break
    return kept[first:] if len(kept) - first > 2 else []


def _append(kept: list[Point], point: Point) -> None:
    while kept and (kept[-1] == point or (len(kept) > 1 and turn(kept[-2], kept[-1], point) == 0)):
        kept.pop()
    kept.append(point)


def turn(before: Point, at: Point, after: Point) -> int:
    """Positive for a turn to the left, 0 for none or straight back."""
    return (at[0] - before[0]) * (after[1] - at[1]) - (at[1] - before[1]) * (after[0] - at[0])


def _loops(ring: Ring) -> Iterator[list[Point]]:
    """The ring cut wherever it comes back to a corner."""
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
    """Twice the area inside; positive if the ring runs against the clock."""
    return sum(a * d - b * c for (a, b), (c, d) in pairwise([*ring, *ring[:1]]))


def flat(ring: Ring) -> list[int]:
    """x, y, x, y, … as in a design."""
    return [number for point in ring for number in point]


def points(shape: Sequence[int]) -> list[Point]:
    return list(zip(shape[::2], shape[1::2], strict=True))
