"""*tree*, our own method: nothing is falsified, nothing left out.

Cuts by loss gained as long as both sides keep every criterion; the best classes along the order of its leaves; then
neighbouring classes are partitioned anew until the time is up. There is a result at every moment after the first.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.kernels import chance, cutting, segments
from privacy.anonymity.kernels.classes import Classes, room_for
from privacy.anonymity.kernels.compiling import compiled
from privacy.anonymity.kernels.geometry import Points
from privacy.anonymity.kernels.repartition import Pool
from privacy.anonymity.prepared import Prepared, joined, prepare
from privacy.anonymity.specification import Criteria, QuasiIdentifier, QuasiKind, Sensitive, Specification
from privacy.anonymity.table import Column, QuasiColumn, Table

Integers = NDArray[np.int64]
Enough = Callable[[int, float], bool]
"""Asked with the tries so far and the loss; True: stop."""

LEAST_POOL, POOL = 64, 12
"""A pool holds up to so many records, or so many times k."""
AT_ONCE = 20_000
"""Records that are partitioned anew between two questions."""
SWEEPS = 3
LARGE_K, EASE = 20, 8
PARTS_OF_K = 8
"""Equal records go together from class to class, at most so many of k at once."""


class Tree:
    """The search on one table; `labels` is the best partition so far, `loss` its loss."""

    def __init__(self, prepared: Prepared, cache: Path, seed: int) -> None:
        self._prepared, self._kernels = prepared, compiled(cache)
        self._coins = chance.seeded(seed)
        self.labels = np.zeros(len(prepared.records.codes), np.int64)
        self._begin()
        self._points, self._order = joined(prepared.records, prepared.most_codes, self._together)
        self._classes = self._classes_of_labels()
        self._settle()
        self._finish()

    @property
    def _together(self) -> int:
        return max(self._prepared.rules.k // PARTS_OF_K, 1)

    def _begin(self) -> None:
        records, shapes, rules, cells = self._prepared
        points, order = joined(records, self._prepared.most_codes)
        along = np.arange(len(points.codes))
        spare = cutting.scratch(len(along), shapes, cells)
        classes, steps = np.empty(len(along) + 1, np.int64), segments.steps_for(len(along))
        ease = EASE * rules.k if rules.k >= LARGE_K else 0
        self._kernels.partition(
            points, along, classes, shapes, rules, spare, steps, ease, 0.0, self._coins
        )
        labels = np.empty(len(order), np.int64)
        self._number = self._kernels.label(points, along, steps, labels)
        self.labels[order] = labels

    def _classes_of_labels(self) -> Classes:
        points = self._points
        labels = self.labels[self._order[points.start[:-1]]]
        most = len(self.labels) // max(self._prepared.rules.k, 1) + 1
        classes = room_for(len(points.codes), most, points.codes.shape[1])
        self._kernels.begin(classes, labels, self._number, points, self._prepared.shapes)
        return classes

    def _settle(self) -> None:
        histogram = np.zeros(self._prepared.cells, np.int64)
        for _sweep in range(SWEEPS):
            self._kernels.settle(
                self._points,
                self._prepared.shapes,
                self._prepared.rules,
                self._classes,
                np.arange(self._number),
                histogram,
            )

    def _finish(self) -> None:
        labels = np.empty(len(self._points.codes), np.int64)
        self.loss = float(self._kernels.finish(self._classes, labels))
        self.labels[self._order] = np.repeat(labels, self._points.sizes)
        self._number = int(self._classes.number[0])

    def improve(self, enough: Enough) -> None:
        """Partition neighbouring classes anew until `enough` says so."""
        records, shapes, rules, cells = self._prepared
        classes, number = self._classes, self._classes.number
        room = max(LEAST_POOL, POOL * rules.k, 2 * int(classes.size[: number[0]].max()))
        pool, spare = _pool(records, room), cutting.scratch(room, shapes, cells)
        tries, step = 0, max(AT_ONCE // room, 10)
        while not enough(tries, float(classes.loss[: number[0]].sum())):
            self._kernels.improve(
                self._points, shapes, rules, classes, pool, spare, self._coins, step
            )
            tries += step
        self._finish()


def _pool(records: Points, room: int) -> Pool:
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
        segments.steps_for(room),
    )


def warm(cache: Path) -> None:
    """Compile the kernels of this search (half a minute) or load them from `cache` (a fraction of a second)."""
    position, code = np.array([0.0, 1.0]), np.array([0, 0, 1, 1], np.int32)
    table = Table((QuasiColumn("q", ("0", "1"), code, position),), (Column("s", ("0", "1"), code[::-1]),))
    criteria = Criteria(2, max_frequency=None)
    said = Specification((QuasiIdentifier("q", QuasiKind.ORDERED),), (Sensitive("s"),), criteria)
    search = Tree(prepare(table, said), cache, 0)
    search.improve(lambda tries, _loss: tries > 0)
