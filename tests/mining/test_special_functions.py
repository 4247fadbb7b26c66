"""Normal probabilities and quantiles: each bit is scipy's. Tails of other distributions are near them."""

import numpy as np
import pytest
from scipy import special

from mining import special_functions

ENDS = [0.0, -0.0, 1.0, -1.0, np.sqrt(2), 8.0, 8 * np.sqrt(2), 40.0, -40.0, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("name", ["erfc", "ndtr"])
def test_probabilities_are_those_of_scipy_to_the_last_bit(name: str) -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate([ENDS, rng.normal(size=9_000), 12 * rng.normal(size=9_000)])
    found = getattr(special_functions, name)(x.reshape(2, -1))
    np.testing.assert_array_equal(found, getattr(special, name)(x.reshape(2, -1)))


def test_quantiles_are_those_of_scipy_to_the_last_bit() -> None:
    rng = np.random.default_rng(1)
    tail = 10 ** (-300 * rng.random(6_000))
    p = np.concatenate([ENDS, [0.025, 0.5, 0.975, np.exp(-2), 1 - np.exp(-2)], rng.random(6_000), tail])
    np.testing.assert_array_equal(special_functions.ndtri(p), special.ndtri(p))
    assert float(special_functions.ndtri(0.5)) == 0.0


def test_tails_of_binomial_distributions_are_those_of_scipy(subtests: pytest.Subtests) -> None:
    for chance in [1e-9, 0.03, 0.5, 0.97]:
        for n in [1, 2, 30, 5_000, 2_000_000]:
            with subtests.test(f"{chance} {n}"):
                mean, deviation = n * chance, np.sqrt(n * chance * (1 - chance))
                around = {int(mean + step * deviation) for step in (-40, -6, -1, 0, 1, 6, 20)}
                for least in sorted({least for least in around | {1, n} if 1 <= least <= n}):
                    expected = special.betainc(least, n - least + 1, chance)
                    assert special_functions.binomial_tail(least, n, chance) == pytest.approx(
                        expected, rel=1e-7, abs=1e-300
                    )


def test_ends_of_a_binomial_distribution_are_exact() -> None:
    tail = special_functions.binomial_tail
    assert [tail(0, 3, 0.2), tail(4, 3, 0.2), tail(1, 3, 0.0), tail(3, 3, 1.0), tail(4, 3, 1.0)] == [
        1,
        0,
        0,
        1,
        0,
    ]
    assert tail(2, 2, 0.5) == pytest.approx(0.25, rel=1e-15)


def test_tails_of_chi_square_distributions_are_those_of_scipy(subtests: pytest.Subtests) -> None:
    for df in [1, 2, 3, 10, 31]:
        with subtests.test(f"{df}"):
            for x in (1e-9, 0.1, 1.0, 3.84, df - 0.5, 50.0, 700.0):
                assert special_functions.chi_square_tail(df, x) == pytest.approx(
                    special.chdtrc(df, x), rel=1e-12
                )


def test_ends_of_a_chi_square_distribution_are_exact() -> None:
    assert [special_functions.chi_square_tail(3, x) for x in (0.0, np.inf)] == [1.0, 0.0]
    assert np.isnan(special_functions.chi_square_tail(3, np.nan))
