"""Compiles functions with numba, without the GIL and with numpy's division; random numbers in compiled code."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
WITHIN: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
"""Options for calls from machine code alone: wrappers for calls from Python are a quarter of the time to compile."""


def machine(function: Function) -> Function:
    """Compiles the function at its first call. Compiled callers contain its machine code."""
    compiled: Any = numba.njit(**WITHIN)(function)
    return compiled  # type: ignore[no-any-return]


def inlined(function: Function) -> Function:
    """Inlines a small function of an inner loop, since a call would count references to all its arrays."""
    compiled: Any = numba.njit(inline="always", **WITHIN)(function)
    return compiled  # type: ignore[no-any-return]


Chance = NDArray[np.uint64]


def seeded(seed: int) -> Chance:
    """The state of xorshift64*: reproducible random numbers for searches, not for secrets."""
    return np.array([(seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) % 2**64 or 1], np.uint64)


@machine
def chance(state: Chance) -> float:
    """A random number, 0 <= x < 1."""
    bits = state[0]
    bits ^= bits >> np.uint64(12)
    bits ^= bits << np.uint64(25)
    bits ^= bits >> np.uint64(27)
    state[0] = bits
    return float((bits * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)) / 9007199254740992.0


@machine
def below(state: Chance, end: int) -> int:
    return int(chance(state) * end)
