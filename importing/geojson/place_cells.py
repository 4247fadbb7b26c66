"""Makes the cells of a place question from a GeoJSON file, in the coarsest coordinates that keep the cells
distinct."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from importing.geojson.features import FINE, Area, parse_areas
from importing.geojson.interior_point import point_in_largest_ring
from importing.geojson.ring_crossings import Point, Ring, first_crossing
from importing.geojson.ring_simplification import flatten_ring, round_ring, straighten_ring
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.kinds.place.section import FURTHEST, LAND, MOST_SHAPES, count_shape_bytes

PRECISIONS = (100, 1_000, 10_000, 100_000)
"""Coordinate steps per degree that are tried, from about a kilometre to about a metre."""
LEAST_BYTES = 4
"""Least number of bytes that a corner takes in a design."""

CellMembers = dict[str, Any]
MOST_CORNERS = 100_000
"""Highest number of corners examined while repairing all shapes of a file (about two seconds); later crossings stay."""


@dataclass(frozen=True)
class PlaceCells:
    """The cells of a place question read from a file.

    `cells`: as a questionnaire stores them; x is longitude and y is latitude, times `per_degree` (the outline of land
    has 100).
    """

    cells: list[CellMembers]
    per_degree: int


class _TooLarge(InputError):
    """Raised if the shapes exceed the bytes that a question may hold; a finer grid would not help."""


def read(data: bytes) -> PlaceCells:
    """Returns the cells of a file of at most 4 MB; raises `InputError` with the position and the reason of
    the first fault."""
    read_areas = parse_areas(data)
    farthest = max(
        abs(number) for area in read_areas for ring in area.rings for point in ring for number in point
    )
    precisions = [each for each in PRECISIONS if farthest * each <= FURTHEST * FINE]
    refused: InputError
    for whole in (True, False):
        for per_degree in precisions:
            try:
                return _cells_at_precision(read_areas, per_degree, whole)
            except _TooLarge as refusal:
                refused = refusal
                break
            except InputError as refusal:
                refused = refusal
    raise refused


def _cells_at_precision(read_areas: Sequence[Area], per_degree: int, keep_all_rings: bool) -> PlaceCells:
    """Returns the cells with coordinates rounded to 1/`per_degree` of a degree.

    `keep_all_rings`: raises if a ring vanishes by rounding; otherwise one ring of each area must remain.
    """
    pieces = [[round_ring(ring, FINE // per_degree) for ring in area.rings] for area in read_areas]
    for area, of_area in zip(read_areas, pieces, strict=True):
        if not any(of_area) or (keep_all_rings and not all(of_area)):
            raise InputError(area.path, _("has a part that is too small to be drawn"))
    rounded_shapes = [[ring for piece in of_area for ring in piece] for of_area in pieces]
    _check_shape_bytes(rounded_shapes)
    shapes = remove_crossings(rounded_shapes)
    cells = [
        {"name": area.name, "at": list(at), "shape": [flatten_ring(ring) for ring in shape]}
        for area, shape, at in zip(read_areas, shapes, _points_inside(read_areas, shapes), strict=True)
    ]
    return PlaceCells(cells, per_degree)


def _points_inside(read_areas: Sequence[Area], shapes: Sequence[Sequence[Ring]]) -> Iterator[Point]:
    """Yields a point inside each shape; all points are different."""
    taken: set[Point] = set()
    for area, shape in zip(read_areas, shapes, strict=True):
        at = point_in_largest_ring(shape)
        if at is None or at in taken:
            raise InputError(area.path, _("is too small, or lies too much in another feature, to be a cell"))
        taken.add(at)
        yield at


def _check_shape_bytes(shapes: Sequence[Sequence[Ring]]) -> None:
    fewest = LEAST_BYTES * sum(len(ring) for shape in shapes for ring in shape)
    flattened = ([flatten_ring(ring) for ring in shape] for shape in shapes)
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


def remove_crossings(shapes: Sequence[Sequence[Ring]]) -> list[list[Ring]]:
    """Repairs rings that cross after rounding: removes the corner nearest to each crossing, from the shorter ring.

    A triangle is removed as a whole, unless it is the only ring of its area.
    """
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
            if not _remove_nearest_corner(rings, smaller, crossing.at):
                break
        repaired.append(rings)
    return repaired


def _remove_nearest_corner(rings: list[Ring], ring_index: int, at: Point) -> bool:
    """Removes the corner of ring `ring_index` that is nearest to `at`; a triangle is removed as a whole.

    Returns False, and changes nothing, if that would remove the only ring.
    """
    ring = rings[ring_index]
    nearest = min(range(len(ring)), key=lambda corner: math.dist(ring[corner], at))
    rest = straighten_ring([*ring[:nearest], *ring[nearest + 1 :]])
    if not rest and len(rings) == 1:
        return False
    rings[ring_index : ring_index + 1] = [rest] if rest else []
    return True
