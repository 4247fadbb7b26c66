"""The window that a guarantee allows, against every window that there is."""

from fractions import Fraction
from math import gcd

import numpy as np
import pytest

from privacy.grammar.number_range import NumberRange
from privacy.guarantee import best_number_window
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.window.law import WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import (
    count_shown_modes,
    difference_scores,
    estimate_distribution,
)
from tests.privacy.questionnaires import design, refused_otherwise, window
from tests.privacy.strategies import amplification, exact_law, present

pytestmark = pytest.mark.proof
LIMITS = [
    GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2)),
    GammaLimit.never_reaches(Fraction(1, 7), Fraction(1, 2)),
    GammaLimit.never_exceeds(Fraction(1, 4), Fraction(1, 2)),
]

NARROW = GammaLimit.never_reaches(Fraction(1, 2), Fraction(51, 100))


def true_gamma(law: WindowLaw) -> Fraction:
    circle = law.law
    places = range(law.values)
    return present(amplification(exact_law([[circle.probability(x, y) for y in places] for x in places])))


def test_window_has_the_largest_admissible_u() -> None:
    for limit in LIMITS:
        laws = list(best_number_window.best_laws_by_window_width(15, limit))
        assert [law.half for law in laws] == [half for half in range(7) if gcd(2 * half + 1, 15) == 1]
        for law in laws:
            assert limit.admits(true_gamma(law)), law
            assert not limit.admits(true_gamma(WindowLaw(15, law.half, law.uniform_parts - 1))), law


def shown_error(law: WindowLaw) -> float:
    """The standard error, times the root of n, of the shares that a report shows."""
    z = difference_scores(law, count_shown_modes(law))
    return float(np.sqrt((z**2).mean() - z.mean() ** 2))


@pytest.mark.at_push(3)
@pytest.mark.parametrize("values", [30, 31])
@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{float(limit.gamma):.2f}")
def test_window_search_finds_the_least_error(limit: GammaLimit, values: int) -> None:
    """Every window, and every u in steps of a hundredth, for every number of modes."""
    halves = [half for half in range((values - 1) // 2) if gcd(2 * half + 1, values) == 1]
    others = [WindowLaw(values, half, parts) for half in halves for parts in range(100, 10_000, 100)]
    shown = [law for law in others if limit.admits(law.gamma) and count_shown_modes(law)]
    admitted = [(count_shown_modes(law), shown_error(law)) for law in shown]
    assert admitted
    for kept in range(1, max(shown for shown, _error in admitted) + 1):
        best = present(best_number_window.best_window(values, limit, kept))
        assert limit.admits(best.law.gamma)
        assert best.modes == count_shown_modes(best.law) >= kept
        assert best.error == pytest.approx(shown_error(best.law))
        assert best.error <= min(error for shown, error in admitted if shown >= kept)


def test_window_error_is_exact_for_uniform_records_and_a_bound_otherwise() -> None:
    best = present(best_number_window.best_window(101, LIMITS[1], 5))
    from_uniform = np.random.default_rng(1).multinomial(1_000, np.full(101, 1 / 101), 4_000)
    shares = estimate_distribution(best.law, from_uniform.astype(float), np.zeros((4_000, 101))).share
    assert best.half_width(1_000) == pytest.approx(1.96 * shares.std(axis=0).mean(), rel=0.01)
    z = difference_scores(best.law, best.modes)
    weights = np.array([float(weight) for weight in best.law.law.weights])
    places = np.arange(101)
    sent, seen = (each[(places[None, :] - places[:, None]) % 101] for each in (weights, z))
    for true in (np.eye(101)[7], np.repeat([1 / 20, 0.0], [20, 81])):
        received = true @ sent
        variance = seen.T**2 @ received - (seen.T @ received) ** 2
        assert np.sqrt(variance).mean() < best.error


def test_window_shows_all_readable_modes_and_at_least_one() -> None:
    numbers, limit = NumberRange(0, 1000), LIMITS[1]
    few, many = (best_number_window.window_for_shape(numbers, limit, n) for n in (1_000, 10_000))
    assert few.modes < many.modes
    for found, respondents in ((few, 1_000), (many, 10_000)):
        assert found.relative_half_width(respondents) <= best_number_window.READABLE
        finer = best_number_window.window_for_shape(numbers, limit, respondents, found.modes + 1)
        assert finer.relative_half_width(respondents) > best_number_window.READABLE
    assert best_number_window.window_for_shape(NumberRange(0, 100), limit, 10).modes == 1


def test_impossible_window_is_refused_and_a_useless_one_not_proposed() -> None:
    thousand, hides = NumberRange(0, 1000), "limit: no window within this limit shows anything of the shape"
    cases = [
        ((NumberRange(0, 65_000), LIMITS[0], 1_000), "values: 65001 numbers; a window has at most 65000"),
        ((thousand, NARROW, 1_000), hides),
        ((thousand, LIMITS[2], 1_000, 40), "modes: no window within this limit shows 40 modes; at most 5"),
    ]
    assert refused_otherwise(lambda given: best_number_window.window_for_shape(*given), cases) == []
    assert best_number_window.best_window(101, NARROW, 1) is None


def test_window_search_handles_the_largest_range() -> None:
    few, most = (present(best_number_window.best_window(n, LIMITS[0], 5)) for n in (1001, 65_000))
    # Errors depend on the width of the window as a part of the range, of which there are more here.
    assert most.error * 65_000 == pytest.approx(few.error * 1001, rel=0.02)
    assert most.law.half / 65_000 == pytest.approx(few.law.half / 1001, rel=0.05)


def test_what_is_proposed_is_a_design() -> None:
    for values in (2, 3, 30, 1001):
        for limit in LIMITS:
            for found in best_number_window.best_windows_by_modes(values, limit):
                law = found.law
                section = window("n", values, law.half, uniform=f"0.{law.uniform_parts:04d}")
                (read,) = design(section).sections
                assert read.law == law
