"""Bitmap counter: counts records by AND over the packed bit columns of batches, for any number of items.

Memory beyond the columns: for each thread its counts and, where blocks are copied, one block of the columns that are
used; one column for each choice that batches do not store, and the queries.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import attrgetter, length_hint
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mining.counting.queries_to_column_paths import ColumnNumbering
from mining.counting.score_sums import (
    CodeTable,
    count_scored_codes,
    paths_without_scores,
    rows_by_score_questions,
    sum_score_products_over_records,
    sum_scores_of_one_question,
)
from mining.distinct_rows import distinct_rows
from mining.queries_and_counters import NONE, Counts, Numbers, Queries, Query, as_queries
from privacy.designs import Design
from privacy.records.batch_bit_columns import WORD, Columns, Words, question_columns, unpack_bits

BLOCK_BYTES = 5 << 17
"""Size of a block of columns in bytes: 640 KiB of the usual megabyte of a processor core's cache."""

LEAST_WORDS, MOST_WORDS = 128, 4096
CODES_AT_ONCE = 1 << 22
"""Largest number of counts (path by group by code) in memory at a time, over all threads: 32 MB."""

LOOK_SECONDS = 0.1
"""Seconds between two calls of the watch callback."""

Kernel = Callable[..., None]

Watch = Callable[[float], object]
"""Callback: called now and then with the share of the records that is counted; an exception from it ends the count."""


def ignore_progress(_share: float) -> None:
    pass


