"""Classes as lists of points, with the sums that say what each costs."""

from typing import NamedTuple

import numpy as np

from privacy.anonymity.kernels.geometry import FAR, Floats, Integers, Points, Shapes, penalty
from privacy.anonymity.kernels.machine import machine


class Classes(NamedTuple):
    """By class: its first point, its records, and sums; by point: the next one of its class, -1 after the last."""

    number: Integers
    head: Integers
    following: Integers
    size: Integers
    loss: Floats
    low: Integers
    high: Integers
    weight: Floats
    paid: Floats
    """The penalty of each column."""


def room_for(points: int, most: int, columns: int) -> Classes:
    """Room for at most this number of classes of this number of points."""
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


@machine
def note(classes: Classes, index: int, points: Points, shapes: Shapes) -> None:
    """Compute the sums of a class from its points."""
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
        classes.paid[index, column] = penalty(shapes, column, low[column], high[column])
        total += weight[column] * classes.paid[index, column]
    classes.loss[index] = total


@machine
def begin(classes: Classes, labels: Integers, count: int, points: Points, shapes: Shapes) -> None:
    """Fill in the classes of a partition."""
    classes.head[:count] = -1
    classes.number[0] = count
    for point in range(labels.size):
        classes.following[point] = classes.head[labels[point]]
        classes.head[labels[point]] = point
    for index in range(count):
        note(classes, index, points, shapes)


@machine
def finish(classes: Classes, labels: Integers) -> float:
    """Write the label of each point; returns the loss."""
    total = 0.0
    for index in range(classes.number[0]):
        total += classes.loss[index]
        point = classes.head[index]
        while point >= 0:
            labels[point] = index
            point = classes.following[point]
    return total
