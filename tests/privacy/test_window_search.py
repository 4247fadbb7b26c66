"""The window that a guarantee allows, against every window that there is."""

from fractions import Fraction
from math import gcd

import numpy as np
import pytest

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.transition import amplification, exact_law
from privacy.guarantee.window_search import admissible_windows, best_window, blurred_error
from privacy.kinds.number.inverse import blurred, modes
from privacy.kinds.number.window import WindowLaw

LIMITS = [
    GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2)),
    GammaLimit.never_reaches(Fraction(1, 7), Fraction(1, 2)),
    GammaLimit.never_exceeds(Fraction(1, 4), Fraction(1, 2)),
]


def true_gamma(law: WindowLaw) -> Fraction:
    circle = law.law
    places = range(law.values)
    found = amplification(exact_law([[circle.probability(x, y) for y in places] for x in places]))
    assert found is not None
    return found


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{float(limit.gamma):.2f}")
def test_each_window_has_the_largest_u_of_four_places(limit: GammaLimit) -> None:
    laws = list(admissible_windows(15, limit))
    assert [law.half for law in laws] == [half for half in range(7) if gcd(2 * half + 1, 15) == 1]
    for law in laws:
        assert limit.admits(true_gamma(law))
        assert not limit.admits(true_gamma(WindowLaw(15, law.half, law.uniform_parts - 1)))


@pytest.mark.parametrize("kept", [2, 3])
@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{float(limit.gamma):.2f}")
def test_no_other_admissible_law_errs_less(limit: GammaLimit, kept: int) -> None:
    """Every window, and every u in steps of a hundredth."""
    best = best_window(31, limit, kept)
    assert best is not None
    assert limit.admits(best.gamma)
    others = [WindowLaw(31, half, parts) for half in range(15) for parts in range(100, 10_000, 100)]
    errors = [blurred_error(law, kept, 1) for law in others if limit.admits(law.gamma) and modes(law) >= kept]
    assert errors
    assert blurred_error(best, kept, 1) <= min(errors)


def test_the_stated_error_is_that_of_uniform_records() -> None:
    law = WindowLaw(101, 7, 4000)
    rng = np.random.default_rng(1)
    from_uniform = rng.multinomial(1_000, np.full(101, 1 / 101), 4_000)
    shares = np.array([blurred(law, records.astype(float), np.zeros(101)).share for records in from_uniform])
    assert blurred_error(law, modes(law), 1_000) == pytest.approx(shares.std(axis=0).mean(), rel=0.01)


def test_where_hardly_anything_may_be_told_nothing_is_proposed() -> None:
    assert best_window(1001, GammaLimit.never_reaches(Fraction(1, 2), Fraction(51, 100)), 1) is None
