"""A random generator for compiled code."""

import numpy as np
from numpy.typing import NDArray

from privacy.numba_compilation import compile_kernel_helper

Chance = NDArray[np.uint64]


def seed_random_state(seed: int) -> Chance:
    """Returns the state of the generator xorshift64* for a seed: reproducible, for searches and not for secrets."""
    return np.array([(seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) % 2**64 or 1], np.uint64)


@compile_kernel_helper
def random_fraction(state: Chance) -> float:
    """Returns a random number, 0 <= x < 1, and advances `state` in place."""
    bits = state[0]
    bits ^= bits >> np.uint64(12)
    bits ^= bits << np.uint64(25)
    bits ^= bits >> np.uint64(27)
    state[0] = bits
    return float((bits * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)) / 9007199254740992.0


@compile_kernel_helper
def random_integer(state: Chance, end: int) -> int:
    """Returns a random integer from 0 to `end` - 1, and advances `state` in place."""
    return int(random_fraction(state) * end)
