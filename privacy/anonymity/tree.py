"""*tree*, our own method: nothing is falsified, nothing left out.

Cuts by loss gained as long as both sides keep every criterion; the best classes along the order of its leaves; then
neighbouring classes are partitioned anew until the time is up. There is a result at every moment after the first.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.kernels import chance, cutting, segments
from privacy.anonymity.kernels.compiling import compiled
from privacy.anonymity.kernels.geometry import Points
from privacy.anonymity.kernels.repartition import Classes, Pool
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


class Tree:
    """The search on one table; `labels` is the best partition so far, `loss` its loss."""

    def __init__(self, prepared: Prepared, cache: Path, seed: int) -> None:
        self._prepared, self._kernels = prepared, compiled(cache)
        self._coins = chance.seeded(seed)
        self.labels = np.zeros(len(prepared.records.codes), np.int64)
        self.loss = self._begin()

    def _begin(self) -> float:
        records, shapes, rules, cells = self._prepared
        points, order = joined(records, int(shapes.leaves.max()))
        along = np.arange(len(points.codes))
        spare = cutting.scratch(len(along), shapes, cells)
        classes, steps = np.empty(len(along) + 1, np.int64), segments.steps_for(len(along))
        loss = self._kernels.partition(points, along, classes, shapes, rules, spare, steps, 0.0, self._coins)
        labels = np.empty(len(order), np.int64)
        self._number = self._kernels.label(points, along, steps, labels)
        self.labels[order] = labels
        return float(loss)

    def improve(self, enough: Enough) -> None:
        """Partition neighbouring classes anew until `enough` says so."""
        records, shapes, rules, cells = self._prepared
        room = max(LEAST_POOL, POOL * rules.k, 2 * int(np.bincount(self.labels).max()))
        pool = _pool(records, room)
        spare = cutting.scratch(room, shapes, cells)
        classes = _classes(records)
        self._kernels.begin(classes, self.labels, self._number, records, shapes)
        tries, step = 0, max(AT_ONCE // room, 10)
        while not enough(tries, self.loss):
            self.loss -= self._kernels.improve(
                records, shapes, rules, classes, pool, spare, self._coins, step
            )
            tries += step
        self._kernels.finish(classes, self.labels)
        self._number = int(classes.number[0])


def _pool(records: Points, room: int) -> Pool:
    columns, views = records.codes.shape[1], records.cells.shape[1]
    points = Points(
        np.empty((room, columns), np.int32),
        np.ones(room, np.int64),
        np.empty((room, columns)),
        np.arange(room + 1),
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


def _classes(records: Points) -> Classes:
    size, columns = records.codes.shape
    return Classes(
        np.zeros(1, np.int64),
        np.empty(size + 1, np.int64),
        np.empty(size, np.int64),
        np.empty(size + 1, np.int64),
        np.empty(size + 1),
        np.empty((size + 1, columns), np.int64),
        np.empty((size + 1, columns), np.int64),
        np.empty((size + 1, columns)),
    )


def warm(cache: Path) -> None:
    """Compile the kernels of this search (half a minute) or load them from `cache` (a fraction of a second)."""
    position, code = np.array([0.0, 1.0]), np.array([0, 0, 1, 1], np.int32)
    table = Table((QuasiColumn("q", ("0", "1"), code, position),), (Column("s", ("0", "1"), code[::-1]),))
    criteria = Criteria(2, max_frequency=None)
    said = Specification((QuasiIdentifier("q", QuasiKind.ORDERED),), (Sensitive("s"),), criteria)
    search = Tree(prepare(table, said), cache, 0)
    search.improve(lambda tries, _loss: tries > 0)
