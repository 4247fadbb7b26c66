"""The evidence of supports: intervals of each, at several levels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ContingencyTable
from mining.inference.intervals import Interval, by_levels, exact_interval, share_ends
from mining.inference.score import BATCH, Test, batches, support_test
from mining.reconstruction.contingency import sum_of_groups
from mining.reconstruction.intervals import Parabola
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import Tally

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Evidence:
    """The intervals of itemsets, NaN until they are filled in: itemset by level by end."""

    levels: Floats
    ends: Floats

    @classmethod
    def at(cls, levels: Floats) -> "Evidence":
        """`levels`: z0 by itemset and level."""
        return cls(levels, np.full((*levels.shape, 2), np.nan))

    def add_exact(self, rows: Rows, tally: Tally) -> None:
        """Itemsets of plain items alone, which are counted: Clopper and Pearson."""
        containing, records = sum_of_groups(tally.supersets[-1]), sum_of_groups(tally.base)
        self._add(rows, exact_interval(containing[:, None], records[:, None], self.levels[rows]))

    def add_tests(self, tables: Sequence[tuple[Rows, ContingencyTable]]) -> None:
        """The `stratified` estimator: score tests."""
        for rows, test in batches(_tests(tables)):
            self._add(rows, share_ends(test, self.levels[rows]))

    def add_parabola(self, rows: Rows, parabola: Parabola) -> None:
        """The `pooled` and the `combined` estimator."""
        self.ends[rows] = by_levels(parabola.interval, self.levels[rows])

    def _add(self, rows: Rows, ends: Interval) -> None:
        self.ends[rows] = np.stack(ends, axis=-1)


def _tests(tables: Sequence[tuple[Rows, ContingencyTable]]) -> Iterator[tuple[Rows, Test]]:
    for rows, table in tables:
        for start in range(0, len(rows), BATCH):
            chunk = slice(start, start + BATCH)
            yield rows[chunk], support_test(table.take(chunk))
