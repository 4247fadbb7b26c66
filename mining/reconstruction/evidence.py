"""The evidence of supports: intervals, pointwise and after a search, and p against a threshold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ContingencyTable
from mining.inference.intervals import exact_interval, exact_p, one_sided, share_interval
from mining.inference.score import BATCH, Test, batches, support_test
from mining.reconstruction.contingency import sum_of_groups
from mining.reconstruction.intervals import Parabola
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import Tally

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class EvidenceRequest:
    """z0 of the intervals after a search, and the threshold that supports are tested against; None: without these."""

    level_after: float | None = None
    threshold: float | None = None


@dataclass(frozen=True)
class Evidence:
    """One row per itemset, NaN until it is filled in; `p` is one-sided: the support against the threshold."""

    low: Floats
    high: Floats
    low_after: Floats
    high_after: Floats
    p: Floats

    @classmethod
    def nothing(cls, rows: int) -> "Evidence":
        return cls(*(np.full(rows, np.nan) for _ in range(5)))

    def add_exact(self, rows: Rows, tally: Tally, wanted: EvidenceRequest) -> None:
        """Itemsets of plain items alone, which are counted: Clopper and Pearson, and the binomial probability."""
        containing, records = sum_of_groups(tally.supersets[-1]), sum_of_groups(tally.base)
        self.low[rows], self.high[rows] = exact_interval(containing, records)
        if wanted.level_after is not None:
            self.low_after[rows], self.high_after[rows] = exact_interval(
                containing, records, wanted.level_after
            )
        if wanted.threshold is not None:
            self.p[rows] = exact_p(containing, records, wanted.threshold)

    def add_tests(self, tables: Sequence[tuple[Rows, ContingencyTable]], wanted: EvidenceRequest) -> None:
        """The `stratified` estimator: score tests."""
        for rows, test in batches(_tests(tables)):
            self.low[rows], self.high[rows] = share_interval(test)
            if wanted.level_after is not None:
                self.low_after[rows], self.high_after[rows] = share_interval(test, wanted.level_after)
            if wanted.threshold is not None:
                self.p[rows] = one_sided(test.z(np.full(len(rows), wanted.threshold)))

    def add_parabola(self, rows: Rows, parabola: Parabola, wanted: EvidenceRequest) -> None:
        """The `pooled` and the `combined` estimator."""
        self.low[rows], self.high[rows] = parabola.interval()
        if wanted.level_after is not None:
            self.low_after[rows], self.high_after[rows] = parabola.interval(wanted.level_after)
        if wanted.threshold is not None:
            self.p[rows] = one_sided(parabola.z(wanted.threshold))


def _tests(tables: Sequence[tuple[Rows, ContingencyTable]]) -> Iterator[tuple[Rows, Test]]:
    for rows, table in tables:
        for start in range(0, len(rows), BATCH):
            chunk = slice(start, start + BATCH)
            yield rows[chunk], support_test(table.take(chunk))
