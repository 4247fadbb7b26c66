"""Normal probabilities and quantiles: each bit is scipy's."""

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


def test_many_are_computed_by_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(special_functions, "MANY", 2)
    monkeypatch.setattr(special, "ndtr", lambda x: x + 7)
    assert special_functions.ndtr([0.0, 0.0, 0.0]).tolist() == [7.0, 7.0, 7.0]
    assert special_functions.ndtr([0.0, 0.0]).tolist() == [0.5, 0.5]
