"""The law and the error of square mechanisms against integrals, simulation and the formulas written out."""

from collections.abc import Iterator
from math import exp, expm1

import numpy as np
import pytest

from privacy.plane.regions import EmpiricalPrior, EvenPrior, Floats, Points, Rectangle, region_indexes
from privacy.plane.square_mechanism import SquareLaw, best_width, largest_width

pytestmark = pytest.mark.proof
MAP = Rectangle.around(0, 0, 1000, 1000)
CENTRE = Rectangle.around(0, 0, 500, 500)
TWO = (Rectangle(-1000, -1000, -400, 0), Rectangle(-400, -700, 200, 100))
"""They touch along an edge."""
LINES = 400


def midpoints(of: Rectangle, lines: int = LINES) -> Points:
    """The midpoints of lines x lines cells of the same size."""
    x, y = ((np.arange(lines) + 0.5) * side / lines for side in of.sides)
    return np.asarray(of.low + np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))


def repeat_point(point: tuple[float, float], times: int) -> Points:
    return np.tile(np.array(point, dtype=np.float64), (times, 1))


def square_density(law: SquareLaw, points: Points, received: Points) -> Floats:
    """The density of each received point given its true point; places that are sent unchanged have none."""
    home = region_indexes(law.regions, points)
    centres = points.astype(np.float64)
    for index, region in enumerate(law.regions):
        centres[home == index] = region.nearest_square_centres(points[home == index], law.width)
    near = (home >= 0) & (np.abs(received - centres).max(axis=-1) <= law.width / 2)
    anywhere = region_indexes(law.regions, received) >= 0
    return np.asarray(law.base_density * anywhere * np.where(near, exp(law.epsilon), 1.0))


def test_the_square_mechanism_has_the_worked_width_and_error() -> None:
    for epsilon, width, error in ((1, 1271.685, 967508.3), (5, 601.5733, 165985.1), (10, 188.4180, 13227.35)):
        found = best_width(MAP, [MAP], epsilon)
        assert f"{found:.7g}" == f"{width:.7g}"
        assert f"{SquareLaw.over_whole_domain(MAP, epsilon, found).error():.7g}" == f"{error:.7g}"
    # One region in the middle.
    width = best_width(MAP, [CENTRE], 5)
    law = SquareLaw(MAP, (CENTRE,), 5, width)
    assert f"{width:.4f} {law.error():.2f} {law.near_probability:.8f}" == "519.5366 37100.73 0.97548389"


POINTS = [(0.0, 0.0), (-999.0, 900.0), (-1000.0, -1000.0), (-450.0, -20.0), (700.0, 700.0), (200.0, 100.0)]


@pytest.mark.at_push(3)
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("regions", [(MAP,), (CENTRE,), TWO])
def test_density_integrates_to_one_and_error_is_the_mean_squared_distance(
    point: tuple[float, float], regions: tuple[Rectangle, ...]
) -> None:
    """With what is sent as it is, by somebody outside, which has no distance."""
    law, everywhere = SquareLaw(MAP, regions, 3, 300), midpoints(MAP)
    cell, at = MAP.area / len(everywhere), repeat_point(point, len(everywhere))
    density = square_density(law, at, everywhere)
    stays = 0.0 if region_indexes(regions, at[:1])[0] >= 0 else law.near_probability
    assert density.sum() * cell + stays == pytest.approx(1, abs=1e-3)
    integral = (density * ((everywhere - at) ** 2).sum(axis=1)).sum() * cell
    assert law.error_at(at[:1])[0] == pytest.approx(integral, rel=2e-3)


def test_the_error_for_even_points_is_the_mean_of_the_errors_at_points() -> None:
    # On cells of 5 x 5 no edge of a region cuts a cell.
    points = midpoints(MAP)
    for regions in ((MAP,), (CENTRE,), TWO):
        law = SquareLaw(MAP, regions, 4, 500)
        mean = law.error_at(points).mean()
        assert law.error() == pytest.approx(mean, rel=2e-5), regions
        assert law.error() == law.error(EvenPrior()), regions
        assert law.error(EmpiricalPrior(points)) == pytest.approx(mean, rel=1e-12), regions


def test_formulas_hold_for_maps_and_regions_that_are_not_square() -> None:
    """E_USM of the design with m_l, a_l1, a_l2 in numbers: regions 600 x 1000 and 600 x 800 on a map 3000 x 2000."""
    domain = Rectangle.around(0, 0, 1500, 1000)
    k, w, s1, s2, d = expm1(4), 450.0, 600e3, 480e3, 6e6
    s = s1 + s2
    law = SquareLaw(domain, TWO, 4, w)
    g = (s1 / d * (1 / 300 + 1 / 500) + s2 / d * (1 / 300 + 1 / 400)) / 24
    spread = (1500**2 + 1000**2) / 3
    k0 = s1 * (700**2 + 500**2 + (300**2 + 500**2) / 3 + spread)
    k0 += s2 * (100**2 + 300**2 + (300**2 + 400**2) / 3 + spread)
    assert law.near_probability == pytest.approx(k * w**2 / (s + k * w**2))
    assert law.error() == pytest.approx((k0 + k * (s / d * w**4 / 6 + g * w**5)) / (s + k * w**2))


