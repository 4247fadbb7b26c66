"""Local search: partitions a class and some of its nearest classes again, and keeps a cheaper result."""

from typing import NamedTuple

import numpy as np

from privacy.anonymity.kernels.best_segments_of_order import BestSegments, find_best_segments, label_segments
from privacy.anonymity.kernels.class_criteria import ClassRules
from privacy.anonymity.kernels.class_lists_and_merging import Classes, update_class_sums
from privacy.anonymity.kernels.column_penalties import Integers, Points, Shapes, range_penalty
from privacy.anonymity.kernels.partition_tree import Scratch, grow_cut_tree
from privacy.anonymity.kernels.point_moves import move_points
from privacy.anonymity.kernels.random_numbers import Chance, random_fraction, random_integer
from privacy.numba_compilation import compile_kernel, compile_kernel_helper

NEAREST = 8
MOST_COMPARED_BESIDE, MOST_COMPARED = 400, 2_000
"""Most classes compared with a class to find its nearest ones: by neighbouring numbers, or at random.

A class is numbered by its place in the tree, and new classes take the numbers of the old ones: so most near
classes have neighbouring numbers.
"""
OFTEN = 0.9
CANDIDATES = 4
"""Number of classes drawn at random; the one with the most loss per record is partitioned again."""
NOISE = 0.75
ENOUGH = 1e-9


class Pool(NamedTuple):
    """Working space for partitioning the points of a few classes again.

    `points`: copies of the points; `origin`: index of each among all points. `order`, `classes`, `labels`,
    `steps`: as in `partition_points` and `label_segments`.
    """

    points: Points
    origin: Integers
    order: Integers
    classes: Integers
    labels: Integers
    steps: BestSegments


@compile_kernel
def partition_points(
    points: Points,
    order: Integers,
    bounds: Integers,
    shapes: Shapes,
    rules: ClassRules,
    spare: Scratch,
    steps: BestSegments,
    ease: int,
    noise: float,
    coins: Chance,
) -> float:
    """Sorts `order` along a partition tree, cuts it into the best equivalence classes; returns their cost.

    The classes are written into `steps`, those of the tree into `bounds`. `ease`: sets of at most so many records are
    classes of the tree. `noise`: largest random change of the gain of a cut, relative to the gain.
    """
    grow_cut_tree(points, order, bounds, shapes, rules, spare, ease, noise, coins)
    return find_best_segments(points, order, bounds, shapes, rules, spare.histogram, steps)


@compile_kernel_helper
def _nearest_classes(classes: Classes, chosen: int, shapes: Shapes, coins: Chance, places: Integers) -> int:
    """Writes the classes nearest to `chosen` (least loss when joined) into `places`, the nearest first.

    Returns their number. Only some classes are examined: mostly those with numbers near that of `chosen`,
    else random ones.
    """
    n_nearest, costs = 0, np.empty(NEAREST)
    count = classes.number[0]
    beside = random_fraction(coins) < OFTEN
    looked_at = min(count, MOST_COMPARED_BESIDE if beside else MOST_COMPARED)
    start = chosen + count - looked_at // 2 if beside else random_integer(coins, count)
    for step in range(looked_at):
        index = (start + step) % count
        if index == chosen:
            continue
        cost = -classes.loss[index]
        for column in range(classes.low.shape[1]):
            low = min(classes.low[chosen, column], classes.low[index, column])
            high = max(classes.high[chosen, column], classes.high[index, column])
            weight = classes.weight[chosen, column] + classes.weight[index, column]
            cost += weight * range_penalty(shapes, column, low, high)
            if n_nearest == NEAREST and cost >= costs[n_nearest - 1]:
                break
        if n_nearest == NEAREST and cost >= costs[n_nearest - 1]:
            continue
        n_nearest = min(n_nearest + 1, NEAREST)
        at = n_nearest - 1
        while at > 0 and costs[at - 1] > cost:
            costs[at], places[at] = costs[at - 1], places[at - 1]
            at -= 1
        costs[at], places[at] = cost, index
    return n_nearest


@compile_kernel_helper
def _copy_points(classes: Classes, members: Integers, points: Points, pool: Pool) -> int:
    """Copies the points of the classes `members` into the working space; returns the number of points."""
    size, inside = 0, pool.points
    for index in members:
        point = classes.head[index]
        while point >= 0:
            pool.origin[size] = point
            pool.order[size] = size
            inside.sizes[size] = points.sizes[point]
            for column in range(points.codes.shape[1]):
                inside.codes[size, column] = points.codes[point, column]
                inside.weights[size, column] = points.weights[point, column]
            inside.start[size + 1] = inside.start[size] + points.sizes[point]
            for at in range(points.sizes[point]):
                for view in range(points.cells.shape[1]):
                    cell = points.cells[points.start[point] + at, view]
                    inside.cells[inside.start[size] + at, view] = cell
            size += 1
            point = classes.following[point]
    return size


