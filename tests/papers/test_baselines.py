"""Planar Laplace and a grid's randomised response: law, guarantee and error, by integrals, brute force, simulation.

The densities, draws and errors at a point are written here anew; the product computes only the mean error.
"""

from itertools import pairwise
from math import exp, pi

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import k1

from papers.location.rival_mechanisms import MOST_LINES, GridResponse, PlanarLaplace, clipped_second_moment
from privacy.plane.regions import Floats, Places, Points, Rectangle

pytestmark = pytest.mark.proof
MAP = Rectangle.around(100, -50, 300, 200)


def grid_of(of: Rectangle, step: float) -> Points:
    x, y = (np.arange(low + step / 2, high, step) for low, high in zip(of.low, of.high, strict=True))
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def laplace_density(law: PlanarLaplace, points: Points, received: Points) -> Floats:
    """The density of each received point given its true point, before what is outside is moved back."""
    distance = np.sqrt(((received - points) ** 2).sum(axis=-1))
    return np.asarray(law.rate**2 / (2 * pi) * np.exp(-law.rate * distance))


def laplace_error_at(law: PlanarLaplace, points: Points) -> Floats:
    """The expected squared error at each true point, after points outside are moved back."""
    edges = (points - law.domain.low, law.domain.high - points)
    left_below, right_above = (clipped_second_moment(law.rate * edge) for edge in edges)
    return np.asarray((left_below + right_above).sum(axis=-1) / law.rate**2)


def draw_laplace(law: PlanarLaplace, points: Points, rng: np.random.Generator) -> Points:
    distance, angle = rng.gamma(2, 1 / law.rate, len(points)), rng.uniform(0, 2 * pi, len(points))
    noise = distance[:, np.newaxis] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return np.asarray(np.clip(points + noise, law.domain.low, law.domain.high))


