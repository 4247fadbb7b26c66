"""The cells of a place question from a GeoJSON file, in the coarsest coordinates that keep them apart."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from importing.geojson.features import FINE, Area, areas
from importing.geojson.interior_point import point_inside
from importing.geojson.ring_crossings import Point, Ring, first_crossing
from importing.geojson.ring_simplification import flat, rounded, straightened
from privacy.grammar.input_error import InputError, marked as _
from privacy.kinds.place.section import FURTHEST, LAND, MOST_SHAPES, count_shape_bytes

PRECISIONS = (100, 1_000, 10_000, 100_000)
"""Steps per degree, from about a kilometre to about a metre."""
LEAST_BYTES = 4
"""Of a corner."""

CellMembers = dict[str, Any]
MOST_CORNERS = 100_000
"""Corners looked at for all shapes of a file, some two seconds; crossings found later stay."""


@dataclass(frozen=True)
class PlaceCells:
    """Members `cells` of a place question without an outline, and how they were made.

    x is the longitude and y the latitude, times `per_degree`; 100 is what the outline of land has. `corners` counts
    those before and after rounding, `islands` the rings left out since they are too small.
    """

    cells: list[CellMembers]
    per_degree: int
    corners: tuple[int, int]
    islands: int


class _TooLarge(InputError):
    """The shapes take more than a question may hold; a finer grid takes no less."""


def read(data: bytes) -> PlaceCells:
    """The cells of a file of at most 4 MB; `InputError` names the place and the reason of the first fault."""
    read_areas = areas(data)
    farthest = max(
        abs(number) for area in read_areas for ring in area.rings for point in ring for number in point
    )
    precisions = [each for each in PRECISIONS if farthest * each <= FURTHEST * FINE]
    refused: InputError
    for whole in (True, False):
        for per_degree in precisions:
            try:
                return _cells(read_areas, per_degree, whole)
            except _TooLarge as refusal:
                refused = refusal
                break
            except InputError as refusal:
                refused = refusal
    raise refused


def _cells(read_areas: Sequence[Area], per_degree: int, whole: bool) -> PlaceCells:
    """On this grid, with every ring if `whole`, else with one of each area at least."""
    pieces = [[rounded(ring, FINE // per_degree) for ring in area.rings] for area in read_areas]
    for area, of_area in zip(read_areas, pieces, strict=True):
        if not any(of_area) or (whole and not all(of_area)):
            raise InputError(area.path, _("has a part that is too small to be drawn"))
    rounded_shapes = [[ring for piece in of_area for ring in piece] for of_area in pieces]
    _check_size(rounded_shapes)
    shapes = without_crossings(rounded_shapes)
    cells = [
        {"name": area.name, "at": list(at), "shape": [flat(ring) for ring in shape]}
        for area, shape, at in zip(read_areas, shapes, _positions(read_areas, shapes), strict=True)
    ]
    corners = _corners(area.rings for area in read_areas), _corners(shapes)
    islands = sum(not piece for of_area in pieces for piece in of_area)
    islands += sum(map(len, rounded_shapes)) - sum(map(len, shapes))
    return PlaceCells(cells, per_degree, corners, islands)


def _positions(read_areas: Sequence[Area], shapes: Sequence[Sequence[Ring]]) -> Iterator[Point]:
    """A point inside of each, all different."""
    taken: set[Point] = set()
    for area, shape in zip(read_areas, shapes, strict=True):
        at = point_inside(shape)
        if at is None or at in taken:
            raise InputError(area.path, _("is too small, or lies too much in another feature, to be a cell"))
        taken.add(at)
        yield at


def _check_size(shapes: Sequence[Sequence[Ring]]) -> None:
    fewest = LEAST_BYTES * _corners(shapes)
    flattened = ([flat(ring) for ring in shape] for shape in shapes)
    size = fewest if fewest > MOST_SHAPES else count_shape_bytes(list(flattened), LAND)
    if size > MOST_SHAPES:
        raise _TooLarge(
            "features",
            _(
                "the shapes take %(size)s bytes or more, and %(most)s are possible: simplify them, or use fewer"
            ),
            size=f"{size:,}",
            most=f"{MOST_SHAPES:,}",
        )


def _corners(shapes: Iterable[Sequence[Ring]]) -> int:
    return sum(len(ring) for shape in shapes for ring in shape)


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
