"""The evidence of supports: intervals of each alone, and at its place in a list."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ContingencyTable
from mining.inference.intervals import NORMAL_95, exact_interval, share_ends
from mining.inference.score import BATCH, Test, batches, support_test
from mining.reconstruction.contingency import sum_of_groups
from mining.reconstruction.intervals import Parabola
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import Tally

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Evidence:
    """One row per itemset, NaN until it is filled in; `low_listed` and `high_listed`: as in a list."""

    low: Floats
    high: Floats
    low_listed: Floats
    high_listed: Floats

    @classmethod
    def nothing(cls, rows: int) -> "Evidence":
        return cls(*(np.full(rows, np.nan) for _ in range(4)))

    def add_exact(self, rows: Rows, tally: Tally, levels: Floats | None) -> None:
        """Itemsets of plain items alone, which are counted: Clopper and Pearson."""
        containing, records = sum_of_groups(tally.supersets[-1]), sum_of_groups(tally.base)
        self.low[rows], self.high[rows] = exact_interval(containing, records)
        if levels is not None:
            ends = exact_interval(containing, records, levels[rows])
            self.low_listed[rows], self.high_listed[rows] = ends

    def add_tests(self, tables: Sequence[tuple[Rows, ContingencyTable]], levels: Floats | None) -> None:
        """The `stratified` estimator: score tests."""
        for rows, test in batches(_tests(tables)):
            both = np.full((len(rows), 1 + (levels is not None)), NORMAL_95)
            if levels is not None:
                both[:, 1] = levels[rows]
            low, high = share_ends(test, both)
            self.low[rows], self.high[rows] = low[:, 0], high[:, 0]
            if levels is not None:
                self.low_listed[rows], self.high_listed[rows] = low[:, 1], high[:, 1]

    def add_parabola(self, rows: Rows, parabola: Parabola, levels: Floats | None) -> None:
        """The `pooled` and the `combined` estimator."""
        self.low[rows], self.high[rows] = parabola.interval()
        if levels is not None:
            self.low_listed[rows], self.high_listed[rows] = parabola.interval(levels[rows])


def _tests(tables: Sequence[tuple[Rows, ContingencyTable]]) -> Iterator[tuple[Rows, Test]]:
    for rows, table in tables:
        for start in range(0, len(rows), BATCH):
            chunk = slice(start, start + BATCH)
            yield rows[chunk], support_test(table.take(chunk))
