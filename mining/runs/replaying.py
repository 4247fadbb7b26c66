"""A counter that knows what shards have counted so far, and says what they must count next.

A search is gone through again from its beginning, and is told every count that is known. The first question with a
count that is not known ends it, and what is missing goes to the shards. Nothing of a search is stored but counts, and
the worker that goes on with it comes to the same digits as a search that was never interrupted.
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
"""Asks how many records there are, which every answer says."""


R = TypeVar("R")


class _NotCounted(Exception):
    """Ends a search; `asked` are the queries of the next level."""

    def __init__(self, asked: Queries) -> None:
        super().__init__("these queries must be counted next")
        self.asked = asked


@dataclass(frozen=True)
class LevelCounts:
    """The counts of all shards together, one row for each of these queries."""

    asked: Queries
    n: tuple[int, int]
    counts: Counts

    def plus(self, n: tuple[int, int], counts: Counts) -> "LevelCounts":
        """With what another shard counted."""
        return LevelCounts(self.asked, (self.n[0] + n[0], self.n[1] + n[1]), self.counts + counts)


@dataclass(frozen=True)
class Replayed:
    """Counts from at least one answer, which says how many records there are."""

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
        """The path of no column, which every record is counted by, and those that were answered."""
        everybody = np.empty((1, 0), np.int32)
        return stacked([everybody, *(self._kinds.paths(answer.asked) for answer in self.answers)])

    @cached_property
    def _counts(self) -> Counts:
        return np.concatenate([np.array([self.n], np.int64), *(answer.counts for answer in self.answers)])

    @cached_property
    def _known(self) -> RowIndex:
        return RowIndex(self._paths, self._kinds.columns)

    def _places(self, paths: Numbers) -> NDArray[np.intp]:
        """The row of each path among `_paths`; NONE: it was not counted."""
        width = self._paths.shape[1]
        same_width = np.full((len(paths), width), NONE, np.int32)
        same_width[:, : paths.shape[1]] = paths[:, :width]
        places = self._known.places(same_width)
        # Every known path has fewer columns than these.
        places[(paths[:, width:] != NONE).any(axis=1)] = NONE
        return places


def replay(search: Callable[[Counter], R], design: Design, answers: Sequence[LevelCounts]) -> R | Queries:
    """What a search finds with these answers, or what must be counted next for it."""
    try:
        return search(Replayed(design, answers))
    except _NotCounted as more:
        return more.asked


def without_duplicates(kinds: QuestionKinds, queries: Queries) -> Queries:
    """Of queries that mean the same the first, in the order of their paths, and none that every record meets."""
    paths, places = distinct(kinds.paths(queries), kinds.columns)
    _, first = np.unique(places, return_index=True)
    return queries.take(first[(paths != NONE).any(axis=1)])
