"""Reads and counts the records of a run: in memory if they are few, else in pieces, again for each count.

Web requests never load the compiled loop: they count a sample of the records with numpy alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeVar

import numpy as np
from django.conf import settings
from django.db.models import Sum

from intake.batches.sealed_batch_reader import BatchesChanged
from intake.disclosure import record_selection
from intake.models import Batch
from jobs.progress_messages import ClaimLost
from mining.counting import BitmapCounter, HistogramCounter, PatternHistogram, fits_in_histogram
from mining.counting.bitmap_counter import Watch, ignore_progress
from mining.counting.queries_to_column_paths import ColumnNumbering
from mining.counting.score_sums import rows_by_score_questions, sum_score_products_over_records
from mining.distinct_rows import distinct_rows
from mining.queries_and_counters import NONE, Counter, Counts, Queries, Query, as_queries
from privacy.designs import Design
from privacy.records.batch_bit_columns import WORD, Columns, Words, bits_per_respondent, filter_records
from runs import histogram_cache
from runs.models import Run
from surveys.models import Survey

HELD_BYTES, PIECE_BYTES = 1 << 26, 1 << 24
"""Largest size of records that a run holds in memory (64 MiB), and of the pieces in which it reads more (16 MiB)."""

T = TypeVar("T")


@dataclass(frozen=True)
class RunRecords:
    """Reader and counter of the used records of a run.

    `watch`: called with the share that is read or counted; an exception of it ends the reading.
    """

    run: Run
    watch: Watch = ignore_progress

    @cached_property
    def is_small(self) -> bool:
        return self.run.records * bits_per_respondent(self.run.content) <= 8 * HELD_BYTES

    @cached_property
    def columns(self) -> list[Columns]:
        """All records, in memory at once."""
        return self._compute_with_checksums(lambda pieces: list(chain.from_iterable(pieces)))

    def counter(self) -> Counter:
        """Returns the counter that suits the design and the number of records."""
        design = self.run.mined_design
        if fits_in_histogram(design, self.run.records):
            return HistogramCounter(
                self.compute_in_one_pass(lambda parts: PatternHistogram.count_records(design, parts))
            )
        if self.is_small:
            return make_bitmap_counter(design, self.columns, self.watch)
        return StreamedCounter(self)

    def compute_in_one_pass(self, function: Callable[[Iterator[Columns]], T]) -> T:
        """Returns the result of `function` on all records, read in one pass."""
        if self.is_small:
            return function(iter(self.columns))
        return self._compute_with_checksums(lambda pieces: function(chain.from_iterable(pieces)))

    def compute_by_pieces(
        self, function: Callable[[Iterator[list[Columns]]], T], *, check: bool = False
    ) -> T:
        """Returns the result of `function` on all records, read piece by piece.

        Begins again if batches are merged meanwhile. `check`: compares all checksums.
        """
        while True:
            with suppress(BatchesChanged):
                return function(self._read_pieces(check=check))

    def _compute_with_checksums(self, function: Callable[[Iterator[list[Columns]]], T]) -> T:
        """Returns the result of `function` on all records, and compares all checksums."""
        return self.compute_by_pieces(function, check=True)

    def _read_pieces(self, *, check: bool) -> Iterator[list[Columns]]:
        run = self.run
        sealed = Batch.objects.filter(survey=run.survey_id, last__lte=run.through)
        if sealed.aggregate(n=Sum("n"))["n"] != run.records:
            # They were destroyed, and the run with them.
            raise ClaimLost
        most = max(8 * PIECE_BYTES // bits_per_respondent(run.content) // WORD, 1) * WORD
        done = 0
        for piece in record_selection.read_used_batch_pieces(
            run.survey, run.through, run.population, most, verifies_checksums=check
        ):
            yield piece
            done += sum(part.n for part in piece)
            self.watch(done / max(run.records, 1))


@dataclass(frozen=True)
class StreamedCounter:
    """Counter by bitmaps that holds one piece of the records in memory at a time."""

    records: RunRecords

    @cached_property
    def design(self) -> Design:
        return self.records.run.mined_design

    @cached_property
    def n(self) -> tuple[int, int]:
        """Number of open and disguised records, counted in the first pass, which compares the checksums."""
        counts = self._count(Queries.from_queries(self.design, [Query()]), check=True)
        return int(counts[0, 0]), int(counts[0, 1])

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        return self._count(asked) if len(asked) else np.zeros((0, 2), np.int64)

    def _count(self, asked: Queries, *, check: bool = False) -> Counts:
        def sum_counts(pieces: Iterator[list[Columns]]) -> Counts:
            counts = np.zeros((len(asked), 2), np.int64)
            done = 0
            for piece in pieces:
                n = sum(part.n for part in piece)
                watch = self._piece_progress(done, n)
                counts += make_bitmap_counter(self.design, piece, watch).count(asked)
                done += n
            return counts

        return self.records.compute_by_pieces(sum_counts, check=check)

    def _piece_progress(self, before: int, n: int) -> Watch:
        total = max(self.records.run.records, 1)
        return lambda share: self.records.watch((before + share * n) / total)


def make_bitmap_counter(
    design: Design, parts: Sequence[Columns], watch: Watch = ignore_progress
) -> BitmapCounter:
    """Returns a counter of the given records by bitmaps, with as many threads as the settings allow."""
    return BitmapCounter(design, parts, threads=settings.COUNTING_THREADS, watch=watch)


def histogram_or_sample_counter(survey: Survey, design: Design, through: int, limit: int) -> Counter:
    """Returns a counter of all records if their histogram is cached, else of the first `limit` records."""
    population = record_selection.current_population(survey)
    histogram = histogram_cache.read_histogram(survey.pk, through, population, design)
    return HistogramCounter(histogram) if histogram else sample_counter(survey, design, through, limit)


def sample_counter(survey: Survey, design: Design, through: int, limit: int) -> Counter:
    """Returns a counter of `limit` records of the batches 1..through, as `take_records_from_first_batches` takes
    them."""
    batches = record_selection.read_used_batches_until_most(
        survey, through, record_selection.current_population(survey), most=limit
    )
    columns = take_records_from_first_batches((batch.columns for batch in batches), limit)
    if fits_in_histogram(design, sum(part.n for part in columns)):
        return HistogramCounter(PatternHistogram.count_records(design, columns))
    return NumpyCounter(design, columns)


def take_records_from_first_batches(batches: Iterable[Columns], limit: int) -> list[Columns]:
    """Returns `limit` records from as few batches as needed; the last batch is taken evenly, so that its share of open
    ones is kept.

    The order within a group is random.
    """
    columns: list[Columns] = []
    left = limit
    for batch in batches:
        # Open records lie first, so the records are taken from the whole batch, evenly.
        upto = np.arange(batch.n + 1) * min(batch.n, left) // max(batch.n, 1)
        columns.append(filter_records(batch, np.diff(upto) > 0))
        left -= columns[-1].n
        if left <= 0:
            break
    return columns


@dataclass(frozen=True)
class NumpyCounter:
    """Counter that uses numpy alone: some thousand queries a second on a hundred thousand records."""

    design: Design
    parts: Sequence[Columns]

    @cached_property
    def n(self) -> tuple[int, int]:
        n_open, n_disguised = self._count_path(())
        return n_open, n_disguised

    @cached_property
    def column_numbering(self) -> ColumnNumbering:
        return ColumnNumbering(self.design)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        counts = np.empty((len(asked), 2), np.int64)
        counted = np.ones(len(asked), np.bool_)
        for rows, questions in rows_by_score_questions(self.column_numbering, asked):
            counts[rows] = sum_score_products_over_records(
                self.column_numbering,
                asked.take(rows),
                questions,
                self.parts,
                self._cached_words,
                exact=False,
            )
            counted[rows] = False
        paths, indexes = distinct_rows(
            self.column_numbering.column_paths(asked.take(counted)), self.column_numbering.column_count
        )
        found = [self._count_path([column for column in path if column != NONE]) for path in paths.tolist()]
        counts[counted] = np.array(found, np.int64).reshape(-1, 2)[indexes]
        return counts

    def _count_path(self, path: Sequence[int]) -> tuple[int, int]:
        """Counts the open and disguised records that have a bit in all of these columns."""
        both = disguised = 0
        for index, part in enumerate(self.parts):
            words = part.everyone_bits
            for column in path:
                words = words & self._cached_words(index, column)
            both += int(np.bitwise_count(words).sum())
            disguised += int(np.bitwise_count(words & part.disguised).sum())
        return both - disguised, disguised

    def _cached_words(self, index: int, column: int) -> Words:
        key = (index, column)
        if key not in self._columns:
            self._columns[key] = self._column_words(self.parts[index], column)
        return self._columns[key]

    @cached_property
    def _columns(self) -> dict[tuple[int, int], Words]:
        return {}

    def _column_words(self, part: Columns, column: int) -> Words:
        questions = self.column_numbering.question_count
        if column < questions:
            return part.asked(column)
        if column < 2 * questions:
            return part.answered(column - questions)
        return part.choice(*self.column_numbering.numbering.item(column - 2 * questions))
