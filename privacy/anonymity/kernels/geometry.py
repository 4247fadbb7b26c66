"""What a class of records shows, and what it costs (NCP); points are records, or equal records together."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

# --- machine
# Compiles functions with numba: without the GIL, division as in numpy; and chance in compiled code.

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


Chance = NDArray[np.uint64]


def seeded(seed: int) -> Chance:
    """The state of xorshift64*: reproducible chance for searches. It protects nobody."""
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


# --- geometry

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
FAR = 1 << 40


class Shapes(NamedTuple):
    """All columns behind one another, each from its `offset` on: positions of numbers, nodes of hierarchies."""

    numeric: NDArray[np.bool_]
    offset: Integers
    leaves: Integers
    nodes: Integers
    cost: Floats
    """Position at which a number's code begins, 2 of what is missing; penalty of a node."""
    upper: Floats
    """Position at which a number's code ends."""
    parent: Integers
    first: Integers
    last: Integers


class Points(NamedTuple):
    """`codes` and summed `weights` by point and column; the records of point i are start[i]..start[i + 1] - 1.

    `cells`: of each record, its cell in the histogram of sensitive values, one for each view.
    """

    codes: Codes
    sizes: Integers
    weights: Floats
    start: Integers
    cells: Codes


@inlined
def penalty(shapes: Shapes, column: int, low: int, high: int) -> float:
    start = shapes.offset[column]
    if shapes.numeric[column]:
        # What is missing has a place of its own behind all others; with any of them it shows everything.
        return min(shapes.upper[start + high] - shapes.cost[start + low], 1.0)  # type: ignore[no-any-return]
    if low == high:
        return 0.0
    node = shapes.parent[start + low]
    while shapes.last[start + node] < high:
        node = shapes.parent[start + node]
    return shapes.cost[start + node]  # type: ignore[no-any-return]


@machine
def extent(
    points: Points, order: Integers, begin: int, end: int, low: Integers, high: Integers, weight: Floats
) -> int:
    """Fill in the bounds and weights of the points order[begin:end]; returns how many records they are."""
    low[:] = FAR
    high[:] = -1
    weight[:] = 0
    records = 0
    for index in range(begin, end):
        point = order[index]
        records += points.sizes[point]
        for column in range(low.size):
            code = np.int64(points.codes[point, column])
            weight[column] += points.weights[point, column]
            low[column] = min(low[column], code)
            high[column] = max(high[column], code)
    return records


@inlined
def differing(low: Integers, high: Integers, columns: Integers) -> int:
    """Write the columns whose bounds differ; returns how many they are. The others cost the same however one cuts."""
    count = 0
    for column in range(low.size):
        if low[column] < high[column]:
            columns[count] = column
            count += 1
    return count
