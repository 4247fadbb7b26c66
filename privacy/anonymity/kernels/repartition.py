"""Local search: a class and some of its nearest ones are partitioned anew; what costs less stays."""

from typing import NamedTuple

import numpy as np

from privacy.anonymity.kernels.chance import Chance, below, chance
from privacy.anonymity.kernels.constraint import ClassRules
from privacy.anonymity.kernels.cutting import Scratch, grow
from privacy.anonymity.kernels.geometry import Floats, Integers, Points, Shapes, loss, penalty
from privacy.anonymity.kernels.machine import machine
from privacy.anonymity.kernels.segments import Steps, label, segment

NEAREST = 8
BESIDE, LOOKED_AT = 400, 2_000
"""Classes that are compared with one to find its nearest: most often those numbered like it, else so many by chance.

A class is numbered by its place in the tree, and new classes take the numbers of the old ones: so most near ones stand
beside it.
"""
OFTEN = 0.9
CANDIDATES = 4
"""Classes drawn by chance, of which the one that loses most per record is tried."""
NOISE = 0.75
ENOUGH = 1e-9


class Classes(NamedTuple):
    """By class: its first record and sums; by record: the next one of its class, -1 after the last."""

    number: Integers
    head: Integers
    following: Integers
    size: Integers
    loss: Floats
    low: Integers
    high: Integers
    weight: Floats


class Pool(NamedTuple):
    """Room for the records of a few classes."""

    points: Points
    records: Integers
    order: Integers
    classes: Integers
    labels: Integers
    steps: Steps


@machine
def partition(
    points: Points,
    order: Integers,
    bounds: Integers,
    shapes: Shapes,
    rules: ClassRules,
    spare: Scratch,
    steps: Steps,
    noise: float,
    coins: Chance,
) -> float:
    """The best classes along a tree of cuts, as `steps` into the order of its leaves; returns the loss."""
    grow(points, order, bounds, shapes, rules, spare, noise, coins)
    return segment(points, order, bounds, shapes, rules, spare.histogram, steps)


@machine
def _note(classes: Classes, place: int, points: Points, shapes: Shapes) -> None:
    """Compute the sums of a class from its records."""
    low, high, weight = classes.low[place], classes.high[place], classes.weight[place]
    low[:] = 1 << 40
    high[:] = -1
    weight[:] = 0
    size, record = 0, classes.head[place]
    while record >= 0:
        size += 1
        for column in range(low.size):
            code = np.int64(points.codes[record, column])
            low[column] = min(low[column], code)
            high[column] = max(high[column], code)
            weight[column] += points.weights[record, column]
        record = classes.following[record]
    classes.size[place] = size
    classes.loss[place] = loss(shapes, low, high, weight)


@machine
def begin(classes: Classes, labels: Integers, count: int, points: Points, shapes: Shapes) -> None:
    """Fill in the classes of a partition."""
    classes.head[:count] = -1
    classes.number[0] = count
    for record in range(labels.size):
        classes.following[record] = classes.head[labels[record]]
        classes.head[labels[record]] = record
    for place in range(count):
        _note(classes, place, points, shapes)


@machine
def finish(classes: Classes, labels: Integers) -> float:
    """Write the label of each record; returns the loss."""
    total = 0.0
    for place in range(classes.number[0]):
        total += classes.loss[place]
        record = classes.head[place]
        while record >= 0:
            labels[record] = place
            record = classes.following[record]
    return total


@machine
def _nearest(classes: Classes, chosen: int, shapes: Shapes, coins: Chance, places: Integers) -> int:
    """Classes that add the least loss when joined with the chosen one, the best first."""
    found, costs = 0, np.empty(NEAREST)
    count = classes.number[0]
    beside = chance(coins) < OFTEN
    looked_at = min(count, BESIDE if beside else LOOKED_AT)
    start = chosen + count - looked_at // 2 if beside else below(coins, count)
    for step in range(looked_at):
        place = (start + step) % count
        if place == chosen:
            continue
        cost = -classes.loss[place]
        for column in range(classes.low.shape[1]):
            low = min(classes.low[chosen, column], classes.low[place, column])
            high = max(classes.high[chosen, column], classes.high[place, column])
            weight = classes.weight[chosen, column] + classes.weight[place, column]
            cost += weight * penalty(shapes, column, low, high)
            if found == NEAREST and cost >= costs[found - 1]:
                break
        if found == NEAREST and cost >= costs[found - 1]:
            continue
        found = min(found + 1, NEAREST)
        at = found - 1
        while at > 0 and costs[at - 1] > cost:
            costs[at], places[at] = costs[at - 1], places[at - 1]
            at -= 1
        costs[at], places[at] = cost, place
    return found


