"""The inner point of a region: far from its border, as near to the middle as that allows, and the same each time."""

import random
from math import cos, hypot, pi, sin
from time import process_time

import numpy as np
import pytest

from privacy.grammar.translated_texts import Texts
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import PlaceCell, PlaceQuestion, Region, Ring
from surveys.kinds.place.region_label_position import (
    outer_edges,
    region_label_positions,
    signed_distance_to_border,
)

NONE = Texts()


def question(*shapes: tuple[Ring, ...], regions: list[tuple[int, ...]] | None = None) -> PlaceQuestion:
    """Cells of these shapes, all of one region; each cell stands in the middle of its first ring."""

    def mean_coordinate(numbers: Ring) -> int:
        return round(sum(numbers) / len(numbers))

    cells = tuple(
        PlaceCell(
            f"c{number}", NONE, (mean_coordinate(shape[0][::2]), mean_coordinate(shape[0][1::2])), shape
        )
        for number, shape in enumerate(shapes)
    )
    return place_of_cells(cells, regions or [tuple(range(len(cells)))])


def place_of_cells(cells: tuple[PlaceCell, ...], regions: list[tuple[int, ...]]) -> PlaceQuestion:
    named = tuple(Region(f"r{number}", NONE, inside) for number, inside in enumerate(regions))
    return PlaceQuestion("home", "", (), cells=cells, regions=named, level=PlaceLevel(1, 800))


def place_question_of_dots(*points: tuple[int, int], regions: list[tuple[int, ...]]) -> PlaceQuestion:
    return place_of_cells(tuple(PlaceCell(f"c{n}", NONE, at) for n, at in enumerate(points)), regions)


def square_ring(left: int, bottom: int, side: int = 100) -> Ring:
    right, top = left + side, bottom + side
    return (left, bottom, right, bottom, right, top, left, top)


def star_ring(seed: int) -> Ring:
    """A random polygon with arms and bays around the middle of a square of 2,000."""
    draw = random.Random(seed)
    corners = 5 + draw.randrange(12)
    around = [(2 * pi * n / corners, 200 + 800 * draw.random()) for n in range(corners)]
    return tuple(round(1000 + r * f(turn)) for turn, r in around for f in (cos, sin))


def plainly_deep(ring: Ring, x: float, y: float) -> float:
    """The distance to the border by a loop over its edges, below 0 outside."""
    corners = list(zip(ring[::2], ring[1::2], strict=True))
    nearest, inside = float("inf"), False
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
        length = (x2 - x1) ** 2 + (y2 - y1) ** 2
        along = max(0.0, min(1.0, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length))
        nearest = min(nearest, hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1)))
        if (y1 > y) != (y2 > y) and x < x1 + (x2 - x1) * (y - y1) / (y2 - y1):
            inside = not inside
    return nearest if inside else -nearest


@pytest.mark.at_push(3)
@pytest.mark.parametrize("seed", range(12))
def test_no_point_of_a_fine_grid_lies_much_deeper(seed: int) -> None:
    ring, steps = star_ring(seed), range(0, 2000, 25)
    ((x, y),) = region_label_positions(question((ring,)))
    deepest = max(plainly_deep(ring, column, row) for column in steps for row in steps)
    assert plainly_deep(ring, x, y) >= 0.94 * deepest > 0


def test_the_depth_is_that_of_a_loop_over_the_edges() -> None:
    ring, draw = star_ring(3), random.Random(1)
    points = [(2000 * draw.random(), 2000 * draw.random()) for _ in range(300)]
    wanted = [plainly_deep(ring, *point) for point in points]
    assert signed_distance_to_border(outer_edges([ring]), np.array(points)) == pytest.approx(wanted)


def test_a_name_stands_inside_where_the_middle_does_not() -> None:
    # An L of five squares: the middle of its cells lies in the corner, the square at the corner is the deepest place.
    cells = [(0, 0), (100, 0), (200, 0), (0, 100), (0, 200)]
    ((x, y),) = region_label_positions(question(*((square_ring(*at),) for at in cells)))
    assert 50 <= x <= 75
    assert 50 <= y <= 75
    # A crescent: its middle lies outside.
    crescent = (0, 0, 900, 0, 900, 900, 0, 900, 0, 800, 800, 800, 800, 100, 0, 100)
    ((x, y),) = region_label_positions(question((crescent,)))
    assert plainly_deep(crescent, x, y) >= 0.95 * 50
    # Around a hole.
    hole = (square_ring(0, 0, 1000), square_ring(300, 300, 600))
    ((x, y),) = region_label_positions(question(hole))
    assert x < 300 or y < 300


def test_borders_inside_a_region_are_ignored_for_its_label() -> None:
    # Of a strip of three squares it is the middle of the second one, of two by two the corner of all.
    assert region_label_positions(question(*((square_ring(100 * n, 0),) for n in range(3)))) == (
        (150.0, 50.0),
    )
    four = question(*((square_ring(100 * n, 100 * m),) for n in range(2) for m in range(2)))
    assert region_label_positions(four) == ((100.0, 100.0),)
    # Two regions have their own, whatever the order of the cells.
    both = [(square_ring(0, 0),), (square_ring(100, 0),)]
    assert region_label_positions(question(*both, regions=[(1,), (0,)])) == ((150.0, 50.0), (50.0, 50.0))


def test_label_without_shapes_is_at_the_cell_farthest_from_other_regions() -> None:
    grid = [(10 * n, 10 * m) for m in range(3) for n in range(5)]
    left = tuple(number for number, (x, _y) in enumerate(grid) if x < 30)
    right = tuple(number for number in range(15) if number not in left)
    (first, second) = region_label_positions(place_question_of_dots(*grid, regions=[left, right]))
    assert first == (10.0, 10.0)
    assert second in {(30.0, 10.0), (40.0, 10.0)}
    # One cell alone, and a map that is all one region.
    assert region_label_positions(place_question_of_dots((3, 4), (9, 9), regions=[(0,)])) == ((3.0, 4.0),)
    assert region_label_positions(place_question_of_dots(*grid, regions=[tuple(range(15))])) == (
        (20.0, 10.0),
    )


def test_the_largest_map_is_done_in_a_moment() -> None:
    grid = tuple((n % 64, n // 64) for n in range(4096))
    before = process_time()
    halves = [tuple(range(2000)), tuple(range(2000, 4096))]
    assert len(region_label_positions(place_question_of_dots(*grid, regions=halves))) == 2
    assert process_time() - before < 5
