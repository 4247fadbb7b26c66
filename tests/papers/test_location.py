"""The errors of document 002, and where its corollary 3 fails; the page of them: test_pages.py."""

from itertools import product
from math import expm1

import numpy as np
import pytest

from papers.document_structure import format_number
from papers.location import expected_errors as location
from papers.location.rival_mechanisms import piecewise_axis_error, piecewise_error
from privacy.plane.regions import Rectangle
from privacy.plane.square_mechanism import best_width

pytestmark = pytest.mark.proof


def test_the_square_mechanism_is_worse_than_a_constant_answer_at_epsilon_1_only() -> None:
    """The width and error worked out for d = 1000: tests/privacy/plane/test_square_law.py."""
    assert pytest.approx(2 * 1000**2 / 3) == location.CONSTANT
    errors = [location.square_mechanism_with_best_width(epsilon).error() for epsilon in (1, 2, 3)]
    assert [error > location.CONSTANT for error in errors] == [True, False, False]
    assert best_width(location.MAP, location.CORNERS[0], 5) == pytest.approx(578.54, abs=0.005)


def by_hand(epsilon: float, w: float, regions: tuple[Rectangle, ...]) -> float:
    """The error for even points on the map of d = 1000, from the formula of several regions written out."""
    k, area = expm1(epsilon), 4e6
    halves = [((r.right - r.left) / 2, (r.top - r.bottom) / 2) for r in regions]
    middles = [((r.right + r.left) / 2, (r.top + r.bottom) / 2) for r in regions]
    sizes = [4 * a * b for a, b in halves]
    g = sum(s / area * (1 / a + 1 / b) for s, (a, b) in zip(sizes, halves, strict=True)) / 24
    parts = zip(sizes, middles, halves, strict=True)
    k0 = sum(s * (x**2 + y**2 + (a**2 + b**2 + 2e6) / 3) for s, (x, y), (a, b) in parts)
    inside = sum(sizes) / area
    return (k0 + k * (inside * w**4 / 6 + g * w**5)) / (sum(sizes) + k * w**2)


def test_figure_5_is_four_runs_of_one_region_in_a_corner_each() -> None:
    corners = product((-1000, 0), repeat=2)
    expected = [[(left, bottom, left + 1000, bottom + 1000)] for left, bottom in corners]
    assert [[(of.left, of.bottom, of.right, of.top) for of in run] for run in location.CORNERS] == expected
    rows = {row.epsilon: row for row in location.layout_errors() if row.layout == "corners"}
    ours = [format_number(rows[epsilon].documents.mean) for epsilon in (5, 10, 15, 20)]
    assert ours == ["48,239", "3458.7", "267.82", "21.572"]
    square = [format_number(rows[epsilon].square) for epsilon in (5, 10, 15, 20)]
    assert square == ["165,985", "13,227", "1056.8", "85.946"]
    # A corner is like any other.
    assert rows[5].documents.least == pytest.approx(rows[5].documents.most)


def test_errors_of_both_layouts_are_those_of_the_formula_and_the_own_w_is_never_worse() -> None:
    rows = list(location.layout_errors())
    assert [row.epsilon for row in rows] == 2 * list(range(5, 21))
    for row in rows:
        regions = location.LAYOUTS[row.layout][0]
        assert row.own.mean == pytest.approx(by_hand(row.epsilon, row.own_width, regions))
        assert row.documents.mean == pytest.approx(by_hand(row.epsilon, row.width, regions))
        assert row.own.mean <= row.documents.mean < row.square


def test_step_1_enlarges_by_the_w_of_the_lower_bound_of_the_budget() -> None:
    """601.57 at epsilon 5, 188.42 at 10: a region of 400 grows to 601.57 at every epsilon, and stays on the map."""
    widths = [format_number(location.square_mechanism_with_best_width(epsilon).width) for epsilon in (5, 10)]
    assert widths == ["601.57", "188.42"]
    small = (Rectangle(-1000, -1000, -600, -600),)
    for epsilon in (5, 12, 20):
        law = location.optimised_with_printed_width(small, epsilon, 5)
        assert law.width == location.square_mechanism_with_best_width(epsilon).width
        assert law.regions[0].low.tolist() == [-1000, -1000]
        assert law.regions[0].shorter_side == pytest.approx(601.5733, rel=1e-6)
    middle, narrow = Rectangle.around(0, 0, 50, 50), Rectangle(-10, 0, 10, 400)
    enlarged = Rectangle(-150, -150, 150, 150), Rectangle(-150, 0, 150, 400)
    assert location.enlarge_regions_to_width([middle, narrow], 300) == enlarged
    assert location.optimised_with_printed_width(location.CENTRE, 5, 5).regions == location.CENTRE


def test_the_grid_is_at_least_as_good_as_the_square_mechanism_and_noise_by_axis_is_not() -> None:
    for row in location.rival_errors():
        assert row.grid < row.square < row.piecewise < row.planar_laplace