@machine
def _gather(classes: Classes, members: Integers, points: Points, pool: Pool) -> int:
    """Copy the records of these classes into the pool; returns how many they are."""
    size = 0
    for place in members:
        record = classes.head[place]
        while record >= 0:
            pool.records[size] = record
            for column in range(points.codes.shape[1]):
                pool.points.codes[size, column] = points.codes[record, column]
                pool.points.weights[size, column] = points.weights[record, column]
            for view in range(points.cells.shape[1]):
                pool.points.cells[size, view] = points.cells[record, view]
            pool.order[size] = size
            size += 1
            record = classes.following[record]
    return size


@machine
def _replace(
    classes: Classes, members: Integers, pool: Pool, size: int, count: int, points: Points, shapes: Shapes
) -> None:
    """Put the pool's new classes into the places of the old ones, or behind all; no place stays empty."""
    places = np.empty(count, np.int64)
    for new in range(count):
        places[new] = members[new] if new < members.size else classes.number[0] + new - members.size
        classes.head[places[new]] = -1
    classes.number[0] += max(count - members.size, 0)
    for at in range(size):
        place, record = places[pool.labels[at]], pool.records[at]
        classes.following[record] = classes.head[place]
        classes.head[place] = record
    for new in range(count):
        _note(classes, places[new], points, shapes)
    # The last class moves into a place that became empty; from behind, so that it is none of those.
    for place in np.sort(members[count:])[::-1]:
        last = classes.number[0] - 1
        classes.head[place], classes.size[place] = classes.head[last], classes.size[last]
        classes.loss[place] = classes.loss[last]
        classes.low[place], classes.high[place] = classes.low[last], classes.high[last]
        classes.weight[place] = classes.weight[last]
        classes.number[0] = last


@machine
def _chosen(classes: Classes, coins: Chance) -> int:
    """A class by chance; those that lose much per record more often."""
    chosen = below(coins, classes.number[0])
    for _candidate in range(CANDIDATES - 1):
        other = below(coins, classes.number[0])
        if classes.loss[other] * classes.size[chosen] > classes.loss[chosen] * classes.size[other]:
            chosen = other
    return chosen


@machine
def _members(classes: Classes, shapes: Shapes, coins: Chance, room: int) -> Integers:
    """A class that loses much and up to four of its nearest, as many records as there is room for."""
    members = np.empty(5, np.int64)
    members[0] = _chosen(classes, coins)
    places = np.empty(NEAREST, np.int64)
    near = _nearest(classes, members[0], shapes, coins, places)
    wanted, count = 2 + below(coins, 4), 1
    size = classes.size[members[0]]
    for at in range(near):
        left = near - at
        if count < wanted and (left <= wanted - count or chance(coins) < 0.75):
            if size + classes.size[places[at]] > room:
                continue
            members[count] = places[at]
            size += classes.size[places[at]]
            count += 1
    return members[:count] if size <= room else members[:0]


@machine
def improve(
    points: Points,
    shapes: Shapes,
    rules: ClassRules,
    classes: Classes,
    pool: Pool,
    spare: Scratch,
    coins: Chance,
    tries: int,
) -> float:
    """Try so many times; returns the loss that was saved."""
    saved = 0.0
    for _try in range(tries):
        members = _members(classes, shapes, coins, pool.records.size)
        if members.size == 0:
            continue
        size = _gather(classes, members, points, pool)
        inside = Points(
            pool.points.codes[:size],
            pool.points.sizes[:size],
            pool.points.weights[:size],
            pool.points.start[: size + 1],
            pool.points.cells[:size],
        )
        before = 0.0
        for place in members:
            before += classes.loss[place]
        bounds, noise = pool.classes[: size + 1], NOISE * chance(coins)
        after = partition(inside, pool.order[:size], bounds, shapes, rules, spare, pool.steps, noise, coins)
        if after < before - ENOUGH:
            saved += before - after
            count = label(inside, pool.order[:size], pool.steps, pool.labels)
            _replace(classes, members, pool, size, count, points, shapes)
    return saved
