"""Finds the best classes along an order of points, each a segment of neighbours, by dynamic programming."""

from typing import NamedTuple

import numpy as np

from privacy.anonymity.kernels.class_criteria import (
    ClassRules,
    count_sensitive_values,
    histogram_keeps_criteria,
)
from privacy.anonymity.kernels.column_penalties import (
    FAR,
    Floats,
    Integers,
    Points,
    Shapes,
    fill_bounds_and_weights,
    list_varying_columns,
    range_penalty,
)
from privacy.numba_compilation import compile_inline, compile_kernel, compile_kernel_helper

NOWHERE = 1e300


class BestSegments(NamedTuple):
    """Results of the dynamic programming, by end of a segment in the order of points.

    `loss`: least cost of all points before this end; `begin`: where the last class of that solution begins.
    """

    loss: Floats
    begin: Integers


def allocate_best_segments(points: int) -> BestSegments:
    """Allocates the result arrays of the dynamic programming for an order of `points` points."""
    return BestSegments(np.empty(points + 1), np.empty(points + 1, np.int64))


@compile_kernel_helper
def find_best_segments(
    points: Points,
    order: Integers,
    classes: Integers,
    shapes: Shapes,
    rules: ClassRules,
    histogram: Integers,
    steps: BestSegments,
) -> float:
    """Cuts the points in `order` into consecutive classes of least cost (`steps`); returns the cost.

    The cost is the loss and, for large classes, `rules.spread` times the square of their records. Classes have up to
    about 2k records; where none of these keeps the criteria, the search for the begin of a class goes on up to 4k and
    over the class of the tree (`classes`, from `grow_cut_tree`). If the search is stopped, the rest has the classes of
    the tree, and the cost is NOWHERE (infinite). Overwrites `histogram`.
    """
    columns = points.codes.shape[1]
    low, high, varying = np.empty(columns, np.int64), np.empty(columns, np.int64), np.empty(columns, np.int64)
    weight, paid = np.empty(columns), np.empty(columns)
    fill_bounds_and_weights(points, order, 0, order.size, low, high, weight)
    count = list_varying_columns(low, high, varying)
    # What all points have in common costs the same in any classes.
    steps.loss[0] = 0
    for column in range(columns):
        if low[column] == high[column]:
            steps.loss[0] += weight[column] * range_penalty(shapes, column, low[column], high[column])
    for end in range(1, order.size + 1):
        if rules.stop[0]:
            for rest in range(end, order.size + 1):
                steps.begin[rest] = classes[rest]
            return NOWHERE
        steps.loss[end] = NOWHERE
        for column in range(columns):
            low[column], high[column], weight[column], paid[column] = FAR, -1, 0, 0
        histogram[:] = 0
        records, begin = 0, end
        least = classes[end] if classes[end] >= 0 else end
        while begin > 0:
            begin -= 1
            point = order[begin]
            records += points.sizes[point]
            count_sensitive_values(points, point, histogram)
            total = steps.loss[begin] + rules.spread * records * records
            total += _include_point(points, point, shapes, varying, count, low, high, weight, paid)
            if (
                records >= rules.k
                and total < steps.loss[end]
                and histogram_keeps_criteria(histogram, records, rules)
            ):
                steps.loss[end], steps.begin[end] = total, begin
            enough = records >= 2 * rules.k and (steps.loss[end] < NOWHERE or records > 4 * rules.k)
            if begin <= least and enough:
                break
    return steps.loss[order.size]  # type: ignore[no-any-return]


@compile_inline
def _include_point(
    points: Points,
    point: int,
    shapes: Shapes,
    varying: Integers,
    count: int,
    low: Integers,
    high: Integers,
    weight: Floats,
    paid: Floats,
) -> float:
    """Adds a point to a class: updates its bounds, weights and penalties, in place; returns its new loss."""
    total = 0.0
    for at in range(count):
        column = varying[at]
        code = np.int64(points.codes[point, column])
        if code < low[column] or code > high[column]:
            low[column], high[column] = min(low[column], code), max(high[column], code)
            paid[column] = range_penalty(shapes, column, low[column], high[column])
        weight[column] += points.weights[point, column]
        total += weight[column] * paid[column]
    return total


@compile_kernel
def label_segments(points: Points, order: Integers, steps: BestSegments, labels: Integers) -> int:
    """Writes the class of each record in the best solution into `labels`; returns the number of classes."""
    n_classes, end = 0, order.size
    while end > 0:
        for index in range(steps.begin[end], end):
            for record in range(points.start[order[index]], points.start[order[index] + 1]):
                labels[record] = n_classes
        n_classes += 1
        end = steps.begin[end]
    return n_classes
