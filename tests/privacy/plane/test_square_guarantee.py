"""What a square mechanism promises, by brute force over places and received points, and what is refused for it."""

from math import exp, expm1, inf, nan

import numpy as np
import pytest

from privacy.plane.regions import EmpiricalPrior, Floats, Points, Rectangle, region_indexes
from privacy.plane.square_mechanism import SquareLaw, best_width
from tests.privacy.plane.test_square_law import square_density

pytestmark = pytest.mark.proof
MAP = Rectangle.around(0, 0, 6, 6)
REGIONS = (Rectangle(-6, -6, -1, 0), Rectangle(-1, -4, 3, 2), Rectangle(0, 3, 6, 6))
CELLS = np.stack(np.meshgrid(np.arange(-5.75, 6, 0.5), np.arange(-5.75, 6, 0.5)), axis=-1).reshape(-1, 2)
"""24 x 24 places, and as many received points."""


def rows(law: SquareLaw) -> Floats:
    """The density by place (row) and received point."""
    return np.array([square_density(law, np.tile(place, (len(CELLS), 1)), CELLS) for place in CELLS])


def worst_ratio(matrix: Floats) -> float:
    return float((matrix.max(axis=0) / matrix.min(axis=0)).max())


@pytest.mark.at_push(3)
@pytest.mark.parametrize("epsilon", [0.01, 1, 5])
@pytest.mark.parametrize("width", [0.6, 5, 12])
def test_under_the_square_mechanism_no_point_is_more_than_gamma_times_as_likely(
    epsilon: float, width: float
) -> None:
    law = SquareLaw.over_whole_domain(MAP, epsilon, width)
    assert worst_ratio(rows(law)) == pytest.approx(exp(epsilon) if width < 12 else 1)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("epsilon", [0.01, 1, 5])
@pytest.mark.parametrize("width", [0.6, 2, 3])
def test_both_conditions_of_utility_optimised_privacy_hold(epsilon: float, width: float) -> None:
    """A point inside is nowhere more than gamma times as likely as elsewhere; one outside comes from itself alone."""
    law = SquareLaw(MAP, REGIONS, epsilon, width)
    inside, matrix = region_indexes(REGIONS, CELLS) >= 0, rows(law)
    assert worst_ratio(matrix[:, inside]) == pytest.approx(exp(epsilon))
    assert (matrix[:, ~inside] == 0).all()
    rng = np.random.default_rng(1)
    for place in CELLS:
        sent = law.draw(np.tile(place, (50, 1)), rng)
        assert (sent[region_indexes(REGIONS, sent) < 0] == place).all()


def test_ratio_of_an_inside_and_an_outside_place_reaches_gamma() -> None:
    """Whether somebody is inside is protected only one way: what lies outside is never sent from inside."""
    inside, matrix = region_indexes(REGIONS, CELLS) >= 0, rows(SquareLaw(MAP, REGIONS, 2, 2))
    ratios = matrix[inside][:, inside].max(axis=0) / matrix[~inside][:, inside].min(axis=0)
    assert ratios.max() == pytest.approx(exp(2))


def row_with_own_width(place: Points, widths: tuple[float, ...], epsilon: float) -> Floats:
    """The density from a place inside if every region had its own w: it must make 1, so that a_j = 1/(K w_j^2 + S)."""
    mine = int(region_indexes(REGIONS, place[np.newaxis])[0])
    law = SquareLaw(MAP, REGIONS, epsilon, widths[mine])
    return square_density(law, np.tile(place, (len(CELLS), 1)), CELLS)


def test_a_width_per_region_breaks_the_guarantee() -> None:
    """Each width fits its own region; alone each would be a lawful common width."""
    epsilon, widths = 1.0, (0.6, 3.0, 3.0)
    inside = region_indexes(REGIONS, CELLS) >= 0
    matrix = np.array([row_with_own_width(place, widths, epsilon) for place in CELLS[inside]])[:, inside]
    assert matrix.sum(axis=1) * 0.25 == pytest.approx(1, abs=0.1)
    k, area = expm1(epsilon), 30 + 24 + 18
    assert worst_ratio(matrix) > 1.15 * exp(epsilon)
    assert worst_ratio(matrix) == pytest.approx(exp(epsilon) * (k * 9 + area) / (k * 0.36 + area))


