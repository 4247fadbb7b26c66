"""Finds where the rings of an area cross, by the sweep line of Shamos and Hoey (Geometric intersection problems, 1976).

A ring is simple if it visits no point twice. Rings of one area may touch in points; they neither cross nor share a part
of an edge. All arithmetic is exact, in integers; n points take O(n log n) steps. Not found: two rings that cross only
where both have a corner.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

Point = tuple[int, int]
Ring = Sequence[Point]
"""Corners of a ring without repeated neighbours; the last edge leads from the last corner to the first."""


class Edge(NamedTuple):
    """An edge of a ring, from its lower end to its higher end in the order of x, then y."""

    low: Point
    high: Point
    ring: int

    def side(self, point: Point) -> int:
        """Returns the side of the edge's line on which a point is: positive above, 0 on the line, negative
        below; left of a vertical edge is above."""
        (a, b), (c, d), (x, y) = self.low, self.high, point
        return (c - a) * (y - b) - (d - b) * (x - a)


class Crossing(NamedTuple):
    """The point, rounded down, where two rings cross, or where a ring crosses itself."""

    ring: int
    other: int
    at: Point


def first_crossing(rings: Sequence[Ring]) -> Crossing | None:
    """Returns the first crossing of the rings of one area, or of a ring with itself; None if there is none."""
    active: list[Edge] = []
    ending, starting = _edges_by_end_point(rings)
    for point in sorted(ending.keys() | starting.keys()):
        crossing = (
            _repeated_corner(point, [*ending[point], *starting[point]])
            or _remove_ending_edges(active, point, ending[point])
            or _corner_on_own_edge(active, point, [*ending[point], *starting[point]])
            or _insert_starting_edges(active, point, starting[point])
        )
        if crossing:
            return crossing
    return None


def _edges_by_end_point(
    rings: Sequence[Ring],
) -> tuple[defaultdict[Point, list[Edge]], defaultdict[Point, list[Edge]]]:
    """Returns the edges that end at each point, and the edges that start at each point."""
    ending: defaultdict[Point, list[Edge]] = defaultdict(list)
    starting: defaultdict[Point, list[Edge]] = defaultdict(list)
    for number, ring in enumerate(rings):
        for ends in pairwise([*ring, *ring[:1]]):
            edge = Edge(min(ends), max(ends), number)
            starting[edge.low].append(edge)
            ending[edge.high].append(edge)
    return ending, starting


def _repeated_corner(point: Point, met: Sequence[Edge]) -> Crossing | None:
    """Returns a crossing if a ring visits this corner twice, so that more than two of its edges meet there."""
    if len(met) == 2:
        return None
    ring, edges = Counter(edge.ring for edge in met).most_common(1)[0]
    return Crossing(ring, ring, point) if edges > 2 else None


def _remove_ending_edges(active: list[Edge], point: Point, ending: Sequence[Edge]) -> Crossing | None:
    """Removes the edges that end at the point; returns a crossing of the edges that become neighbours."""
    for edge in ending:
        index = _edge_index(active, point, edge.low)
        # Edges stand in the order of the sweep unless some have crossed.
        if index == len(active) or active[index] is not edge:
            return Crossing(edge.ring, edge.ring, point)
        del active[index]
        if 0 < index < len(active) and (crossing := _edge_crossing(active[index - 1], active[index])):
            return crossing
    return None


def _corner_on_own_edge(active: list[Edge], point: Point, met: Sequence[Edge]) -> Crossing | None:
    """Returns a crossing if the corner is in the middle of an edge of its own ring."""
    own = {edge.ring for edge in met}
    for edge in _edges_through(active, point):
        if edge.ring in own:
            return Crossing(edge.ring, edge.ring, point)
    return None


def _edges_through(active: list[Edge], point: Point) -> Iterator[Edge]:
    """Yields the active edges that pass through the point."""
    index = _edge_index(active, point, point)
    while index < len(active) and active[index].side(point) == 0:
        yield active[index]
        index += 1


def _insert_starting_edges(active: list[Edge], point: Point, starting: Sequence[Edge]) -> Crossing | None:
    """Inserts the edges that start at the point; returns a crossing with the edges next to them."""
    for edge in starting:
        index = _edge_index(active, point, edge.high)
        active.insert(index, edge)
        for below in (index - 1, index):
            if 0 <= below < len(active) - 1 and (
                crossing := _edge_crossing(active[below], active[below + 1])
            ):
                return crossing
    return None


def _edge_index(active: Sequence[Edge], point: Point, other_end: Point) -> int:
    """Returns the index of the edge from `point` to `other_end` among the active edges, or the index where it belongs.

    Active edges are ordered from below. `Edge.side` is repeated inline: calling it at each step of the bisection
    doubles the time for a file.
    """
    x, y = point
    low, high = 0, len(active)
    while low < high:
        middle = (low + high) // 2
        (a, b), (c, d), _ring = active[middle]
        side = (c - a) * (y - b) - (d - b) * (x - a) or active[middle].side(other_end)
        if side > 0:
            low = middle + 1
        else:
            high = middle
    return low


def _edge_crossing(first: Edge, second: Edge) -> Crossing | None:
    """Returns the point where two edges cross or begin to overlap; None if they share at most an end."""
    low, high = first.side(second.low), first.side(second.high)
    if low == high == 0:
        begin = max(first.low, second.low)
        return Crossing(first.ring, second.ring, begin) if begin < min(first.high, second.high) else None
    if not (
        _have_opposite_signs(low, high)
        and _have_opposite_signs(second.side(first.low), second.side(first.high))
    ):
        return None
    (a, b), (c, d) = second.low, second.high
    at = a + (c - a) * low // (low - high), b + (d - b) * low // (low - high)
    return Crossing(first.ring, second.ring, at)


def _have_opposite_signs(first: int, second: int) -> bool:
    return (first > 0 > second) or (first < 0 < second)
