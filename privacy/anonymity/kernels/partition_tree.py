"""Grows a binary partition tree over records: cuts numbers at a threshold, categories into a node
and the rest.

Each cut is the one with the least information loss. As long as both sides can keep every criterion, they
must: that gives classes. Below the classes the cuts go on without criteria; along the order of the leaves
privacy/anonymity/kernels/best_segments_of_order.py finds the best classes.
"""

from typing import NamedTuple

import numpy as np

from privacy.anonymity.kernels.class_criteria import ClassRules, points_keep_criteria
from privacy.anonymity.kernels.column_penalties import (
    FAR,
    Codes,
    Floats,
    Integers,
    Points,
    Shapes,
    fill_bounds_and_weights,
    list_varying_columns,
    range_penalty,
)
from privacy.anonymity.kernels.random_numbers import Chance, random_fraction
from privacy.numba_compilation import compile_inline, compile_kernel_helper

MOST_BINS = 256
"""Most thresholds of a number that are tried for one cut; the range of the next cut is narrower."""
NOWHERE = 1e300


class BinSums(NamedTuple):
    """Running sums over the bins of one column, from which the loss of every cut of the column follows.

    `begin`: first code of each bin. `bin_of`: bin of each point. `rank`: working space. `records`, `weight`
    (by column): sums over all bins before each bin. `low`, `high`: bounds of the codes of each column inside
    a bin; `..._before`, `..._after`: before the bin and from the bin on.
    """

    begin: Integers
    bin_of: Integers
    rank: Integers
    records: Integers
    weight: Floats
    low: Codes
    high: Codes
    low_before: Codes
    high_before: Codes
    low_after: Codes
    high_after: Codes


class Cuts(NamedTuple):
    """Candidate cuts of a set of points into two: codes low..high - 1 of a `column`, and the rest.

    `loss`: information loss of both sides together.
    """

    loss: Floats
    column: Integers
    low: Integers
    high: Integers


class Scratch(NamedTuple):
    """Working space for growing one partition tree; every cut overwrites it.

    `low`, `high`, `weight`: bounds and weights of the set that is cut, by column. `aside`: points moved back.
    `histogram`: counts of sensitive values.
    """

    tables: BinSums
    cuts: Cuts
    low: Integers
    high: Integers
    weight: Floats
    varying: Integers
    """Columns in which the points of a node differ; the others do not change the loss of a cut."""
    aside: Integers
    histogram: Integers


def allocate_scratch(points: int, shapes: Shapes, cells: int) -> Scratch:
    """Allocates the working space of a partition tree of at most `points` points and `cells` counts."""
    columns = shapes.numeric.size
    widest = int(shapes.leaves.max())
    bins = max(min(widest, MOST_BINS), int(shapes.leaves[~shapes.numeric].max(initial=1)))
    bounds = [np.empty((bins + 1, columns), np.int32) for _bounds in range(6)]
    tables = BinSums(
        np.empty(bins + 1, np.int64),
        np.empty(points, np.int64),
        np.empty(widest, np.int64),
        np.empty(bins + 1, np.int64),
        np.empty((bins + 1, columns)),
        *bounds,
    )
    room = np.where(shapes.numeric, np.minimum(shapes.leaves, MOST_BINS), shapes.nodes).sum()
    cuts = Cuts(np.empty(room), *(np.empty(room, np.int64) for _bounds in range(3)))
    low, high, varying = (np.empty(columns, np.int64) for _column in range(3))
    aside, histogram = np.empty(points, np.int64), np.zeros(cells, np.int64)
    return Scratch(tables, cuts, low, high, np.empty(columns), varying, aside, histogram)


@compile_inline
def _bin_codes(
    points: Points,
    order: Integers,
    begin: int,
    end: int,
    column: int,
    low: int,
    high: int,
    most: int,
    tables: BinSums,
) -> int:
    """Groups the codes of one column in order[begin:end] into at most `most` bins of neighbouring codes.

    Writes the bins into `tables`; returns their number. `low`, `high`: bounds of the codes.
    """
    size, codes = end - begin, 0
    if high - low < 4 * size:
        tables.rank[: high - low + 1] = 0
        for index in range(begin, end):
            tables.rank[points.codes[order[index], column] - low] = 1
        for code in range(high - low + 1):
            if tables.rank[code]:
                tables.rank[code] = codes
                codes += 1
        for index in range(begin, end):
            tables.bin_of[index - begin] = tables.rank[points.codes[order[index], column] - low]
    else:
        occurring = np.empty(size, np.int64)
        for index in range(begin, end):
            occurring[index - begin] = points.codes[order[index], column]
        occurring.sort()
        for index in range(size):
            if index == 0 or occurring[index] != occurring[codes - 1]:
                occurring[codes] = occurring[index]
                codes += 1
        for index in range(begin, end):
            code = points.codes[order[index], column]
            tables.bin_of[index - begin] = np.searchsorted(occurring[:codes], code)
    bins = min(codes, most)
    tables.begin[: bins + 1] = FAR
    for index in range(begin, end):
        number = (
            tables.bin_of[index - begin] if codes <= most else tables.bin_of[index - begin] * most // codes
        )
        tables.bin_of[index - begin] = number
        tables.begin[number] = min(tables.begin[number], np.int64(points.codes[order[index], column]))
    return bins


