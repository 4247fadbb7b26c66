"""What the law that is not proposed would give, against its exact inverse."""

from fractions import Fraction
from math import gcd, sqrt

import numpy as np
import pytest

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_comparison import (
    SOME_TRIED,
    mean_by_window,
    shape_by_thresholds,
    share_by_window,
)
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.threshold_error import Thresholds
from privacy.guarantee.threshold_search import thresholds_for_mean
from privacy.guarantee.window_search import admissible_windows, window_for_shape
from privacy.kinds.number.window import WindowLaw

pytestmark = pytest.mark.proof
SIX = GammaLimit(Fraction(6), strict=False)


def by_matrix(law: WindowLaw, statistic: np.ndarray) -> float:
    """The standard error of one record's unbiased score, from the inverse of the law's matrix."""
    weights = np.array([float(weight) for weight in law.law.weights])
    matrix = np.stack([np.roll(weights, x) for x in range(law.values)])
    scores = np.linalg.solve(matrix, statistic)
    return float(scores.std())


@pytest.mark.parametrize("values", [10, 15, 31])
def test_a_windows_best_unblurred_error_is_that_of_its_exact_inverse(values: int) -> None:
    numbers = NumberRange(-5, -5 + 2 * (values - 1), 2)
    laws = list(admissible_windows(values, SIX))
    assert all(gcd(2 * law.half + 1, values) == 1 for law in laws)
    mean, share = mean_by_window(numbers, SIX, 100), share_by_window(numbers, SIX, 100, 3)
    assert mean
    assert share
    x = np.arange(values)
    assert mean.se == pytest.approx(min(by_matrix(law, 2.0 * x) for law in laws) / 10)
    assert share.half_width == pytest.approx(1.96 * min(by_matrix(law, 1.0 * (x >= 4)) for law in laws) / 10)


def test_no_window_tells_a_mean_of_a_thousand_numbers() -> None:
    """The figures of the design: 1.4, .6 and .16 of the range at gamma 3, 6 and 19."""
    numbers = NumberRange(0, 1000)
    found = [
        mean_by_window(numbers, GammaLimit(Fraction(gamma), strict=False), 10_000) for gamma in (3, 6, 19)
    ]
    assert [each and each.se / 1000 for each in found] == pytest.approx([1.47, 0.59, 0.16], abs=0.01)
    thresholds = thresholds_for_mean(ExpectedNumbers.even(numbers), SIX, 10_000).best.mean
    assert found[1]
    assert thresholds.se * 80 < found[1].se


def test_where_no_window_is_possible_there_is_nothing_to_compare() -> None:
    assert mean_by_window(NumberRange(0, 65_000), SIX, 100) is None


def test_of_a_long_range_some_windows_are_tried() -> None:
    numbers = NumberRange(0, 5000)
    assert len(list(admissible_windows(5001, SIX))) > SOME_TRIED
    found = mean_by_window(numbers, SIX, 10_000)
    assert found
    # It grows with the number of values: .59 of the range at 1,001.
    assert found.se / 5000 == pytest.approx(0.59 * 5, rel=0.02)


def test_a_shape_by_thresholds_is_that_of_the_least_certain_class() -> None:
    expected = ExpectedNumbers.even(NumberRange(0, 99))
    found = shape_by_thresholds(expected, SIX, 1000, 2)
    assert found.thresholds == Thresholds(Fraction(7142, 10_000), (0, 24, 49, 74, 99), mean=False)
    # 250 people are asked each: of the shares .51 and .26.
    w = (1 - 0.7142**2) / (4 * 0.7142**2)
    variance = 0.51 * 0.49 + 0.26 * 0.74 + 2 * w
    assert found.half_width == pytest.approx(1.96 * sqrt(variance / 250))
    assert found.relative == pytest.approx(4 * found.half_width)


def test_a_window_shows_a_fine_shape_better_than_thresholds_do() -> None:
    numbers = NumberRange(0, 1000)
    window = window_for_shape(numbers, SIX, 10_000)
    other = shape_by_thresholds(ExpectedNumbers.even(numbers), SIX, 10_000, window.modes)
    assert other.relative > 4 * window.relative_half_width(10_000)
