"""The anonymisation method *tree*, Candor's own: a partition tree that local search improves.

It changes no sensitive value. It cuts by loss gained as long as both sides keep every criterion; the best classes along
the order of its leaves; single records move to cheaper classes; then neighbouring classes are partitioned again until
the time is up. A search that is stopped early returns the classes that were cut so far.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.kernels import best_segments_of_order, partition_tree, random_numbers
from privacy.anonymity.kernels.class_lists_and_merging import allocate_classes
from privacy.anonymity.kernels.column_penalties import Points
from privacy.anonymity.kernels.compiled_kernels import tree_kernels
from privacy.anonymity.kernels.local_search import Pool
from privacy.anonymity.searches.kernel_arrays import (
    KernelArrays,
    points_and_record_order,
    prepare_kernel_arrays,
)
from privacy.anonymity.tables.specification import (
    Criteria,
    QuasiIdentifier,
    QuasiKind,
    Sensitive,
    Specification,
)
from privacy.anonymity.tables.table import Column, QuasiColumn, Table

Integers = NDArray[np.int64]
Enough = Callable[[int, float], bool]
"""Callback that ends the search by returning True; called with the tries so far and the loss to minimise."""

LEAST_POOL, POOL = 64, 12
"""Least number of records in the working space of the local search: this number, or this multiple of k."""
AT_ONCE = 20_000
"""Records partitioned again by local search between two calls of `enough`."""
PARTS_OF_K = 8
"""Divisor of k that limits how many equal records move from class to class together."""
LARGE_K, EASE = 40, 8
"""From this k on, sets of at most `EASE` times k records are cut without checking the criteria."""
MOST_ORDERS, ORDERED_POINTS = 8, 10_000
"""Most partition trees at the start, and the points of all trees together; a large table has one tree."""
NOISE = 0.25
"""Largest random increase of the gain of a cut, as a share, from the third tree on."""
SETTLED_AT_ONCE = 1_000
"""Classes whose points are moved between two checks of the stop flag."""
SWEEPS = 3
"""Times that each class is searched at first for points that cost less in another class."""


class TreeSearch:
    """A search for the best equivalence classes of one table by the method *tree*.

    `labels`: the class of each record in the best partition so far; `loss`: its loss; `losses`: the loss of each class.
    """

    def __init__(self, prepared: KernelArrays, seed: int) -> None:
        self._prepared, self._kernels = prepared, tree_kernels()
        self._coins = random_numbers.seed_random_state(seed)
        k, records = prepared.rules.k, len(prepared.records.codes)
        self._ease = EASE * k if k >= LARGE_K else 0
        self.labels, number = self._grow_best_tree()
        self._points, self._order = points_and_record_order(
            prepared.records, prepared.max_code_count, max(k // PARTS_OF_K, 1)
        )
        points = self._points
        self._classes = allocate_classes(len(points.codes), records // max(k, 1) + 1, points.codes.shape[1])
        labels = self.labels[self._order[points.start[:-1]]]
        self._kernels.fill_classes(self._classes, labels, number, points, prepared.shapes)
        self._move_points()
        self._write_labels()

    def _grow_best_tree(self) -> tuple[Integers, int]:
        """Grows several partition trees; returns the classes of the cheapest, by record, and their number."""
        records, shapes, rules, cells = self._prepared
        points, order = points_and_record_order(records, self._prepared.max_code_count)
        size = len(points.codes)
        along, classes, steps = (
            np.empty(size, np.int64),
            np.empty(size + 1, np.int64),
            best_segments_of_order.allocate_best_segments(size),
        )
        spare = partition_tree.allocate_scratch(size, shapes, cells)
        least, labels, number = np.inf, np.empty(len(order), np.int64), 0
        for attempt in range(min(MOST_ORDERS, ORDERED_POINTS // size + 1)):
            along[:] = np.arange(size)
            # The second order is the other way to cut, without noise.
            ease = self._ease if attempt % 2 == 0 else EASE * rules.k - self._ease
            noise = NOISE if attempt > 1 else 0.0
            cost = self._kernels.partition_points(
                points, along, classes, shapes, rules, spare, steps, ease, noise, self._coins
            )
            if cost < least and (attempt == 0 or not rules.stop[0]):
                least, number = cost, self._kernels.label_segments(points, along, steps, labels)
        by_record = np.empty(len(order), np.int64)
        by_record[order] = labels
        return by_record, number

    def _move_points(self) -> None:
        """Moves points (equal records) to cheaper classes, `SWEEPS` times over all or until stopped."""
        _records, shapes, rules, cells = self._prepared
        histogram, givers = np.zeros(cells, np.int64), np.arange(self._classes.number[0])
        for start in [*range(0, len(givers), SETTLED_AT_ONCE)] * SWEEPS:
            if rules.stop[0]:
                break
            some = givers[start : start + SETTLED_AT_ONCE]
            self._kernels.move_points(self._points, shapes, rules, self._classes, some, histogram)

    def improve(self, enough: Enough, tries: int | None = None) -> int:
        """Improves the partition by local search and updates `labels`; returns the number of tries.

        Ends after `tries` tries, when `enough` returns True, or when the search is stopped.
        """
        _records, shapes, rules, cells = self._prepared
        classes, number = self._classes, self._classes.number
        room = max(LEAST_POOL, POOL * rules.k, 2 * int(classes.size[: number[0]].max()))
        pool, spare = _allocate_pool(self._points, room), partition_tree.allocate_scratch(room, shapes, cells)
        count, step = 0, max(AT_ONCE // room, 10)
        while count != tries and not rules.stop[0] and not enough(count, self._loss_and_size_cost()):
            most = step if tries is None else min(step, tries - count)
            count += self._kernels.improve_partition(
                self._points, shapes, rules, classes, pool, spare, self._ease, self._coins, most
            )
        self._write_labels()
        return count

    def _loss_and_size_cost(self) -> float:
        """Returns the cost that the search minimises: the loss, plus a little for large classes."""
        number, spread = self._classes.number[0], self._prepared.rules.spread
        sizes = self._classes.size[:number].astype(np.float64)
        return float(self._classes.loss[:number].sum() + spread * (sizes**2).sum())

    def _write_labels(self) -> None:
        """Updates `labels`, `loss` and `losses` from the present classes of the search."""
        labels = np.empty(len(self._points.codes), np.int64)
        self.loss = float(self._kernels.write_labels_and_loss(self._classes, labels))
        self.losses = self._classes.loss[: self._classes.number[0]].copy()
        self.labels[self._order] = np.repeat(labels, self._points.sizes)


def _allocate_pool(records: Points, room: int) -> Pool:
    """Allocates the working space in which local search partitions at most `room` records again."""
    columns, views = records.codes.shape[1], records.cells.shape[1]
    points = Points(
        np.empty((room, columns), np.int32),
        np.ones(room, np.int64),
        np.empty((room, columns)),
        np.zeros(room + 1, np.int64),
        np.empty((room, views), np.int32),
    )
    return Pool(
        points,
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room + 1, np.int64),
        np.empty(room, np.int64),
        best_segments_of_order.allocate_best_segments(room),
    )


def load_tree_kernels() -> None:
    """Loads the compiled functions of the method *tree*, or compiles them first, for a minute."""
    position, code = np.array([0.0, 1.0]), np.array([0, 0, 1, 1], np.int32)
    table = Table((QuasiColumn("q", ("0", "1"), code, position),), (Column("s", ("0", "1"), code[::-1]),))
    criteria = Criteria(2, max_frequency=None)
    specification = Specification((QuasiIdentifier("q", QuasiKind.ORDERED),), (Sensitive("s"),), criteria)
    search = TreeSearch(prepare_kernel_arrays(table, specification), 0)
    search.improve(lambda tries, _loss: tries > 0)