def settings() -> Iterator[tuple[int, SquareLaw]]:
    for seed in range(30):
        rng = np.random.default_rng([2, seed])
        domain = Rectangle.around(*rng.uniform(-50, 50, 2), *rng.uniform(20, 100, 2))
        column = domain.left + rng.uniform(0.3, 0.7) * domain.sides[0]
        row = domain.bottom + rng.uniform(0.3, 0.7) * domain.sides[1]
        regions: tuple[Rectangle, ...] = (
            Rectangle(domain.left, domain.bottom, column, row),
            Rectangle(column, domain.bottom, domain.right, row),
            Rectangle(column, row, domain.right, domain.top),
        )[: seed % 4] or (domain,)
        epsilon = float(rng.uniform(0.1, 6))
        yield seed, SquareLaw(domain, regions, epsilon, float(rng.uniform(0.1, 1)) * largest_width(regions))


@pytest.mark.night
@pytest.mark.parametrize(("seed", "law"), list(settings()))
def test_a_million_draws_have_the_expected_error(seed: int, law: SquareLaw) -> None:
    """In 30 random settings, each within 3 standard errors; one of twelve seeds has one outside by chance."""
    rng = np.random.default_rng([4, seed])
    points = law.domain.draw(1_000_000, rng)
    squared = ((law.draw(points, rng) - points) ** 2).sum(axis=1)
    assert abs(squared.mean() - law.error()) < 3 * squared.std() / 1000


def sums_by_cells(points: Points, weights: Floats) -> Floats:
    column, row = ((points + 1000) // 100).astype(int).T
    return np.bincount(20 * row + column, weights, minlength=400).astype(np.float64)


@pytest.mark.parametrize("point", [(-450.0, -20.0), (-900.0, -990.0), (700.0, 700.0)])
def test_draws_from_a_point_follow_the_density(point: tuple[float, float]) -> None:
    """By cells of 100 x 100, each within 5 standard errors; outside the place itself is sent with probability b."""
    law, n = SquareLaw(MAP, TWO, 2, 300), 400_000
    sent = law.draw(repeat_point(point, n), np.random.default_rng(5))
    itself = (sent == np.array(point)).all(axis=1)
    stays = law.near_probability if point == (700.0, 700.0) else 0.0
    assert itself.mean() == pytest.approx(stays, abs=0.005)
    fine = midpoints(MAP)
    masses = square_density(law, repeat_point(point, len(fine)), fine) * MAP.area / len(fine)
    expected = n * sums_by_cells(fine, masses)
    found = sums_by_cells(sent[~itself], np.ones((~itself).sum()))
    assert (np.abs(found - expected) <= 5 * np.sqrt(expected + 1)).all()


def estimate_shares(law: SquareLaw, received: Points) -> tuple[Floats, Floats]:
    """The share of people in each region, and last outside all, with standard errors, by the law of an unrelated
    question: P(y in A_j | x) = b 1[x in A_j] + (1-b) S_j/S."""
    near = law.near_probability
    chance = (1 - near) * np.array([*(region.area / law.area for region in law.regions), 0.0])
    # The number -1, of what is outside, counts in the last place.
    numbers = region_indexes(law.regions, received) % len(chance)
    observed = np.bincount(numbers, minlength=len(chance)) / len(received)
    return (observed - chance) / near, np.sqrt(observed * (1 - observed) / len(received)) / near


def test_shares_of_regions_are_unbiased_where_regions_touch() -> None:
    """Everybody stands at the edge that two regions share, or outside."""
    law = SquareLaw(MAP, TWO, 1, 600)
    rng = np.random.default_rng(7)
    stand = {(-401, -300): 2000, (-399, -300): 5000, (900, 900): 3000}
    people = np.concatenate([repeat_point(point, count) for point, count in stand.items()])
    found = np.array([estimate_shares(law, law.draw(people, rng)) for _ in range(100)])
    shares, errors = found[:, 0], found[:, 1]
    assert np.abs(shares.mean(axis=0) - [0.2, 0.5, 0.3]).max() < 4 * errors.mean() / np.sqrt(100)
    # Who is where is fixed, so the error, that of a drawn sample, is a little too large.
    assert (shares.std(axis=0) < 1.2 * errors.mean(axis=0)).all()
    assert (shares.std(axis=0) > 0.7 * errors.mean(axis=0)).all()


def test_small_epsilon_equalises_places_and_large_sends_the_place() -> None:
    points = np.array([[0.0, 0.0], [400.0, 400.0], [900.0, 900.0]])
    flat = SquareLaw(MAP, (CENTRE,), 1e-9, 600)
    assert flat.near_probability == pytest.approx(0, abs=1e-8)
    squared = (points**2).sum(axis=1) + 2 * 500**2 / 3
    assert flat.error_at(points) == pytest.approx(squared, rel=1e-6)
    sharp = SquareLaw(MAP, (CENTRE,), 60, best_width(MAP, [CENTRE], 60))
    assert sharp.near_probability == pytest.approx(1)
    assert sharp.error_at(points) == pytest.approx([0, 0, 0], abs=1e-3)


def test_square_as_wide_as_its_region_equals_the_region() -> None:
    law = SquareLaw(MAP, (CENTRE,), 5, 1000)
    corner = repeat_point((-500, 500), 1)
    rest = (1 - law.near_probability) * 500**2 * 2 / 3 + law.near_probability * 1000**2 / 6
    assert law.error_at(corner)[0] == pytest.approx(500**2 * 2 + rest)


def test_a_point_on_an_edge_that_two_regions_share_is_in_the_first() -> None:
    shared = repeat_point((-400, -300), 1)
    assert region_indexes(TWO, shared).tolist() == [0]
    assert region_indexes(TWO[::-1], shared).tolist() == [0]
    assert region_indexes(TWO, repeat_point((900, 900), 1)).tolist() == [-1]
