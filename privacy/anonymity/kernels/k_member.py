"""Compiled search of the method *k-member*: fills class after class with k records of least added loss."""

import numpy as np

from privacy.anonymity.kernels.class_criteria import ClassRules
from privacy.anonymity.kernels.column_penalties import Floats, Integers, Points, Shapes, range_penalty
from privacy.numba_compilation import compile_kernel, compile_kernel_helper

NOWHERE = 1e300


@compile_kernel_helper
def _loss_with_record(
    points: Points, record: int, shapes: Shapes, low: Integers, high: Integers, weight: Floats, enough: float
) -> float:
    """Returns the information loss of a class with one more record; NOWHERE (infinite) from `enough` on.

    `low`, `high`, `weight`: bounds and weights of the class, by column.
    """
    total = 0.0
    for column in range(low.size):
        code = np.int64(points.codes[record, column])
        shown = range_penalty(shapes, column, min(low[column], code), max(high[column], code))
        total += (weight[column] + points.weights[record, column]) * shown
        if total >= enough:
            return NOWHERE
    return total


@compile_kernel_helper
def _waiting_index_of_nearest(
    points: Points, waiting: Integers, shapes: Shapes, low: Integers, high: Integers, weight: Floats
) -> int:
    """Returns the index in `waiting` of the record that adds the least information loss to a class."""
    best, least = -1, NOWHERE
    for index in range(waiting.size):
        cost = _loss_with_record(points, waiting[index], shapes, low, high, weight, least)
        if cost < least:
            best, least = index, cost
    return best


@compile_kernel_helper
def _waiting_index_of_farthest(
    points: Points, waiting: Integers, shapes: Shapes, low: Integers, high: Integers, weight: Floats
) -> int:
    """Returns the index in `waiting` of the record that adds the most information loss to a class."""
    best, most = -1, -1.0
    for index in range(waiting.size):
        cost = _loss_with_record(points, waiting[index], shapes, low, high, weight, NOWHERE)
        if cost > most:
            best, most = index, cost
    return best


@compile_kernel_helper
def _include_record(points: Points, record: int, low: Integers, high: Integers, weight: Floats) -> None:
    """Updates the bounds and weights of a class, in place, for one more record."""
    for column in range(low.size):
        code = np.int64(points.codes[record, column])
        low[column], high[column] = min(low[column], code), max(high[column], code)
        weight[column] += points.weights[record, column]


@compile_kernel
def fill_clusters(points: Points, shapes: Shapes, rules: ClassRules, labels: Integers) -> None:
    """Clusters records into classes of at least k (k-member); writes the class of each record into `labels`.

    A class begins with the record farthest from the first record of the class before, the first class with
    the record farthest from record 0. The last records, fewer than k, join the class to which each adds
    least. If the search is stopped, the remaining labels stay unchanged.
    """
    k, columns = rules.k, points.codes.shape[1]
    count = labels.size // k
    low, high = np.empty((count, columns), np.int64), np.empty((count, columns), np.int64)
    weight, waiting, left = np.zeros((count, columns)), np.arange(labels.size), labels.size
    seed = 0
    for number in range(count):
        first = points.codes[seed].astype(np.int64)
        index = _waiting_index_of_farthest(points, waiting[:left], shapes, first, first, points.weights[seed])
        seed = waiting[index]
        low[number] = points.codes[seed]
        high[number] = points.codes[seed]
        for size in range(k):
            if rules.stop[0]:
                return
            if size:
                index = _waiting_index_of_nearest(
                    points, waiting[:left], shapes, low[number], high[number], weight[number]
                )
            record = waiting[index]
            _include_record(points, record, low[number], high[number], weight[number])
            labels[record] = number
            left -= 1
            waiting[index] = waiting[left]
    for record in waiting[:left]:
        labels[record] = _join_best_class(points, record, shapes, low, high, weight)


@compile_kernel_helper
def _join_best_class(
    points: Points, record: int, shapes: Shapes, low: Integers, high: Integers, weight: Floats
) -> int:
    """Adds a record, in place, to the class whose information loss grows least; returns this class."""
    best, least = -1, NOWHERE
    for number in range(len(low)):
        before = 0.0
        for column in range(low.shape[1]):
            before += weight[number, column] * range_penalty(
                shapes, column, low[number, column], high[number, column]
            )
        cost = _loss_with_record(
            points, record, shapes, low[number], high[number], weight[number], least + before
        )
        if cost - before < least:
            best, least = number, cost - before
    _include_record(points, record, low[best], high[best], weight[best])
    return best
