"""Replays a search on the counts that shards have stored, up to the first query that they have not counted.

The search starts from its beginning each time. The first call with a missing count ends it, and the missing queries are
the next level of the shards. So only counts are stored, and the result is bit by bit that of an uninterrupted search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mining.counting.paths import QuestionKinds
from mining.counts import NONE, Counter, Counts, Numbers, Queries, Query, as_queries, stacked
from mining.rows import RowIndex, distinct
from privacy.designs import Design

NOTHING = Queries(*(np.empty((0, 0), np.int32) for _ in range(3)))
"""No queries: the shards count their records alone."""


R = TypeVar("R")


class _NotCounted(Exception):
    """Ends a search; `asked` are the queries of the next level."""

    def __init__(self, asked: Queries) -> None:
        super().__init__("these queries must be counted next")
        self.asked = asked


@dataclass(frozen=True)
class LevelCounts:
    """The counts of all shards at one level, summed; one row for each query."""

    asked: Queries
    n: tuple[int, int]
    counts: Counts

    def plus(self, n: tuple[int, int], counts: Counts) -> "LevelCounts":
        """Add the counts of another shard."""
        return LevelCounts(self.asked, (self.n[0] + n[0], self.n[1] + n[1]), self.counts + counts)


@dataclass(frozen=True)
class Replayed:
    """A counter on the levels that are counted, at least one."""

    design: Design
    answers: Sequence[LevelCounts]

    @cached_property
    def n(self) -> tuple[int, int]:
        return self.answers[0].n

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        places = self._places(self._kinds.paths(asked))
        missing = np.flatnonzero(places == NONE)
        if len(missing):
            raise _NotCounted(without_duplicates(self._kinds, asked.take(missing)))
        return self._counts[places]

    @cached_property
    def _kinds(self) -> QuestionKinds:
        return QuestionKinds(self.design)

    @cached_property
    def _paths(self) -> Numbers:
        """The empty path, which counts every record, and the paths of the queries that are counted."""
        everybody = np.empty((1, 0), np.int32)
        return stacked([everybody, *(self._kinds.paths(answer.asked) for answer in self.answers)])

    @cached_property
    def _counts(self) -> Counts:
        return np.concatenate([np.array([self.n], np.int64), *(answer.counts for answer in self.answers)])

    @cached_property
    def _known(self) -> RowIndex:
        return RowIndex(self._paths, self._kinds.columns)

    def _places(self, paths: Numbers) -> NDArray[np.intp]:
        """The row of each path in `_paths`; NONE: it is not counted."""
        width = self._paths.shape[1]
        same_width = np.full((len(paths), width), NONE, np.int32)
        same_width[:, : paths.shape[1]] = paths[:, :width]
        places = self._known.places(same_width)
        # A path with more columns than any known one is not among them.
        places[(paths[:, width:] != NONE).any(axis=1)] = NONE
        return places


def replay(search: Callable[[Counter], R], design: Design, answers: Sequence[LevelCounts]) -> R | Queries:
    """The result of the search on these counts, or the queries that must be counted next."""
    try:
        return search(Replayed(design, answers))
    except _NotCounted as more:
        return more.asked


def without_duplicates(kinds: QuestionKinds, queries: Queries) -> Queries:
    """The first of queries with the same meaning, in the order of their paths; without those that count all records."""
    paths, places = distinct(kinds.paths(queries), kinds.columns)
    _, first = np.unique(places, return_index=True)
    return queries.take(first[(paths != NONE).any(axis=1)])
