"""Information loss (NCP) of ranges of codes, and arrays that describe columns (`Shapes`)
and points (`Points`).

A point is a record, or several records with equal quasi-identifiers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.numba_compilation import compile_inline, compile_kernel_helper

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
FAR = 1 << 40


class Shapes(NamedTuple):
    """Scales and generalisation hierarchies of all columns in flat arrays, each column from its `offset` on.

    By column: `numeric`, True for a column with positions instead of a hierarchy; `leaves`, its number of codes;
    `nodes`, its number of nodes. By node of a hierarchy: `parent`, and the `first` and `last` code below it.
    """

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
    """The records of a table as points: a point is one record, or several with equal quasi-identifiers.

    `codes`, `weights`: code and sum of the weights of the records, point x column. `sizes`: number of records
    of each point; its records have the indexes start[i]..start[i + 1] - 1. `cells`: for each record and view
    its cell in the histogram of sensitive values.
    """

    codes: Codes
    sizes: Integers
    weights: Floats
    start: Integers
    cells: Codes


@compile_inline
def range_penalty(shapes: Shapes, column: int, low: int, high: int) -> float:
    """Returns the information loss (NCP, 0 to 1) of a class that shows the codes low..high of this column."""
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


@compile_kernel_helper
def fill_bounds_and_weights(
    points: Points, order: Integers, begin: int, end: int, low: Integers, high: Integers, weight: Floats
) -> int:
    """Writes code bounds and weight sums of the points order[begin:end] into `low`, `high`, `weight`.

    Returns the number of records of these points.
    """
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


@compile_inline
def list_varying_columns(low: Integers, high: Integers, columns: Integers) -> int:
    """Writes the indexes of the columns with more than one value into `columns`; returns their number.

    `low`, `high`: lowest and highest code of each column. All other columns add the same to the loss of any class.
    """
    count = 0
    for column in range(low.size):
        if low[column] < high[column]:
            columns[count] = column
            count += 1
    return count
