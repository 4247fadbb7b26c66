"""The sweep that finds crossing rings, against every pair of edges."""

import math
import random
import time
from collections.abc import Sequence
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings, strategies as st

from importing.geojson.place_cells import remove_crossings
from importing.geojson.ring_crossings import Crossing, Point, Ring, first_crossing
from importing.geojson.ring_simplification import doubled_area, round_ring, straighten_ring

SQUARE: Ring = [(0, 0), (4, 0), (4, 4), (0, 4)]


def turn_direction(a: Point, b: Point, c: Point) -> int:
    found = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (found > 0) - (found < 0)


def on_segment(a: Point, b: Point, c: Point) -> bool:
    return turn_direction(a, b, c) == 0 and min(a, b) <= c <= max(a, b)


def cross_or_overlap(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two edges cross inside both or share more than a point."""
    if turn_direction(a, b, c) == turn_direction(a, b, d) == 0:
        return max(min(a, b), min(c, d)) < min(max(a, b), max(c, d))
    return (
        turn_direction(a, b, c) * turn_direction(a, b, d) < 0
        and turn_direction(c, d, a) * turn_direction(c, d, b) < 0
    )


def any_pair_crosses(rings: Sequence[Ring]) -> bool:
    numbered = ((number, pairwise([*ring, ring[0]])) for number, ring in enumerate(rings))
    edges = [(number, at, *ends) for number, pairs in numbered for at, ends in enumerate(pairs)]
    for (ring, at, a, b), (other, place, c, d) in combinations(edges, 2):
        if cross_or_overlap(a, b, c, d):
            return True
        neighbours = (place - at) % len(rings[ring]) in (1, len(rings[ring]) - 1)
        if (
            ring == other
            and not neighbours
            and (on_segment(a, b, c) or on_segment(a, b, d) or on_segment(c, d, a) or on_segment(c, d, b))
        ):
            return True
    return False


def a_ring(most: int, size: int) -> st.SearchStrategy[list[Point]]:
    points = st.tuples(st.integers(0, size), st.integers(0, size))
    rings = st.lists(points, min_size=3, max_size=most)
    unrepeated = rings.map(lambda ring: [each for at, each in enumerate(ring) if each != ring[at - 1]])
    return unrepeated.filter(lambda ring: len(set(ring)) > 2)


SHAPES = st.one_of(
    st.lists(a_ring(10, 20), min_size=1, max_size=1),
    st.lists(a_ring(4, 3), min_size=1, max_size=4),
    st.lists(a_ring(5, 9), min_size=2, max_size=5),
)


@pytest.mark.page
@settings(max_examples=125)
@given(rings=SHAPES)
def test_sweep_finds_crossings_exactly_like_comparing_all_pairs(rings: list[list[Point]]) -> None:
    assert (first_crossing(rings) is not None) == any_pair_crosses(rings)


@pytest.mark.parametrize(
    ("rings", "found"),
    [
        ([SQUARE], None),
        ([[(0, 0), (4, 4), (4, 0), (0, 4)]], Crossing(0, 0, (2, 2))),  # a bow tie
        ([[(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)]], Crossing(0, 0, (2, 0))),  # a corner on an edge
        ([[(0, 0), (2, 2), (4, 0), (4, 4), (2, 2), (0, 4)]], Crossing(0, 0, (2, 2))),  # a corner twice
        ([[(0, 0), (4, 0), (4, 4), (4, 9), (4, 4), (0, 4)]], Crossing(0, 0, (4, 4))),  # a spike
        ([SQUARE, [(4, 4), (6, 4), (6, 6)]], None),  # two rings that touch in a corner
        ([SQUARE, [(4, 2), (6, 0), (6, 4)]], None),  # a corner on the other's edge
        ([SQUARE, [(1, 1), (2, 1), (2, 2)]], None),  # one inside the other
        ([SQUARE, [(4, 1), (4, 3), (6, 2)]], Crossing(0, 1, (4, 1))),  # a part of an edge
        ([SQUARE, SQUARE], Crossing(1, 0, (0, 0))),
        ([SQUARE, [(2, 2), (6, 1), (6, 3)]], Crossing(0, 1, (4, 1))),
    ],
)
def test_crossings_are_found_and_located(rings: list[Ring], found: Crossing | None) -> None:
    said = first_crossing(rings)
    assert said is None if found is None else said is not None
    if said and found:
        assert {said.ring, said.other} == {found.ring, found.other}
        assert math.dist(said.at, found.at) < 4


@pytest.mark.night
@pytest.mark.parametrize("sideways", [False, True])
@pytest.mark.page
def test_fifty_thousand_corners_are_swept_in_seconds(sideways: bool) -> None:
    """A comb, so that the sweep meets one edge at a time, or all of them at once."""
    teeth: list[Point] = [(10 * (at // 2) + 3 * (at % 2), 1_000_000 * (at % 2)) for at in range(49_998)]
    comb = [*teeth, (10**6, -5), (0, -5)]
    ring = [(y, x) for x, y in comb] if sideways else comb
    began = time.process_time()
    assert first_crossing([ring]) is None
    assert time.process_time() - began < 40


@pytest.mark.night
@pytest.mark.page
def test_many_rings_touching_in_one_point_take_no_quadratic_time() -> None:
    fan: list[Ring] = [[(0, 0), (10**6, 4 * at), (10**6, 4 * at + 2)] for at in range(16_000)]
    began = time.process_time()
    assert first_crossing(fan) is None
    assert time.process_time() - began < 50


# --- what rounding makes


@pytest.mark.page
@given(ring=a_ring(12, 6))
def test_simplified_ring_turns_at_every_corner_and_keeps_its_area(ring: list[Point]) -> None:
    found = straighten_ring(ring)
    assert all(turn_direction(found[at - 2], found[at - 1], corner) for at, corner in enumerate(found))
    assert doubled_area(found) == doubled_area(ring)
    assert not found or len(found) > 2


@pytest.mark.page
@given(ring=a_ring(12, 60), unit=st.integers(1, 30))
def test_rounded_ring_visits_no_corner_twice_and_keeps_its_area(ring: list[Point], unit: int) -> None:
    found = round_ring(ring, unit)
    for piece in found:
        assert len(set(piece)) == len(piece) > 2
    coarse = [((x + unit // 2) // unit, (y + unit // 2) // unit) for x, y in ring]
    assert sum(map(doubled_area, found)) == doubled_area(coarse)


def test_numbers_are_rounded_to_nearest_on_both_sides_of_zero() -> None:
    corners = [(-2, -2), (2, -2), (2, 2), (-2, 2)]
    for unit in (1, 10, 1_000):
        near = [(x * unit + unit // 3, y * unit - unit // 3) for x, y in corners]
        assert round_ring(near, unit) in ([corners[1:] + corners[:1]], [corners]), unit


def random_coast(seed: int) -> list[Point]:
    """A coast with inlets so narrow that a coarse grid closes some of them."""
    chance = random.Random(seed)
    corners = [(chance.randrange(200, 900), at * math.pi / 60) for at in range(120)]
    return [(round(far * math.cos(angle)), round(far * math.sin(angle))) for far, angle in corners]


@pytest.mark.page
def test_crossings_made_by_rounding_are_repaired() -> None:
    made = 0
    for seed in range(60):
        assert first_crossing([random_coast(seed)]) is None
        shape = round_ring(random_coast(seed), 25)
        made += first_crossing(shape) is not None
        (repaired,) = remove_crossings([shape])
        assert first_crossing(repaired) is None
        assert sum(map(len, repaired)) > sum(map(len, shape)) * 0.9
    assert made >= 3


def test_triangle_crossing_a_larger_ring_is_dropped_and_repairs_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert remove_crossings([[[(3, 1), (6, 2), (3, 3)], SQUARE]]) == [[SQUARE]]
    # The only ring stays.
    bow_tie: Ring = [(0, 0), (4, 4), (4, 0), (0, 4)]
    ((ring,),) = remove_crossings([[bow_tie]])
    assert len(ring) == 3
    flat: Ring = [(0, 0), (2, 0), (4, 0)]
    assert remove_crossings([[flat]]) == [[flat]]
    monkeypatch.setattr("importing.geojson.place_cells.MOST_CORNERS", 4)
    first, second = remove_crossings([[bow_tie], [bow_tie]])
    assert (len(first[0]), second) == (3, [bow_tie])
