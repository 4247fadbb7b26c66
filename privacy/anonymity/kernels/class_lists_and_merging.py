"""Equivalence classes as linked lists of points (equal records), and their merging for *bottom-up*."""

from typing import NamedTuple

import numpy as np

from privacy.anonymity.kernels.class_criteria import (
    ClassRules,
    count_sensitive_values,
    histogram_keeps_criteria,
)
from privacy.anonymity.kernels.column_penalties import FAR, Floats, Integers, Points, Shapes, range_penalty
from privacy.numba_compilation import compile_kernel, compile_kernel_helper


class Classes(NamedTuple):
    """Equivalence classes as linked lists of points, with the sums that losses need; changed in place.

    `number`: one element, the number of classes. By class: `head`, its first point, or -1 if it is empty; `size`, its
    number of records; `loss`, its weighted NCP summed over records and columns. By point: `following`, the next point
    of its class, or -1. By class and column: `low`, `high`, the bounds of the codes; `weight`, the sum of the weights.
    """

    number: Integers
    head: Integers
    following: Integers
    size: Integers
    loss: Floats
    low: Integers
    high: Integers
    weight: Floats
    paid: Floats
    """The information loss (NCP) of each class in each column."""


def allocate_classes(points: int, most: int, columns: int) -> Classes:
    """Allocates arrays for at most `most` classes of `points` points in `columns` columns."""
    by_column = np.empty((most, columns), np.int64), np.empty((most, columns), np.int64)
    return Classes(
        np.zeros(1, np.int64),
        np.empty(most, np.int64),
        np.empty(points, np.int64),
        np.empty(most, np.int64),
        np.empty(most),
        *by_column,
        np.empty((most, columns)),
        np.empty((most, columns)),
    )


@compile_kernel_helper
def update_class_sums(classes: Classes, index: int, points: Points, shapes: Shapes) -> None:
    """Recomputes the size, bounds, weights, penalties and information loss of one class from its points."""
    low, high, weight = classes.low[index], classes.high[index], classes.weight[index]
    low[:] = FAR
    high[:] = -1
    weight[:] = 0
    size, point = 0, classes.head[index]
    while point >= 0:
        size += points.sizes[point]
        for column in range(low.size):
            code = np.int64(points.codes[point, column])
            low[column] = min(low[column], code)
            high[column] = max(high[column], code)
            weight[column] += points.weights[point, column]
        point = classes.following[point]
    classes.size[index] = size
    total = 0.0
    for column in range(low.size):
        classes.paid[index, column] = range_penalty(shapes, column, low[column], high[column])
        total += weight[column] * classes.paid[index, column]
    classes.loss[index] = total


@compile_kernel
def fill_classes(classes: Classes, labels: Integers, count: int, points: Points, shapes: Shapes) -> None:
    """Fills the linked lists of `classes`, in place.

    `labels`: class of each point; `count`: number of classes.
    """
    classes.head[:count] = -1
    classes.number[0] = count
    for point in range(labels.size):
        classes.following[point] = classes.head[labels[point]]
        classes.head[labels[point]] = point
    for index in range(count):
        update_class_sums(classes, index, points, shapes)


@compile_kernel
def write_labels_and_loss(classes: Classes, labels: Integers) -> float:
    """Writes the class of each point into `labels`; returns the total information loss."""
    total = 0.0
    for index in range(classes.number[0]):
        total += classes.loss[index]
        point = classes.head[index]
        while point >= 0:
            labels[point] = index
            point = classes.following[point]
    return total


# --- merging
# *bottom-up*: classes that are too small are merged in pairs, each with its nearest.

NOWHERE = 1e300


@compile_kernel_helper
def _loss_of_union(
    classes: Classes, own: int, other: int, shapes: Shapes, enough: float, weighted: bool
) -> float:
    """Returns the information loss of the union of two classes, or NOWHERE (infinite) from `enough` on.

    The loss is the total if `weighted`, else the loss per record.
    """
    total = 0.0
    size = 1 if weighted else classes.size[own] + classes.size[other]
    for column in range(classes.low.shape[1]):
        low = min(classes.low[own, column], classes.low[other, column])
        high = max(classes.high[own, column], classes.high[other, column])
        weight = (classes.weight[own, column] + classes.weight[other, column]) / size
        total += weight * range_penalty(shapes, column, low, high)
        if total >= enough:
            return NOWHERE
    return total


