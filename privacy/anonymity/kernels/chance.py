"""Reproducible chance for searches: xorshift64*, whose state is passed in. It protects nobody."""

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.kernels.machine import machine

Chance = NDArray[np.uint64]


def seeded(seed: int) -> Chance:
    return np.array([(seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) % 2**64 or 1], np.uint64)


@machine
def chance(state: Chance) -> float:
    """A number from 0 up to 1."""
    bits = state[0]
    bits ^= bits >> np.uint64(12)
    bits ^= bits << np.uint64(25)
    bits ^= bits >> np.uint64(27)
    state[0] = bits
    return float((bits * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)) / 9007199254740992.0


@machine
def below(state: Chance, end: int) -> int:
    return int(chance(state) * end)
