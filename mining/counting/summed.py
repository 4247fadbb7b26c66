"""Counts add up: over batches, over shards, over what a file tells of some respondents only."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mining.counts import Counter, Counts, Queries, Query, as_queries
from privacy.designs import Design


@dataclass(frozen=True)
class SummedCounter:
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