@compile_kernel_helper
def _index_before_best_partner(
    classes: Classes, own: int, waiting: Integers, begin: int, following: Integers, shapes: Shapes
) -> int:
    """Finds the waiting class to merge with class `own`: that of least loss per record of the union.

    `following`: linked list of the waiting classes. Returns the index in `waiting` of the class before the found one,
    so that the caller can unlink it; -1 if no class waits after `begin`.
    """
    best, least = -1, NOWHERE
    before = begin
    index = following[begin]
    while index >= 0:
        cost = _loss_of_union(classes, own, waiting[index], shapes, least, False)
        if cost < least:
            best, least = before, cost
            if least <= 0.0:
                break
        before = index
        index = following[index]
    return best


@compile_kernel_helper
def _class_to_join(classes: Classes, own: int, count: int, shapes: Shapes) -> int:
    """Returns the class whose union with class `own` adds the least information loss; -1 if there is none."""
    best, least = -1, NOWHERE
    for other in range(count):
        if other != own and classes.head[other] >= 0:
            enough = least + classes.loss[other]
            cost = _loss_of_union(classes, own, other, shapes, enough, True)
            if cost < enough:
                best, least = other, cost - classes.loss[other]
    return best


@compile_kernel_helper
def _join_classes(classes: Classes, own: int, other: int, shapes: Shapes) -> None:
    """Moves all points of class `other` into class `own`, in place, and leaves `other` empty."""
    last = classes.head[own]
    while classes.following[last] >= 0:
        last = classes.following[last]
    classes.following[last] = classes.head[other]
    classes.head[other] = -1
    classes.size[own] += classes.size[other]
    loss = 0.0
    for column in range(classes.low.shape[1]):
        classes.low[own, column] = min(classes.low[own, column], classes.low[other, column])
        classes.high[own, column] = max(classes.high[own, column], classes.high[other, column])
        classes.weight[own, column] += classes.weight[other, column]
        shown = range_penalty(shapes, column, classes.low[own, column], classes.high[own, column])
        loss += classes.weight[own, column] * shown
    classes.loss[own] = loss


@compile_kernel
def merge_small_classes_in_pairs(classes: Classes, count: int, shapes: Shapes, rules: ClassRules) -> int:
    """Merges the classes with fewer than k records in pairs, in place; one left over joins its nearest class.

    Returns the number of merges; 0 if the search is stopped.
    """
    waiting = np.empty(count, np.int64)
    small, joined = 0, 0
    for own in range(count):
        if classes.head[own] >= 0 and classes.size[own] < rules.k:
            waiting[small] = own
            small += 1
    # Those that still wait, as a list without holes: most of the time goes into looking through them.
    following = np.arange(1, small + 1)
    if small:
        following[small - 1] = -1
    index = 0 if small else -1
    while index >= 0 and not rules.stop[0]:
        own = waiting[index]
        before = _index_before_best_partner(classes, own, waiting, index, following, shapes)
        if before >= 0:
            other = following[before]
            partner = waiting[other]
            following[before] = following[other]
        else:
            partner = _class_to_join(classes, own, count, shapes)
        if partner < 0:
            break
        index = following[index]
        _join_classes(classes, own, partner, shapes)
        joined += 1
    return 0 if rules.stop[0] else joined


@compile_kernel
def merge_violating_classes(
    points: Points, classes: Classes, count: int, shapes: Shapes, rules: ClassRules, histogram: Integers
) -> int:
    """Joins every class that violates an anonymity criterion with its nearest class, once and in place.

    Returns the number of joined classes; 0 if the search is stopped. Overwrites `histogram`.
    """
    n_violating = 0
    for own in range(count):
        if classes.head[own] < 0:
            continue
        histogram[:] = 0
        record = classes.head[own]
        while record >= 0:
            count_sensitive_values(points, record, histogram)
            record = classes.following[record]
        if rules.stop[0]:
            return 0
        if not histogram_keeps_criteria(histogram, classes.size[own], rules):
            partner = _class_to_join(classes, own, count, shapes)
            if partner < 0:
                break
            _join_classes(classes, own, partner, shapes)
            n_violating += 1
    return n_violating


@compile_kernel
def write_labels(classes: Classes, count: int, labels: Integers) -> None:
    """Writes the equivalence class of each record into `labels`; every point must be one record."""
    for number in range(count):
        record = classes.head[number]
        while record >= 0:
            labels[record] = number
            record = classes.following[record]
