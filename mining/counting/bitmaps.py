"""Counts on columns of bits as batches store them: any number of items, one AND per candidate.

Memory beyond the columns: one block of the columns that are used, one column for each choice that batches do not
store, and the queries.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mining.counting.paths import QuestionKinds
from mining.counts import NONE, Counts, Numbers, Queries, Query, as_queries
from mining.rows import distinct
from privacy.designs import Design
from privacy.records.columns import Columns, Words, places

BLOCK_BYTES = 5 << 17
"""Bytes of a block: 640 KiB of the usual megabyte of a processor's own cache."""

LEAST_WORDS, MOST_WORDS = 128, 4096


@dataclass(frozen=True)
class BitmapCounter:
    """`cache` is the folder of the compiled loop; `withheld`: the records have no plain answers and no places."""

    design: Design
    parts: Sequence[Columns]
    cache: Path
    withheld: bool = False

    @cached_property
    def n(self) -> tuple[int, int]:
        disguised = sum(int(np.bitwise_count(part.disguised).sum()) for part in self.parts)
        return sum(part.n for part in self.parts) - disguised, disguised

    @cached_property
    def kinds(self) -> QuestionKinds:
        return QuestionKinds(self.design)

    @cached_property
    def stored(self) -> list[int | None]:
        """The place of each column in a batch; None where it follows from others."""
        places_ = self.parts[0].places if self.parts else places(self.design)[0]
        choices = [place for question in places_ for place in question.choices]
        asked, applies = (
            [getattr(question, name) for question in places_] for name in ("asked", "applicable")
        )
        return [*asked, *applies, *choices]

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        paths, places = distinct(self.kinds.paths(asked), self.kinds.columns)
        counts = self._count(paths)[places]
        if self.withheld:
            counts[self.kinds.touches_withheld(asked)] = 0
        return counts

    def _count(self, paths: Numbers) -> Counts:
        """Counts of sorted and distinct paths."""
        counts = np.zeros((len(paths), 2), np.int64)
        empty = int(bool(len(paths)) and (not paths.shape[1] or paths[0, 0] == NONE))
        counts[:empty] = self.n
        if len(paths) > empty:
            self._add(paths[empty:], counts[empty:])
        return counts

    def _add(self, paths: Numbers, counts: Counts) -> None:
        from mining.counting.kernel import compiled  # late for cost

        tally = compiled(self.cache)
        is_used = np.zeros(self.kinds.columns + 1, np.bool_)
        is_used[paths] = True
        used = np.flatnonzero(is_used[:NONE])
        # Row 0 of a block is the group; the row that NONE gets here is never read.
        within = np.cumsum(is_used, dtype=np.int32)[paths]
        lengths = (paths != NONE).sum(axis=1, dtype=np.int32)
        shared = _shared(paths, lengths)
        words = int(np.clip(BLOCK_BYTES // 8 // len(used), LEAST_WORDS, MOST_WORDS))
        prefixes = np.empty((paths.shape[1], words), np.uint64)
        for block, filled in self._blocks(used, words):
            tally(block, filled, within, lengths, shared, prefixes, counts)

    def _blocks(self, used: NDArray[np.intp], most: int) -> Iterator[tuple[Words, int]]:
        """Blocks of the group and the used columns, at most `most` words each, with their number of words.

        The next block overwrites the one before.
        """
        block = np.empty((1 + len(used), most), np.uint64)
        filled = 0
        for part in self.parts:
            columns = [part.disguised, *(self._column(part, column) for column in used.tolist())]
            start, end = 0, len(columns[0])
            while start < end:
                take = min(most - filled, end - start)
                for row, column in zip(block, columns, strict=True):
                    row[filled : filled + take] = column[start : start + take]
                start, filled = start + take, filled + take
                if filled == most:
                    yield block, filled
                    filled = 0
        if filled:
            yield block, filled

    def _column(self, part: Columns, column: int) -> Words:
        place = self.stored[column]
        if place is not None:
            words: Words = part.words[place]
            return words
        questions, numbering = self.kinds.questions, self.kinds.numbering
        if column < questions:
            return part.asked(column)
        if column < 2 * questions:
            return part.answered(column - questions)
        return part.choice(*numbering.item(column - 2 * questions))


def _shared(paths: Numbers, lengths: NDArray[np.int32]) -> NDArray[np.int32]:
    """How many first columns of each path are already ANDed: those it shares with the path before, except the last
    of that one, whose AND is counted and not stored."""
    shared = np.zeros(len(paths), np.int32)
    equal = np.logical_and.accumulate(paths[1:] == paths[:-1], axis=1).sum(axis=1)
    shared[1:] = np.minimum(equal, lengths[:-1] - 1)
    return shared
