"""Local search that moves points (equal records) to cheaper classes, as long as both keep the criteria."""

import numpy as np

from privacy.anonymity.kernels.class_criteria import (
    ClassRules,
    count_sensitive_values,
    histogram_keeps_criteria,
)
from privacy.anonymity.kernels.class_lists_and_merging import Classes, update_class_sums
from privacy.anonymity.kernels.column_penalties import FAR, Integers, Points, Shapes, range_penalty
from privacy.numba_compilation import compile_kernel, compile_kernel_helper

BESIDE = 200
"""Number of classes examined as targets of a point: those with numbers near the number of its class."""
ENOUGH = 1e-9


@compile_kernel_helper
def _cheapest_class_for_point(
    classes: Classes, giver: int, point: int, points: Points, shapes: Shapes, spread: float, limit: float
) -> tuple[int, float]:
    """Finds the class other than `giver` to which a point adds the least cost; returns class and cost.

    The class is -1 if none costs less than `limit`. `spread`: cost of each pair of records of a class. Only
    classes with numbers near that of `giver` are examined.
    """
    best, count = -1, classes.number[0]
    looked_at = min(count, BESIDE)
    start = giver + count - looked_at // 2
    size = points.sizes[point]
    for step in range(looked_at):
        index = (start + step) % count
        if index == giver:
            continue
        cost = spread * size * (2 * classes.size[index] + size)
        for column in range(classes.low.shape[1]):
            code = np.int64(points.codes[point, column])
            low, high = classes.low[index, column], classes.high[index, column]
            own, paid = points.weights[point, column], classes.paid[index, column]
            if low <= code <= high:
                cost += own * paid
            else:
                weight = classes.weight[index, column]
                shown = range_penalty(shapes, column, min(low, code), max(high, code))
                cost += (weight + own) * shown - weight * paid
            if cost >= limit:
                break
        if cost < limit:
            best, limit = index, cost
    return best, limit


@compile_kernel_helper
def _keeps_criteria_after_move(
    classes: Classes,
    giver: int,
    taker: int,
    mover: int,
    points: Points,
    rules: ClassRules,
    histogram: Integers,
) -> bool:
    """Returns True if both classes keep the criteria after `mover` has moved from `giver` to `taker`.

    Overwrites `histogram`.
    """
    for index in (giver, taker):
        histogram[:] = 0
        records, point = 0, classes.head[index]
        while point >= 0:
            if point != mover:
                count_sensitive_values(points, point, histogram)
                records += points.sizes[point]
            point = classes.following[point]
        if index == taker:
            count_sensitive_values(points, mover, histogram)
            records += points.sizes[mover]
        if not histogram_keeps_criteria(histogram, records, rules):
            return False
    return True


@compile_kernel_helper
def _fill_extreme_codes(classes: Classes, index: int, points: Points, ends: Integers) -> int:
    """Writes the two smallest and the two largest codes of a class, by column, into the four rows of `ends`.

    Returns the number of points of the class.
    """
    ends[0], ends[1], ends[2], ends[3] = FAR, FAR, -1, -1
    count, point = 0, classes.head[index]
    while point >= 0:
        for column in range(ends.shape[1]):
            code = np.int64(points.codes[point, column])
            if code < ends[0, column]:
                ends[1, column], ends[0, column] = ends[0, column], code
            elif code < ends[1, column]:
                ends[1, column] = code
            if code > ends[3, column]:
                ends[2, column], ends[3, column] = ends[3, column], code
            elif code > ends[2, column]:
                ends[2, column] = code
        count += 1
        point = classes.following[point]
    return count


@compile_kernel_helper
def _move_best_point(
    points: Points, shapes: Shapes, rules: ClassRules, classes: Classes, giver: int, histogram: Integers
) -> float:
    """Moves the point of class `giver` whose move lowers the cost most to another class, in place.

    Returns the saved cost; 0 if no move saves anything. Overwrites `histogram`.
    """
    ends = np.empty((4, classes.low.shape[1]), np.int64)
    count = _fill_extreme_codes(classes, giver, points, ends)
    if count < 2:
        return 0.0
    candidates, gains, n_candidates = np.empty(count, np.int64), np.empty(count), 0
    point = classes.head[giver]
    while point >= 0:
        size = points.sizes[point]
        if classes.size[giver] - size >= rules.k:
            own, gain = 0.0, rules.spread * size * (2 * classes.size[giver] - size)
            for column in range(ends.shape[1]):
                code, weight = points.codes[point, column], points.weights[point, column]
                paid = classes.paid[giver, column]
                low = ends[1, column] if code == ends[0, column] else ends[0, column]
                high = ends[2, column] if code == ends[3, column] else ends[3, column]
                own += weight * paid
                gain += weight * paid
                if low != ends[0, column] or high != ends[3, column]:
                    remaining = classes.weight[giver, column] - weight
                    gain += remaining * (paid - range_penalty(shapes, column, low, high))
            # A point that is no end of its class saves too little for what it takes to look for another.
            if gain > own + rules.spread * size * (2 * classes.size[giver] - size) + ENOUGH:
                candidates[n_candidates], gains[n_candidates] = point, gain
                n_candidates += 1
        point = classes.following[point]
    best, mover, taker = ENOUGH, candidates[0], giver
    for at in np.argsort(-gains[:n_candidates]):
        if gains[at] <= best:
            break
        index, cost = _cheapest_class_for_point(
            classes, giver, candidates[at], points, shapes, rules.spread, gains[at] - best
        )
        if index >= 0:
            best, mover, taker = gains[at] - cost, candidates[at], index
    if taker == giver or not _keeps_criteria_after_move(
        classes, giver, taker, mover, points, rules, histogram
    ):
        return 0.0
    _relink_point(classes, giver, taker, mover)
    update_class_sums(classes, giver, points, shapes)
    update_class_sums(classes, taker, points, shapes)
    return best


@compile_kernel_helper
def _relink_point(classes: Classes, giver: int, taker: int, mover: int) -> None:
    """Moves the point `mover` from the list of class `giver` to that of `taker`, without their sums."""
    point, before = classes.head[giver], -1
    while point != mover:
        before, point = point, classes.following[point]
    if before < 0:
        classes.head[giver] = classes.following[mover]
    else:
        classes.following[before] = classes.following[mover]
    classes.following[mover] = classes.head[taker]
    classes.head[taker] = mover


@compile_kernel
def move_points(
    points: Points,
    shapes: Shapes,
    rules: ClassRules,
    classes: Classes,
    givers: Integers,
    histogram: Integers,
) -> float:
    """Moves points out of the classes `givers`, the best move first, until no move saves anything.

    Changes `classes` in place; returns the saved cost. Overwrites `histogram`.
    """
    saved = 0.0
    for giver in givers:
        while classes.size[giver] > rules.k:
            gain = _move_best_point(points, shapes, rules, classes, giver, histogram)
            if gain <= 0.0:
                break
            saved += gain
    return saved
