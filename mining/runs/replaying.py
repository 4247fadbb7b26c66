"""A counter that knows what shards have counted so far, and says what they must count next.

A search asks its counter once a level. So what was answered is answered again, in the same order, and the first
question that nobody has answered yet ends the search and goes to the shards. Nothing of a search is stored but
counts, and whoever goes on with it comes to the same digits as a search that was never interrupted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mining.counting.paths import Kinds
from mining.counts import NONE, Counts, Queries, Query, as_queries
from mining.runs.packing import fingerprint, pack
from privacy.designs import Design

NOTHING = Queries(*(np.empty((0, 0), np.int32) for _ in range(3)))
"""Asks how many records there are, which every answer says."""


class NotCountedYet(Exception):
    """`asked` are the packed queries of the next level."""

    def __init__(self, asked: bytes) -> None:
        super().__init__("these queries must be counted next")
        self.asked = asked


class Changed(Exception):
    """The search asks something else than it did before: it is not the same program any more."""


@dataclass(frozen=True)
class Answer:
    """The counts of all shards together; `question` is the hash of what was asked."""

    question: str
    n: tuple[int, int]
    counts: Counts


@dataclass
class Replayed:
    design: Design
    answers: Sequence[Answer]
    given: int = field(default=0, init=False)

    @cached_property
    def n(self) -> tuple[int, int]:
        return self._answer(NOTHING).n

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        n = np.array(self.n, np.int64)
        if (Kinds(self.design).paths(asked) == NONE).all():
            # Every record is counted, so no shard need look.
            return np.tile(n, (len(asked), 1))
        return self._answer(asked).counts

    def _answer(self, queries: Queries) -> Answer:
        asked = pack(queries)
        if self.given == len(self.answers):
            raise NotCountedYet(asked)
        answer = self.answers[self.given]
        if answer.question != fingerprint(asked):
            raise Changed
        self.given += 1
        return answer
