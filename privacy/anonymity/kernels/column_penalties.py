"""Ranges and penalties (NCP) of classes of points, which are records or several equal records."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.kernels.numba_functions import inlined, machine

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
FAR = 1 << 40


class Shapes(NamedTuple):
    """All columns one after another, each from its `offset` on: positions of numbers, nodes of hierarchies."""

    numeric: NDArray[np.bool_]
    offset: Integers
    leaves: Integers
    nodes: Integers
    cost: Floats
    """Position at which a number's code begins, 2 for a missing value; penalty of a node."""
    upper: Floats
    """Position at which a number's code ends."""
    parent: Integers
    first: Integers
    last: Integers


class Points(NamedTuple):
    """`codes` and summed `weights` by point and column; the records of point i are start[i]..start[i + 1] - 1.

    `cells`: for each record and view the cell in the histogram of sensitive values.
    """

    codes: Codes
    sizes: Integers
    weights: Floats
    start: Integers
    cells: Codes


@inlined
def range_penalty(shapes: Shapes, column: int, low: int, high: int) -> float:
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
def fill_bounds_and_weights(
    points: Points, order: Integers, begin: int, end: int, low: Integers, high: Integers, weight: Floats
) -> int:
    """Fills in bounds and weights of the points order[begin:end]; returns the number of their records."""
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
def list_varying_columns(low: Integers, high: Integers, columns: Integers) -> int:
    """Writes the columns whose bounds differ; returns their number. The others cost the same wherever one cuts."""
    count = 0
    for column in range(low.size):
        if low[column] < high[column]:
            columns[count] = column
            count += 1
    return count