def test_the_piecewise_law_has_the_error_of_its_definition() -> None:
    """A million draws: near with probability s/(s+1), else uniform on the rest of [-C, C]; clipped to the map."""
    rng, s = np.random.default_rng(1), np.exp(5 / 4)
    far, true = (s + 1) / (s - 1), rng.uniform(-1, 1, 1_000_000)
    left = (far + 1) / 2 * true - (far - 1) / 2
    right = left + far - 1
    rest = rng.uniform(0, far + 1, len(true))
    away = np.where(rest < left + far, rest - far, right + rest - left - far)
    sent = np.where(rng.random(len(true)) < s / (s + 1), rng.uniform(left, right), away)
    assert sent.mean() == pytest.approx(true.mean(), abs=0.01)
    squared = (np.clip(sent, -1, 1) - true) ** 2
    assert piecewise_error(5) / 2 == pytest.approx(squared.mean(), abs=4 * squared.std() / 1_000)
    below, above = (piecewise_axis_error(np.array([at]), 2.5) for at in (-0.7, 0.7))
    assert below == pytest.approx(above), "by symmetry"


def test_regions_are_drawn_ten_times_apart_from_each_other_on_the_map() -> None:
    for count in location.COUNTS:
        assert len(location.ten_random_layouts(count)) == 10
        assert len(set(location.ten_random_layouts(count))) == 10
        for regions in location.ten_random_layouts(count):
            assert len(regions) == count
            for place, region in enumerate(regions):
                assert region.sides == pytest.approx([250, 250])
                assert location.MAP.contains(region)
                assert not any(region.overlaps(other) for other in regions[:place])


@pytest.mark.night
def test_errors_of_several_regions_are_means_over_the_draws() -> None:
    rows = list(location.several_region_errors())
    assert [(row.count, row.epsilon) for row in rows] == [(n, e) for n in (2, 4, 6) for e in range(10, 21)]
    for row in rows:
        layouts = location.ten_random_layouts(row.count)
        laws = {of: location.optimised_with_printed_width(of, row.epsilon, 10) for of in layouts}
        some = [by_hand(row.epsilon, law.width, of) for of, law in laws.items()]
        assert row.documents.mean == pytest.approx(np.mean(some))
        assert row.documents.least == pytest.approx(min(some))
        assert row.documents.most == pytest.approx(max(some))
        assert row.own.least <= row.own.mean <= row.own.most
        assert row.own.mean <= row.documents.mean < row.square


@pytest.mark.night
def test_fitting_w_to_people_helps_those_who_are_clustered_and_agrees_with_simulation() -> None:
    rows = list(location.even_and_clustered_errors())
    assert len(rows) == 16
    for row in rows:
        assert row.fitted_error <= row.even_error
        assert abs(row.simulated - row.fitted_error) < 1.8 * row.simulated_reach
    gains = {
        people: max(1 - row.fitted_error / row.even_error for row in rows if row.people == people)
        for people in ("even", "clustered")
    }
    assert gains["even"] < 0.001
    assert gains["clustered"] > 0.2


def test_clustered_people_are_on_the_map_around_their_middles() -> None:
    points = location.clustered_people().points
    assert location.MAP.contains_points(points).all()
    for place, around in enumerate(location.cluster_squares()):
        mine = points[place * 2500 : (place + 1) * 2500]
        assert np.abs(mine.mean(axis=0) - around.centre).max() < 10
        assert mine.std(axis=0) == pytest.approx([100, 100], rel=0.06)


def test_on_a_tiled_map_the_optimised_mechanism_is_worse_for_many_and_better_for_nobody() -> None:
    assert sum(tile.area for tile in location.TILES) == location.MAP.area
    for row in location.tiled_region_errors():
        assert row.optimised > row.square
        assert row.optimised_best > row.square_best
    points = location.MAP.draw(20_000, np.random.default_rng(1))
    one, other = location.both_mechanisms_with_one_width(location.TILES, 8)
    more = other.error_at(points) - one.error_at(points)
    assert more.min() > -1e-6
    assert (more > 1).mean() > 0.5
    # Simulated, too.
    rng = np.random.default_rng(2)
    squared = [((law.draw(points, rng) - points) ** 2).sum(axis=1) for law in (one, other)]
    assert squared[1].mean() > squared[0].mean()


def test_somebody_at_the_corner_of_a_region_has_about_twice_the_error() -> None:
    """Both by the formula at a point: the square lies around them, or with its corner at them."""
    assert location.AT_CORNER.tolist() == [[500, 500]]
    for row in location.region_corner_errors():
        law, _optimised = location.both_mechanisms_with_one_width(location.CENTRE, row.epsilon)
        k, w = expm1(row.epsilon), law.width
        squared, spread = 2 * 500**2, 2 * 1000**2 / 3
        assert row.square == pytest.approx((4e6 * (squared + spread) + k * w**4 / 6) / (4e6 + k * w**2))
        moved = 2 * (w / 2) ** 2
        inside = 1e6 * (squared + 2 * 500**2 / 3) + k * w**2 * (moved + w**2 / 6)
        assert row.optimised == pytest.approx(inside / (1e6 + k * w**2))
        assert row.optimised > row.own > 1.3 * row.square
        assert 0.01 < row.worse < 0.35


def test_cobyla_finds_the_root_and_the_error_grows_with_the_region() -> None:
    """w as worked out in tests/privacy/plane/test_square_law.py; the last region is the whole map."""
    assert location.width_by_cobyla(5) == pytest.approx(601.5733, rel=1e-5)
    errors = location.errors_by_region_side(5)
    assert errors == sorted(errors)
    assert errors[-1] == pytest.approx(165985.1, rel=1e-6)
    assert errors[0] == pytest.approx(by_hand(5, 601.5733, (Rectangle.around(0, 0, 300.78665, 300.78665),)))