@compile_inline
def _tabulate_bins(
    points: Points,
    order: Integers,
    begin: int,
    end: int,
    bins: int,
    varying: Integers,
    count: int,
    tables: BinSums,
) -> None:
    """Writes the running sums of records and weights, and the bounds, of each bin into `tables`."""
    for number in range(bins + 1):
        tables.records[number] = 0
        for at in range(count):
            column = varying[at]
            tables.weight[number, column] = 0
            tables.low[number, column] = 1 << 30
            tables.high[number, column] = -1
    for index in range(begin, end):
        point, number = order[index], tables.bin_of[index - begin]
        tables.records[number + 1] += points.sizes[point]
        for at in range(count):
            column = varying[at]
            code = points.codes[point, column]
            tables.weight[number + 1, column] += points.weights[point, column]
            tables.low[number, column] = min(tables.low[number, column], code)
            tables.high[number, column] = max(tables.high[number, column], code)
    for number in range(bins):
        tables.records[number + 1] += tables.records[number]
    for at in range(count):
        column = varying[at]
        tables.low_before[0, column] = tables.low_after[bins, column] = 1 << 30
        tables.high_before[0, column] = tables.high_after[bins, column] = -1
        low, high = tables.low_before[0, column], tables.high_before[0, column]
        for number in range(bins):
            tables.weight[number + 1, column] += tables.weight[number, column]
            low, high = min(low, tables.low[number, column]), max(high, tables.high[number, column])
            tables.low_before[number + 1, column], tables.high_before[number + 1, column] = low, high
        low, high = tables.low_after[bins, column], tables.high_after[bins, column]
        for back in range(bins - 1, -1, -1):
            low, high = min(low, tables.low[back, column]), max(high, tables.high[back, column])
            tables.low_after[back, column], tables.high_after[back, column] = low, high


@compile_inline
def _loss_of_cut(
    shapes: Shapes, tables: BinSums, first: int, last: int, weight: Floats, varying: Integers, count: int
) -> float:
    """Returns the information loss of a cut into two classes: the bins first..last - 1, and the others."""
    total = 0.0
    for at in range(count):
        column = varying[at]
        inside = tables.weight[last, column] - tables.weight[first, column]
        if first == 0:
            low, high = tables.low_before[last, column], tables.high_before[last, column]
        elif last == first + 1:
            low, high = tables.low[first, column], tables.high[first, column]
        else:
            low, high = tables.low[first, column], tables.high[first, column]
            for number in range(first + 1, last):
                low, high = min(low, tables.low[number, column]), max(high, tables.high[number, column])
        total += inside * range_penalty(shapes, column, low, high)
        low = min(tables.low_before[first, column], tables.low_after[last, column])
        high = max(tables.high_before[first, column], tables.high_after[last, column])
        total += (weight[column] - inside) * range_penalty(shapes, column, low, high)
    return total


@compile_inline
def _append_cuts_of_column(
    shapes: Shapes,
    column: int,
    bins: int,
    records: int,
    least: int,
    spare: Scratch,
    count: int,
    n_cuts: int,
    high: int,
) -> int:
    """Appends the candidate cuts of one column with at least `least` records on each side to `spare.cuts`.

    `n_cuts`: number of cuts so far; returns the new number. `bins`: number of bins of the column; `records`:
    number of records that are cut.
    """
    tables, cuts, start = spare.tables, spare.cuts, shapes.offset[column]
    tables.begin[bins] = high + 1
    for number in range(bins):
        node = np.int64(-1) if shapes.numeric[column] else tables.begin[number]
        while n_cuts < cuts.loss.size:
            if node < 0:
                first, last = 0, number + 1
            elif node < shapes.leaves[column]:
                first, last = number, number + 1
            else:
                # Each inner node once: from its first code that occurs.
                if number > 0 and tables.begin[number - 1] >= shapes.first[start + node]:
                    break
                first = number
                last = np.searchsorted(tables.begin[:bins], shapes.last[start + node] + 1)
            inside = tables.records[last] - tables.records[first]
            if inside == records:
                break
            if inside >= least and records - inside >= least:
                cuts.loss[n_cuts] = _loss_of_cut(
                    shapes, tables, first, last, spare.weight, spare.varying, count
                )
                cuts.column[n_cuts] = column
                cuts.low[n_cuts], cuts.high[n_cuts] = tables.begin[first], tables.begin[last]
                n_cuts += 1
            if node < 0:
                break
            node = shapes.parent[start + node]
    return n_cuts


