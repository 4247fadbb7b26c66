"""Open records without their plain answers and places, as they leave the product (docs/mathematics.md, What leaves)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mining.counting.paths import QuestionKinds
from mining.counts import Counter, CounterWrapper, Counts, Queries, Query, as_queries


@dataclass(frozen=True)
class OpenWithoutPlain(CounterWrapper):
    """No open record counts in a query about a plain question or a place."""

    counter: Counter

    @cached_property
    def _kinds(self) -> QuestionKinds:
        return QuestionKinds(self.design)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        counts = self.counter.count(asked).copy()
        counts[self._kinds.touches_withheld(asked), 0] = 0
        return counts