def cell_centres(law: GridResponse) -> Points:
    """The centres of the grid's cells in the order of their numbers, row by row."""
    shape = np.array([law.columns, law.rows])
    corner = np.stack([np.arange(law.cells) % law.columns, np.arange(law.cells) // law.columns], axis=-1)
    return np.asarray(law.domain.low + (corner + 0.5) * law.domain.sides / shape)


def cell_numbers(law: GridResponse, points: Points) -> Places:
    shape = np.array([law.columns, law.rows])
    scaled = (points - law.domain.low) / law.domain.sides * shape
    column, row = np.minimum(scaled.astype(np.int64), shape - 1).T
    return np.asarray(row * law.columns + column)


def grid_error_at(law: GridResponse, points: Points) -> Floats:
    """The expected squared distance of each true point to the cell centre that is sent."""
    centres = cell_centres(law)
    own = ((points - centres[cell_numbers(law, points)]) ** 2).sum(axis=-1)
    spread = ((centres - law.domain.centre) ** 2).sum(axis=-1).mean()
    anywhere = ((points - law.domain.centre) ** 2).sum(axis=-1) + spread
    return np.asarray((1 - law.keep_probability) * anywhere + law.keep_probability * own)


def draw_cell_centres(law: GridResponse, points: Points, rng: np.random.Generator) -> Points:
    anywhere = rng.integers(0, law.cells, len(points))
    kept = rng.random(len(points)) < law.keep_probability
    return cell_centres(law)[np.where(kept, cell_numbers(law, points), anywhere)]


class TestPlanarLaplace:
    def test_the_clipped_square_is_its_integral(self) -> None:
        for edge in (1e-9, 0.01, 0.5, 1, 3, 10, 40):
            expected = quad(
                lambda x, e=edge: min(x, e) ** 2 * x * k1(x) / pi, 0, 60, points=[edge], limit=500
            )[0]
            assert clipped_second_moment(np.array(edge)) == pytest.approx(expected, rel=1e-6, abs=1e-12)
        # Without moving back the variance is that of the paper.
        assert PlanarLaplace(MAP, 4).rate == pytest.approx(4 / np.hypot(600, 400))
        assert 2 * 2 * clipped_second_moment(np.array(700.0)) == pytest.approx(6)

    @pytest.mark.parametrize("epsilon", [0.5, 3, 10])
    def test_the_density_with_what_is_moved_back_keeps_the_guarantee(self, epsilon: float) -> None:
        """Far cells are added to the cell of the domain that they are moved to; before and after, by brute force."""
        law = PlanarLaplace(MAP, epsilon)
        reach = 8 / law.rate
        around = grid_of(Rectangle.around(100, -50, 300 + reach, 200 + reach), reach / 40)
        to = np.clip(around, MAP.low, MAP.high).round(6)
        _, places = np.unique(to, axis=0, return_inverse=True)
        # The ends of the diagonal are farthest apart.
        from_all = np.concatenate([grid_of(MAP, 200), [[-200, -250], [400, 150], [-200, 150], [400, -250]]])
        free = np.array([laplace_density(law, np.tile(p, (len(around), 1)), around) for p in from_all])
        moved = np.array([np.bincount(places.ravel(), row) for row in free])
        worst = (free.max(axis=0) / free.min(axis=0)).max()
        assert 0.999 * exp(epsilon) < worst <= exp(epsilon) * (1 + 1e-9)
        assert 1 < (moved.max(axis=0) / moved.min(axis=0)).max() <= exp(epsilon) * (1 + 1e-9)

    @pytest.mark.parametrize("epsilon", [0.2, 3, 15])
    def test_the_error_is_that_of_draws(self, epsilon: float) -> None:
        law, rng = PlanarLaplace(MAP, epsilon), np.random.default_rng(1)
        corner = np.tile([400.0, 150.0], (400_000, 1))
        for points, error in (
            (MAP.draw(400_000, rng), law.error()),
            (corner, laplace_error_at(law, corner[:1])[0]),
        ):
            sent = draw_laplace(law, points, rng)
            assert MAP.contains_points(sent).all()
            squared = ((sent - points) ** 2).sum(axis=1)
            assert abs(squared.mean() - error) < 3 * squared.std() / np.sqrt(400_000)

    def test_the_mean_error_is_the_mean_over_the_domain(self) -> None:
        for epsilon in (0.2, 3, 15, 60):
            law = PlanarLaplace(MAP, epsilon)
            assert law.error() == pytest.approx(laplace_error_at(law, grid_of(MAP, 4)).mean(), rel=2e-3)

    def test_much_epsilon_sends_the_place_and_little_a_corner_or_an_edge(self) -> None:
        sharp, flat, middle = PlanarLaplace(MAP, 100), PlanarLaplace(MAP, 1e-4), np.array([[100.0, -50.0]])
        assert laplace_error_at(sharp, middle) == pytest.approx(6 / sharp.rate**2, rel=1e-6)
        # From the middle, each coordinate goes to one of its ends.
        assert laplace_error_at(flat, middle) == pytest.approx(300**2 + 200**2, rel=1e-3)


class TestGridResponse:
    def test_the_law_makes_one_and_keeps_the_guarantee(self) -> None:
        for columns, rows in ((1, 1), (3, 2), (12, 12)):
            law = GridResponse(MAP, columns, rows, 2)
            matrix = law.base_probability * np.where(np.eye(law.cells), exp(law.epsilon), 1.0)
            if law.cells > 1:
                assert matrix.sum(axis=1) == pytest.approx(1)
                assert (matrix.max(axis=0) / matrix.min(axis=0)).max() == pytest.approx(exp(2))
        with pytest.raises(ValueError, match="at least one cell"):
            GridResponse(MAP, 0, 3, 1)

    @pytest.mark.parametrize(("columns", "rows"), [(1, 1), (3, 2), (10, 25)])
    def test_the_error_is_the_sum_over_the_cells(self, columns: int, rows: int) -> None:
        law = GridResponse(MAP, columns, rows, 3)
        points = MAP.draw(200, np.random.default_rng(1))
        by_hand = []
        for point, cell in zip(points, cell_numbers(law, points), strict=True):
            to = ((cell_centres(law) - point) ** 2).sum(axis=1)
            weights = np.where(np.arange(law.cells) == cell, exp(3), 1.0)
            by_hand.append((weights * to).sum() / weights.sum())
            assert to.argmin() == cell
        assert grid_error_at(law, points) == pytest.approx(np.array(by_hand))
        assert law.error() == pytest.approx(grid_error_at(law, grid_of(MAP, 1)).mean(), rel=1e-3)

    def test_the_error_is_that_of_draws(self) -> None:
        law, rng = GridResponse(MAP, 7, 5, 4), np.random.default_rng(1)
        points = MAP.draw(400_000, rng)
        squared = ((draw_cell_centres(law, points, rng) - points) ** 2).sum(axis=1)
        assert abs(squared.mean() - law.error()) < 3 * squared.std() / np.sqrt(400_000)

    @pytest.mark.parametrize("epsilon", [0.1, 3, 8])
    def test_no_grid_is_better_than_the_best(self, epsilon: float) -> None:
        best = GridResponse.with_least_error(MAP, epsilon)
        others = [GridResponse(MAP, n, m, epsilon).error() for n in range(1, 40) for m in range(1, 40)]
        assert best.error() == pytest.approx(min(others))
        assert max(best.columns, best.rows) < min(40, MOST_LINES)

    def test_cells_become_smaller_with_epsilon_and_with_little_the_best_grid_is_one_answer(self) -> None:
        counts = [GridResponse.with_least_error(MAP, epsilon).cells for epsilon in range(1, 15, 2)]
        assert all(few < more for few, more in pairwise(counts))
        best = GridResponse.with_least_error(MAP, 1e-6)
        assert best.cells == 1
        assert best.error() == pytest.approx((300**2 + 200**2) / 3)