def test_square_cut_at_its_region_breaks_the_guarantee() -> None:
    """A strip 3 high, w = 6: what fits has half the area, so its density must be higher than from the other region."""
    epsilon, k, area = 1.0, expm1(1.0), 30 + 24 + 18
    cut, whole = 1 / (k * 6 * 3 + area), 1 / (k * 4 * 6 + area)
    assert cut * exp(epsilon) / whole > exp(epsilon)
    reason = "does not fit: w is above 0 and at most 3, the shortest side of a region"
    with pytest.raises(ValueError, match=reason):
        SquareLaw(MAP, REGIONS, epsilon, 6)


def test_impossible_square_law_is_refused() -> None:
    for width in (0, -1, 3.001, nan, inf):
        with pytest.raises(ValueError, match="does not fit"):
            SquareLaw(MAP, REGIONS, 1, width)
    # The widest square fits although edges are rounded.
    region = Rectangle.around(1.1, 0.7, 0.15, 0.15)
    assert region.shorter_side != 0.3
    assert SquareLaw(MAP, (region,), 1, 0.3).near_probability > 0
    beyond = r"the region \[0, 7\] x \[0, 1\] reaches beyond \[-6, 6\] x \[-6, 6\]"
    refused: list[tuple[tuple[Rectangle, ...], float, str]] = [
        *((REGIONS, epsilon, "epsilon") for epsilon in (0, -1, nan, inf, 101)),
        ((), 1, "no region"),
        ((Rectangle(0, 0, 7, 1),), 1, beyond),
        ((REGIONS[0], Rectangle(-2, -1, 1, 1)), 1, "overlap"),
        ((REGIONS[0],) * 10_001, 1, "10001 regions, more than 10000"),
    ]
    for regions, epsilon, reason in refused:
        with pytest.raises(ValueError, match=reason):
            SquareLaw(MAP, regions, epsilon, 0.5)
        with pytest.raises(ValueError, match=reason):
            best_width(MAP, regions, epsilon)
    for edges in ((0, 0, 0, 1), (0, 1, 1, 1), (1, 0, 0, 1), (0, 0, nan, 1), (0, 0, 1, inf)):
        with pytest.raises(ValueError, match="has no area"):
            Rectangle(*edges)
    for left, right in ((0, 1e13), (0, 1e308), (0, 1e-13), (-1e13, 1)):
        with pytest.raises(ValueError, match="take another unit"):
            Rectangle(left, 0, right, 1)


@pytest.mark.parametrize("epsilon", [1e-300, 1, 100])
@pytest.mark.parametrize(("width", "height"), [(1e12, 1e12), (1e12, 1e-12), (1e-12, 1e-12)])
def test_longest_and_shortest_sides_have_a_finite_error(width: float, height: float, epsilon: float) -> None:
    whole = Rectangle(0, 0, width, height)
    law = SquareLaw(whole, (whole,), epsilon, best_width(whole, (whole,), epsilon))
    assert 0 < law.error() < inf
    assert 0 < law.width <= min(width, height)


def test_points_outside_the_map_and_no_points_are_refused() -> None:
    law, rng = SquareLaw(MAP, REGIONS, 1, 1), np.random.default_rng(1)
    for points in (np.array([[0.0, 6.5]]), np.empty((0, 2))):
        for ask in (
            law.error_at,
            lambda points: law.draw(points, rng),
            lambda points: best_width(MAP, REGIONS, 1, EmpiricalPrior(points)),
        ):
            with pytest.raises(ValueError, match=r"a point lies outside|no point is given"):
                ask(points)
