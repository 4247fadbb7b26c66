"""Counts a sample of the records inside a web request, without the compiled loop, which no web process loads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from intake.disclosure import records
from mining.counting import HistogramCounter, PatternHistogram, fits
from mining.counting.paths import QuestionKinds
from mining.counts import NONE, Counter, Counts, Queries, Query, as_queries
from mining.rows import distinct
from privacy.designs import Design
from privacy.records.columns import Columns, Words, record_slice
from runs import histogram_cache
from surveys.models import Survey


def histogram_or_sample(survey: Survey, design: Design, through: int, most: int) -> Counter:
    """A counter of all records where an earlier run left their histogram, else of the first `most`."""
    population = records.population_of(survey)
    histogram = histogram_cache.read(survey.pk, through, population, design)
    return HistogramCounter(histogram) if histogram else sample(survey, design, through, most)


def sample(survey: Survey, design: Design, through: int, most: int) -> Counter:
    """A counter of the first `most` records of the batches 1..through; the order within a batch is random."""
    batches = records.read_all(survey, through, records.population_of(survey), most=most)
    columns = first_records((batch.columns for batch in batches), most)
    if fits(design, sum(part.n for part in columns)):
        return HistogramCounter(PatternHistogram.of(design, columns))
    return PlainCounter(design, columns)


def first_records(batches: Iterable[Columns], most: int) -> list[Columns]:
    """The first `most` records, of no more batches than they need."""
    columns: list[Columns] = []
    left = most
    for batch in batches:
        columns.append(record_slice(batch, 0, min(batch.n, left)))
        left -= columns[-1].n
        if left <= 0:
            break
    return columns


@dataclass(frozen=True)
class PlainCounter:
    """Counts with numpy alone: some thousand queries a second on a hundred thousand records."""

    design: Design
    parts: Sequence[Columns]

    @cached_property
    def n(self) -> tuple[int, int]:
        n_open, n_disguised = self._count(())
        return n_open, n_disguised

    @cached_property
    def kinds(self) -> QuestionKinds:
        return QuestionKinds(self.design)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        paths, places = distinct(self.kinds.paths(as_queries(self.design, queries)), self.kinds.columns)
        rows = [self._count([column for column in path if column != NONE]) for path in paths.tolist()]
        return np.array(rows, np.int64).reshape(-1, 2)[places]

    def _count(self, path: Sequence[int]) -> tuple[int, int]:
        both = disguised = 0
        for index, part in enumerate(self.parts):
            words = part.everyone
            for column in path:
                words = words & self._column(index, column)
            both += int(np.bitwise_count(words).sum())
            disguised += int(np.bitwise_count(words & part.disguised).sum())
        return both - disguised, disguised

    def _column(self, index: int, column: int) -> Words:
        key = (index, column)
        if key not in self._columns:
            self._columns[key] = self._made(self.parts[index], column)
        return self._columns[key]

    @cached_property
    def _columns(self) -> dict[tuple[int, int], Words]:
        return {}

    def _made(self, part: Columns, column: int) -> Words:
        questions = self.kinds.questions
        if column < questions:
            return part.asked(column)
        if column < 2 * questions:
            return part.answered(column - questions)
        return part.choice(*self.kinds.numbering.item(column - 2 * questions))
