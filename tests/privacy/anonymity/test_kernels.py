"""Random numbers inside kernels."""

from typing import Any

import numba
import pytest

from privacy.anonymity.kernels.numba_decorators import random_fraction, seed_random_state

pytestmark = pytest.mark.proof


def test_chance_is_even_and_repeats_for_one_seed() -> None:
    kernel: Any = random_fraction
    draw = numba.njit(kernel.py_func)
    one, other = seed_random_state(1), seed_random_state(1)
    drawn = [draw(one) for _draw in range(20_000)]
    assert drawn[:100] == [draw(other) for _draw in range(100)]
    assert min(drawn) >= 0
    assert max(drawn) < 1
    for begin in range(10):
        share = sum(begin <= 10 * number < begin + 1 for number in drawn) / len(drawn)
        assert abs(share - 0.1) < 0.01
    assert drawn[:5] != [draw(seed_random_state(2)) for _draw in range(5)]