@dataclass(frozen=True)
class BitmapCounter:
    """Counter that counts queries on packed columns of bits, block by block, in several threads.

    `withheld`: the records have no plain answers and no places. `exact`: the records hold true answers in both groups.
    `watch` is called in the calling thread with the finished share.
    """

    design: Design
    parts: Sequence[Columns]
    withheld: bool = False
    exact: bool = False
    threads: int = 1
    watch: Watch = ignore_progress

    @cached_property
    def n(self) -> tuple[int, int]:
        disguised = sum(int(np.bitwise_count(part.disguised).sum()) for part in self.parts)
        return sum(part.n for part in self.parts) - disguised, disguised

    @cached_property
    def group_spans(self) -> "list[_Span]":
        """The ranges of words to count: those with open records, those with both groups, those with disguised ones."""
        return _spans_by_group(self.parts)

    @cached_property
    def column_numbering(self) -> ColumnNumbering:
        return ColumnNumbering(self.design)

    @cached_property
    def stored_index_by_column(self) -> list[int | None]:
        """Index in a batch of each numbered column; None if batches do not store the column and it is computed."""
        places_ = self.parts[0].places if self.parts else question_columns(self.design)[0]
        sizes = self.column_numbering.numbering.sizes.tolist()
        choices = [
            index
            for question, size in zip(places_, sizes, strict=True)
            for index in question.choices or (None,) * size
        ]
        asked, applies = (
            [getattr(question, name) for question in places_] for name in ("asked", "applicable")
        )
        return [*asked, *applies, *choices]

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        counts = np.empty((len(asked), 2), np.int64)
        counted = np.ones(len(asked), np.bool_)
        for rows, questions in rows_by_score_questions(self.column_numbering, asked):
            counts[rows] = self._score_sums(asked.take(rows), questions)
            counted[rows] = False
        paths, places = distinct_rows(
            self.column_numbering.column_paths(asked.take(counted)), self.column_numbering.column_count
        )
        counts[counted] = self._count_records_by_path(paths)[places]
        if self.withheld:
            counts[self.column_numbering.touches_withheld(asked)] = 0
        return counts

    def _count_records_by_path(self, paths: Numbers) -> Counts:
        """Returns the numbers of open and of disguised records that have all columns of each path; the `paths` are
        sorted and distinct."""
        counts = np.zeros((len(paths), 2), np.int64)
        empty = int(bool(len(paths)) and (not paths.shape[1] or paths[0, 0] == NONE))
        counts[:empty] = self.n
        if len(paths) > empty:
            from mining.counting.counting_kernel import compile_counting_loop  # late for cost

            self._add_counts(compile_counting_loop(), paths[empty:], counts[empty:], self.parts)
        return counts

    def _score_sums(self, queries: Queries, questions: tuple[int, ...]) -> Counts:
        """Returns, for each query, the sums of scores of open and of disguised records; all queries have items of the
        same score questions (`questions`, by index)."""
        kinds = self.column_numbering
        if len(questions) > 1:

            def read_part_column(index: int, column: int) -> Words:
                return self._read_column(self.parts[index], column)

            return sum_score_products_over_records(
                kinds, queries, questions, self.parts, read_part_column, exact=self.exact, watch=self.watch
            )
        paths, places = distinct_rows(paths_without_scores(kinds, queries), kinds.column_count)
        sums = np.empty((len(queries), 2), np.int64)
        at_once = max(1, CODES_AT_ONCE // (2 * count_scored_codes(self.design, questions[0]) * self.threads))
        for start in range(0, len(paths), at_once):
            rows = np.flatnonzero((places >= start) & (places < start + at_once))
            tables = self._count_records_by_path_and_code(paths[start : start + at_once], questions[0])
            some = queries.take(rows)
            sums[rows] = sum_scores_of_one_question(
                kinds, some, questions[0], tables, places[rows] - start, exact=self.exact
            )
        return sums

    def _count_records_by_path_and_code(self, paths: Numbers, question: int) -> CodeTable:
        """Returns the number of records with all columns of a path, by path, group and code of the question."""
        from mining.counting.counting_kernel import compile_counting_loop  # late for cost

        size = count_scored_codes(self.design, question) + 1
        counts = np.zeros((len(paths), 2 * size), np.int64)
        empty = int(bool(len(paths)) and (not paths.shape[1] or paths[0, 0] == NONE))
        for part in self.parts:
            codes = np.zeros(len(part.disguised) * WORD, np.int32)
            of_records = codes[: part.n]
            np.multiply(unpack_bits(part.disguised, part.n), np.int32(size), out=of_records)
            of_records += np.minimum(part.integer_codes(question), size - 1)
            if empty:
                counts[0] += np.bincount(of_records, minlength=2 * size)
            if len(paths) > empty:
                tally = compile_counting_loop(by_code=True)
                self._add_counts(tally, paths[empty:], counts[empty:], [part], codes)
        return counts.reshape(len(paths), 2, size)

    def _add_counts(
        self,
        tally: Kernel,
        paths: Numbers,
        counts: Counts,
        parts: Sequence[Columns],
        codes: NDArray[np.int32] | None = None,
    ) -> None:
        """Adds the record counts of each path to `counts` in place, block by block; if the records' `codes` are given,
        it counts by code too.

        Blocks of a single part that stores all columns are read where they are, others are copied together.
        """
        from mining.counting.counting_kernel import as_read_only_columns  # late for cost

        is_used = np.zeros(self.column_numbering.column_count + 1, np.bool_)
        is_used[paths] = True
        used = np.flatnonzero(is_used[:NONE])
        # Row 0 of a block is the group; the row that NONE gets here is never read.
        within = np.cumsum(is_used, dtype=np.int32)[paths]
        lengths = (paths != NONE).sum(axis=1, dtype=np.int32)
        shared = _shared_prefix_lengths(paths, lengths)
        words = min(max(BLOCK_BYTES // 8 // len(used), LEAST_WORDS), MOST_WORDS)
        stored = [self.stored_index_by_column[column] for column in used.tolist()]
        in_place = codes is None and len(parts) == 1 and None not in stored and parts[0].words.flags.aligned
        columns: list[list[Words]] = []
        if in_place:
            within = np.array([0, *stored, 0], np.int32)[within]
        else:
            columns += (
                [part.disguised, *(self._read_column(part, column) for column in used.tolist())]
                for part in parts
            )
        # By code, the records are sorted in the block.
        spans = self.group_spans if codes is None else [_Span(0, 0, parts[0].words.shape[1], MIXED)]
        blocks = list(_split_into_blocks(spans, words))
        # Taken by all threads: a list's iterator gives each block once.
        waiting = iter(blocks)

        def report_progress() -> None:
            self.watch(1 - length_hint(waiting) / len(blocks))

        def count_waiting_blocks(counts: Counts, before_each: Callable[[], None] | None = None) -> Counts:
            block = parts[0].words if in_place else np.empty((1 + len(used), words), np.uint64)
            prefixes = np.empty((paths.shape[1], words), np.uint64)
            for spans in waiting:
                if before_each:
                    before_each()
                filled, words_of = 0, [0, 0, 0]
                for span in spans:
                    if not in_place:
                        for row, column in zip(block, columns[span.part], strict=True):
                            row[filled : filled + span.words] = column[span.start : span.start + span.words]
                    filled += span.words
                    words_of[span.holds] += span.words
                start = spans[0].start
                if codes is None:
                    of_loop = as_read_only_columns(block), filled, start if in_place else 0, *words_of[:2]
                else:
                    of_loop = block, filled, codes[start * WORD :]
                tally(*of_loop, within, lengths, shared, prefixes, counts)
            return counts

        threads = min(self.threads, len(blocks))
        if threads < 2:
            count_waiting_blocks(counts, report_progress)
            return
        with ThreadPoolExecutor(threads) as pool:
            counting = [
                pool.submit(count_waiting_blocks, np.zeros_like(counts)) for _thread in range(threads)
            ]
            try:
                while wait(counting, LOOK_SECONDS).not_done:
                    report_progress()
            except BaseException:
                # The threads end with the blocks that they have.
                for _block in waiting:
                    pass
                raise
            for thread in counting:
                counts += thread.result()

    def _read_column(self, part: Columns, column: int) -> Words:
        index = self.stored_index_by_column[column]
        if index is not None:
            words: Words = part.words[index]
            return words
        questions, numbering = self.column_numbering.question_count, self.column_numbering.numbering
        if column < questions:
            return part.asked(column)
        if column < 2 * questions:
            return part.answered(column - questions)
        return part.choice(*numbering.item(column - 2 * questions))


OPEN_ALONE, MIXED, DISGUISED_ALONE = range(3)
"""Groups that the words of a block hold, in the block's order: open records alone, both groups, disguised alone."""


class _Span(NamedTuple):
    """A range of `words` 64-bit words of one part of the records, from word `start` on.

    `holds`: OPEN_ALONE, MIXED or DISGUISED_ALONE.
    """

    part: int
    start: int
    words: int
    holds: int


def _spans_by_group(parts: Sequence[Columns]) -> list[_Span]:
    """Returns the words of all parts: those of open records alone, those with both groups, and those of disguised
    records alone.

    Batches are stored with their open records first. Nothing relies on it: in a part in another order more words
    are mixed.
    """
    spans = []
    for index, part in enumerate(parts):
        disguised = part.disguised
        mixed = int(np.argmax(disguised != 0)) if disguised.any() else len(disguised)
        has_open = disguised != part.everyone_bits
        later = len(has_open) - int(np.argmax(has_open[::-1])) if has_open.any() else 0
        bounds = (0, mixed, max(mixed, later), len(disguised))
        spans += [
            _Span(index, start, stop - start, holds)
            for holds, (start, stop) in enumerate(pairwise(bounds))
            if stop > start
        ]
    return sorted(spans, key=attrgetter("holds"))


def _split_into_blocks(spans: Sequence[_Span], most: int) -> Iterator[list[_Span]]:
    """Splits spans into blocks of at most `most` words; small spans share a block."""
    block: list[_Span] = []
    free = most
    for span in spans:
        start, stop = span.start, span.start + span.words
        while start < stop:
            words = min(free, stop - start)
            block.append(span._replace(start=start, words=words))
            start, free = start + words, free - words
            if not free:
                yield block
                block, free = [], most
    if block:
        yield block


def _shared_prefix_lengths(paths: Numbers, lengths: NDArray[np.int32]) -> NDArray[np.int32]:
    """Returns, for each sorted path, the number of leading columns shared with the path before.

    The AND of these columns is reused. The last column of the path before is never among them, since the AND with
    it is counted and not stored.
    """
    shared = np.zeros(len(paths), np.int32)
    equal = np.logical_and.accumulate(paths[1:] == paths[:-1], axis=1).sum(axis=1)
    shared[1:] = np.minimum(equal, lengths[:-1] - 1)
    return shared
