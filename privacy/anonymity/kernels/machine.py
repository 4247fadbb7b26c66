"""Compiles functions with numba: without the GIL, division as in numpy."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])
WITHIN: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
"""For calls from machine code alone: wrappers that take arrays from Python are a quarter of the time to compile."""


def machine(function: Function) -> Function:
    """The function, in machine code from its first call on. What calls it from machine code contains it."""
    compiled: Any = numba.njit(**WITHIN)(function)
    return compiled  # type: ignore[no-any-return]


def inlined(function: Function) -> Function:
    """The same for a small function of an inner loop: a call would count the references to all arrays that it gets."""
    compiled: Any = numba.njit(inline="always", **WITHIN)(function)
    return compiled  # type: ignore[no-any-return]