@compile_kernel_helper
def _replace_classes(
    classes: Classes, members: Integers, pool: Pool, size: int, count: int, points: Points, shapes: Shapes
) -> Integers:
    """Replaces the classes `members`, in place, by `count` new ones; returns the numbers of the new classes.

    `pool`: holds the new classes, of `size` points. New classes take the numbers of the old ones, then
    numbers after all classes; if there are fewer, the last classes move into the gaps.
    """
    places = np.empty(count, np.int64)
    for new in range(count):
        places[new] = members[new] if new < members.size else classes.number[0] + new - members.size
        classes.head[places[new]] = -1
    classes.number[0] += max(count - members.size, 0)
    for at in range(size):
        index, point = places[pool.labels[pool.points.start[at]]], pool.origin[at]
        classes.following[point] = classes.head[index]
        classes.head[index] = point
    for new in range(count):
        update_class_sums(classes, places[new], points, shapes)
    # The last class moves into a place that became empty; from behind, so that it is none of those.
    for index in np.sort(members[count:])[::-1]:
        last = classes.number[0] - 1
        classes.head[index], classes.size[index] = classes.head[last], classes.size[last]
        classes.loss[index] = classes.loss[last]
        for column in range(classes.low.shape[1]):
            for code in (classes.low, classes.high):
                code[index, column] = code[last, column]
            for amount in (classes.weight, classes.paid):
                amount[index, column] = amount[last, column]
        classes.number[0] = last
        for new in range(count):
            if places[new] == last:
                places[new] = index
    return places


@compile_kernel_helper
def _draw_class_of_high_loss(classes: Classes, coins: Chance) -> int:
    """Draws a class at random; of several random classes the one with the most loss per record."""
    chosen = random_integer(coins, classes.number[0])
    for _candidate in range(CANDIDATES - 1):
        other = random_integer(coins, classes.number[0])
        if classes.loss[other] * classes.size[chosen] > classes.loss[chosen] * classes.size[other]:
            chosen = other
    return chosen


@compile_kernel_helper
def _draw_neighbouring_classes(classes: Classes, shapes: Shapes, coins: Chance, room: int) -> Integers:
    """Draws a class with a high loss and up to four nearest classes, at most `room` records together."""
    members = np.empty(5, np.int64)
    members[0] = _draw_class_of_high_loss(classes, coins)
    places = np.empty(NEAREST, np.int64)
    near = _nearest_classes(classes, members[0], shapes, coins, places)
    target, count = 2 + random_integer(coins, 4), 1
    size = classes.size[members[0]]
    for at in range(near):
        left = near - at
        if count < target and (left <= target - count or random_fraction(coins) < 0.75):
            if size + classes.size[places[at]] > room:
                continue
            members[count] = places[at]
            size += classes.size[places[at]]
            count += 1
    return members[:count] if size <= room else members[:0]


@compile_kernel
def improve_partition(
    points: Points,
    shapes: Shapes,
    rules: ClassRules,
    classes: Classes,
    pool: Pool,
    spare: Scratch,
    ease: int,
    coins: Chance,
    tries: int,
) -> int:
    """Improves a partition by local search, `tries` times or until stopped; returns the number of tries.

    Each try partitions a class and some of its neighbours again, and changes `classes` in place if the cost falls.
    `ease`: sets of at most so many records are classes of the partition tree.
    """
    for attempt in range(tries):
        members = _draw_neighbouring_classes(classes, shapes, coins, pool.origin.size)
        if members.size == 0:
            continue
        size = _copy_points(classes, members, points, pool)
        inside = Points(
            pool.points.codes[:size],
            pool.points.sizes[:size],
            pool.points.weights[:size],
            pool.points.start[: size + 1],
            pool.points.cells[: pool.points.start[size]],
        )
        before = 0.0
        for index in members:
            before += classes.loss[index] + rules.spread * classes.size[index] ** 2
        bounds, noise = pool.classes[: size + 1], NOISE * random_fraction(coins)
        order = pool.order[:size]
        grow_cut_tree(inside, order, bounds, shapes, rules, spare, ease, noise, coins)
        after = find_best_segments(inside, order, bounds, shapes, rules, spare.histogram, pool.steps)
        if rules.stop[0]:
            return attempt
        if after < before - ENOUGH:
            count = label_segments(inside, order, pool.steps, pool.labels)
            changed = _replace_classes(classes, members, pool, size, count, points, shapes)
            move_points(points, shapes, rules, classes, changed, spare.histogram)
    return tries
