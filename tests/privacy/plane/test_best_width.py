"""The best width against roots of the polynomials, a bounded minimiser and a fine search."""

from math import expm1

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize_scalar

from privacy.plane.regions import EmpiricalPrior, PointPrior, Rectangle
from privacy.plane.square_mechanism import SquareLaw, best_width, largest_width

pytestmark = pytest.mark.proof
MAP = Rectangle.around(0, 0, 1000, 700)
REGIONS = (Rectangle(-1000, -700, -400, 0), Rectangle(-400, -600, 200, 100))


def minimise_by_scipy(regions: tuple[Rectangle, ...], epsilon: float, prior: PointPrior | None) -> float:
    found = minimize_scalar(
        lambda w: SquareLaw(MAP, regions, epsilon, w).error(prior),
        bounds=(1e-6, largest_width(regions)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(found.x)


@pytest.mark.parametrize("epsilon", [0.5, 1, 3, 5, 8, 12, 20])
@pytest.mark.parametrize("regions", [(MAP,), REGIONS])
def test_best_width_is_not_beaten_by_a_numeric_minimiser(
    regions: tuple[Rectangle, ...], epsilon: float
) -> None:
    width, other = best_width(MAP, regions, epsilon), minimise_by_scipy(regions, epsilon, None)
    assert width == pytest.approx(other, rel=1e-6)
    error = SquareLaw(MAP, regions, epsilon, width).error()
    assert error <= SquareLaw(MAP, regions, epsilon, other).error() * (1 + 1e-15)


def positive_root(coefficients: list[float]) -> float:
    """The one there is."""
    roots = np.roots(coefficients)
    (positive,) = [root.real for root in roots if abs(root.imag) < 1e-9 and root.real > 0]
    return float(positive)


def test_best_width_is_the_positive_root_of_the_quintic() -> None:
    """3Kg w^5 + (K/3) w^4 + 5g|D| w^3 + (2/3)|D| w^2 - 2 M0, d1 = 1000, d2 = 700; and that of two regions of 600 x 700:
    3KG w^5 + (K/3)Pi w^4 + 5 G S w^3 + (2/3) Pi S w^2 - 2 K0."""
    area, g = 2.8e6, (1 / 1000 + 1 / 700) / 24
    m0 = area * 2 / 3 * (1000**2 + 700**2)
    for epsilon in (1, 4, 10, 20):
        k = expm1(epsilon)
        root = positive_root([3 * k * g, k / 3, 5 * g * area, 2 / 3 * area, 0, -2 * m0])
        assert best_width(MAP, [MAP], epsilon) == pytest.approx(min(root, 1400), rel=1e-9)
    area, share = 840e3, 0.3
    g, spread = share * (1 / 300 + 1 / 350) / 24, (300**2 + 350**2 + 1000**2 + 700**2) / 3
    k0 = 420e3 * (700**2 + 350**2 + spread) + 420e3 * (100**2 + 250**2 + spread)
    for epsilon in (4, 10, 20):
        k = expm1(epsilon)
        root = positive_root([3 * k * g, k / 3 * share, 5 * g * area, 2 / 3 * share * area, 0, -2 * k0])
        assert best_width(MAP, REGIONS, epsilon) == pytest.approx(min(root, 600), rel=1e-9)


def test_best_width_is_widest_for_small_epsilon_and_narrowest_for_large() -> None:
    assert best_width(MAP, REGIONS, 1e-9) == 600
    widths = [best_width(MAP, REGIONS, epsilon) for epsilon in range(4, 100, 4)]
    assert widths == sorted(widths, reverse=True)
    # K P w^4 / 3 = 2 M where all else is nothing.
    law = SquareLaw(MAP, REGIONS, 96, widths[-2])
    assert law.error() == pytest.approx(2 * 0.3 * law.width**2 / 6, rel=1e-6)


def clustered_prior(seed: int, count: int) -> EmpiricalPrior:
    rng = np.random.default_rng(seed)
    centres = rng.uniform(MAP.low, MAP.high, (3, 2))
    points = centres[rng.integers(0, 3, count)] + rng.normal(0, 80, (count, 2))
    return EmpiricalPrior(np.clip(points, MAP.low, MAP.high))


@given(st.integers(0, 1000), st.integers(1, 200), st.floats(0.1, 20))
def test_best_width_for_points_is_not_beaten_by_a_grid_search(seed: int, count: int, epsilon: float) -> None:
    for regions in ((MAP,), REGIONS):
        prior = clustered_prior(seed, count)
        best = SquareLaw(MAP, regions, epsilon, best_width(MAP, regions, epsilon, prior)).error(prior)
        for width in np.linspace(1, largest_width(regions), 60):
            assert best <= SquareLaw(MAP, regions, epsilon, float(width)).error(prior) * (1 + 1e-12)


def test_best_width_grows_for_people_far_from_the_centre() -> None:
    """Far off any other place costs more; at an edge the square is pushed aside, and at a corner both cancel."""
    places = (0.0, 0.0), (750.0, 450.0), (0.0, 700.0), (1000.0, 700.0)
    priors = [EmpiricalPrior(np.array([point])) for point in places]
    widths = [best_width(MAP, [MAP], 6, prior) for prior in priors]
    assert widths == pytest.approx([minimise_by_scipy((MAP,), 6, prior) for prior in priors], rel=1e-6)
    middle, far, edge, corner = widths
    assert far > 1.02 * middle > 1.02 * edge
    assert corner == pytest.approx(middle)
    # Where nobody is expected inside, the widest square is best; many even points have the width of the domain.
    assert best_width(MAP, REGIONS, 20, EmpiricalPrior(np.array([[900.0, 600.0]]))) == 600
    even = EmpiricalPrior(MAP.draw(200_000, np.random.default_rng(1)))
    assert best_width(MAP, REGIONS, 7, even) == pytest.approx(best_width(MAP, REGIONS, 7), rel=5e-3)
