"""Finds where the rings of an area cross, by the sweep of Shamos and Hoey (Geometric intersection problems, 1976).

A ring is simple if it visits no point twice. Rings of one area may touch in points; they neither cross nor share a
part of an edge. All is exact, in integers; n points take O(n log n) steps. Not found: two rings that cross only where
both have a corner.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

Point = tuple[int, int]
Ring = Sequence[Point]
"""Corners; the last edge leads from the last to the first. No corner repeats the one before."""


class Edge(NamedTuple):
    """From its lower end to its higher one, in the order of x, then y."""

    low: Point
    high: Point
    ring: int

    def side(self, point: Point) -> int:
        """Positive above the line through this edge, 0 on it; above an edge along y is at its left."""
        (a, b), (c, d), (x, y) = self.low, self.high, point
        return (c - a) * (y - b) - (d - b) * (x - a)


class Crossing(NamedTuple):
    """Two rings, or the same one twice, and where they cross, rounded down."""

    ring: int
    other: int
    at: Point


def first_crossing(rings: Sequence[Ring]) -> Crossing | None:
    """Where the rings of one area cross, or one of them meets itself; None if they do not."""
    active: list[Edge] = []
    ending, starting = _edges(rings)
    for point in sorted(ending.keys() | starting.keys()):
        crossing = (
            _twice(point, [*ending[point], *starting[point]])
            or _end(active, point, ending[point])
            or _on_an_edge(active, point, [*ending[point], *starting[point]])
            or _start(active, point, starting[point])
        )
        if crossing:
            return crossing
    return None


def _edges(rings: Sequence[Ring]) -> tuple[defaultdict[Point, list[Edge]], defaultdict[Point, list[Edge]]]:
    ending: defaultdict[Point, list[Edge]] = defaultdict(list)
    starting: defaultdict[Point, list[Edge]] = defaultdict(list)
    for number, ring in enumerate(rings):
        for ends in pairwise([*ring, *ring[:1]]):
            edge = Edge(min(ends), max(ends), number)
            starting[edge.low].append(edge)
            ending[edge.high].append(edge)
    return ending, starting


def _twice(point: Point, met: Sequence[Edge]) -> Crossing | None:
    """A corner of a simple ring has two edges."""
    if len(met) == 2:
        return None
    ring, edges = Counter(edge.ring for edge in met).most_common(1)[0]
    return Crossing(ring, ring, point) if edges > 2 else None


def _end(active: list[Edge], point: Point, ending: Sequence[Edge]) -> Crossing | None:
    for edge in ending:
        index = _index(active, point, edge.low)
        # Edges stand in the order of the sweep unless some have crossed.
        if index == len(active) or active[index] is not edge:
            return Crossing(edge.ring, edge.ring, point)
        del active[index]
        if 0 < index < len(active) and (crossing := _crossing(active[index - 1], active[index])):
            return crossing
    return None


def _on_an_edge(active: list[Edge], point: Point, met: Sequence[Edge]) -> Crossing | None:
    """A corner in the middle of an edge of its own ring."""
    own = {edge.ring for edge in met}
    for edge in _through(active, point):
        if edge.ring in own:
            return Crossing(edge.ring, edge.ring, point)
    return None


def _through(active: list[Edge], point: Point) -> Iterator[Edge]:
    index = _index(active, point, point)
    while index < len(active) and active[index].side(point) == 0:
        yield active[index]
        index += 1


def _start(active: list[Edge], point: Point, starting: Sequence[Edge]) -> Crossing | None:
    for edge in starting:
        index = _index(active, point, edge.high)
        active.insert(index, edge)
        for below in (index - 1, index):
            if 0 <= below < len(active) - 1 and (crossing := _crossing(active[below], active[below + 1])):
                return crossing
    return None


def _index(active: Sequence[Edge], point: Point, other: Point) -> int:
    """Where the edge from `point` to `other` stands among those that the sweep meets at `point`, from below.

    `Edge.side` stands here once more: calling it for each step of the bisection doubles the time of a file.
    """
    x, y = point
    low, high = 0, len(active)
    while low < high:
        middle = (low + high) // 2
        (a, b), (c, d), _ring = active[middle]
        side = (c - a) * (y - b) - (d - b) * (x - a) or active[middle].side(other)
        if side > 0:
            low = middle + 1
        else:
            high = middle
    return low


def _crossing(one: Edge, other: Edge) -> Crossing | None:
    """Where they cross inside both, or begin to share more than a point."""
    low, high = one.side(other.low), one.side(other.high)
    if low == high == 0:
        begin = max(one.low, other.low)
        return Crossing(one.ring, other.ring, begin) if begin < min(one.high, other.high) else None
    if not (_apart(low, high) and _apart(other.side(one.low), other.side(one.high))):
        return None
    (a, b), (c, d) = other.low, other.high
    at = a + (c - a) * low // (low - high), b + (d - b) * low // (low - high)
    return Crossing(one.ring, other.ring, at)


def _apart(one: int, other: int) -> bool:
    return (one > 0 > other) or (one < 0 < other)
