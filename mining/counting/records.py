"""The records to mine, as columns from batches or files, and the counter that suits them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mining.counting.bitmaps import BitmapCounter
from mining.counting.histogram import PatternHistogram, fits
from mining.counting.histogram_counter import HistogramCounter
from mining.counts import Counter, Counts, Queries, Query, as_queries
from privacy.designs import Design
from privacy.records.columns import Columns


@dataclass(frozen=True)
class SummedCounter:
    """Adds up the counts of several counters: those of records with plain answers, and of records without."""

    design: Design
    counters: Sequence[Counter]

    @property
    def n(self) -> tuple[int, int]:
        return sum(counter.n[0] for counter in self.counters), sum(counter.n[1] for counter in self.counters)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        counts = np.zeros((len(asked), 2), np.int64)
        for counter in self.counters:
            counts += counter.count(asked)
        return counts


@dataclass(frozen=True)
class MinedRecords:
    """The records of a file or of batches as packed columns; `design` is the mined one.

    `without_plain` are records without their plain answers and places: those columns mean nothing.
    """

    design: Design
    complete: Sequence[Columns]
    without_plain: Sequence[Columns] = ()

    @property
    def n(self) -> int:
        return sum(part.n for part in (*self.complete, *self.without_plain))

    def counter(self, cache: Path) -> Counter:
        """Counts by histogram or by bitmaps; `cache` is the folder of the compiled loop."""
        if not self.without_plain:
            return counter_of(self.design, self.complete, cache)
        without_plain = counter_of(self.design, self.without_plain, cache, withheld=True)
        return SummedCounter(self.design, [counter_of(self.design, self.complete, cache), without_plain])


def counter_of(
    design: Design,
    parts: Sequence[Columns],
    cache: Path,
    *,
    withheld: bool = False,
    all_drawn: bool = False,
) -> Counter:
    """`design` is the mined one; `all_drawn`: the records hold true answers, to all questions."""
    if fits(design, sum(part.n for part in parts), all_drawn=all_drawn):
        return HistogramCounter(PatternHistogram.of(design, parts), withheld)
    return BitmapCounter(design, parts, cache, withheld, exact=all_drawn)