@compile_inline
def _divide_points(
    points: Points, order: Integers, begin: int, end: int, column: int, low: int, high: int, aside: Integers
) -> int:
    """Partitions order[begin:end] in place: first the points with codes low..high - 1, then the rest.

    Returns the index at which the rest begins.
    """
    middle, rest = begin, 0
    for index in range(begin, end):
        point = order[index]
        if low <= points.codes[point, column] < high:
            order[middle] = point
            middle += 1
        else:
            aside[rest] = point
            rest += 1
    # By index: numba compiles two seconds longer for the error message of a slice.
    for index in range(rest):
        order[middle + index] = aside[index]
    return middle


@compile_kernel_helper
def _cut_at_least_loss(
    points: Points,
    order: Integers,
    begin: int,
    end: int,
    free: int,
    shapes: Shapes,
    rules: ClassRules,
    spare: Scratch,
    noise: float,
    coins: Chance,
) -> int:
    """Splits the points order[begin:end], in place, by the cut of least loss; returns the index of the cut.

    Both sides keep the criteria unless `free`. Returns `begin` if there is no such cut. `noise`: largest random change
    of the gain of a cut, relative to the gain.
    """
    records = fill_bounds_and_weights(points, order, begin, end, spare.low, spare.high, spare.weight)
    least = 1 if free else max(rules.k, 1)
    if records < 2 * least:
        return begin
    count, n_cuts, whole = list_varying_columns(spare.low, spare.high, spare.varying), 0, 0.0
    for at in range(count):
        column = spare.varying[at]
        whole += spare.weight[column] * range_penalty(shapes, column, spare.low[column], spare.high[column])
    for at in range(count):
        if rules.stop[0]:
            return begin
        column = spare.varying[at]
        low, high = spare.low[column], spare.high[column]
        most = MOST_BINS if shapes.numeric[column] else spare.tables.begin.size - 1
        bins = _bin_codes(points, order, begin, end, column, low, high, most, spare.tables)
        _tabulate_bins(points, order, begin, end, bins, spare.varying, count, spare.tables)
        n_cuts = _append_cuts_of_column(shapes, column, bins, records, least, spare, count, n_cuts, high)
    cuts = spare.cuts
    if noise:
        for cut in range(n_cuts):
            cuts.loss[cut] = whole - (whole - cuts.loss[cut]) * (1 - noise * random_fraction(coins))
    while True:
        best = np.argmin(cuts.loss[:n_cuts]) if n_cuts else 0
        if not n_cuts or cuts.loss[best] >= whole or rules.stop[0]:
            return begin
        middle = _divide_points(
            points, order, begin, end, cuts.column[best], cuts.low[best], cuts.high[best], spare.aside
        )
        if free or (
            points_keep_criteria(points, order, begin, middle, spare.histogram, rules)
            and points_keep_criteria(points, order, middle, end, spare.histogram, rules)
        ):
            return middle
        cuts.loss[best] = NOWHERE


@compile_inline
def _count_records(points: Points, order: Integers, begin: int, end: int) -> int:
    """Returns the number of records of the points order[begin:end]."""
    total = 0
    for index in range(begin, end):
        total += points.sizes[order[index]]
    return total


@compile_kernel_helper
def grow_cut_tree(
    points: Points,
    order: Integers,
    classes: Integers,
    shapes: Shapes,
    rules: ClassRules,
    spare: Scratch,
    ease: int,
    noise: float,
    coins: Chance,
) -> None:
    """Grows a partition tree over the points and sorts `order`, in place, along its leaves.

    Writes into classes[end] the begin of the class of the tree that ends there, -1 elsewhere. A set of at most `ease`
    records is always a class of the tree. If the search is stopped, every set that is not cut yet is a class.
    """
    classes[:] = -1
    stack = np.empty((order.size + 2, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, order.size, 0
    top = 1
    while top:
        top -= 1
        begin, end, free = stack[top]
        if not free and ease and _count_records(points, order, begin, end) <= ease:
            classes[end], free = begin, 1
        if free and (end - begin == 1 or rules.stop[0]):
            continue
        middle = _cut_at_least_loss(points, order, begin, end, free, shapes, rules, spare, noise, coins)
        if middle == begin:
            if not free:
                classes[end] = begin
                stack[top, 0], stack[top, 1], stack[top, 2] = begin, end, 1
                top += 1
            continue
        stack[top, 0], stack[top, 1], stack[top, 2] = middle, end, free
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = begin, middle, free
        top += 2
