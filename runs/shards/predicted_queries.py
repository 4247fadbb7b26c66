"""Predicts the queries of a run by the same search in a sample of its records.

So the shards count the candidates of all sizes at once, and again only for queries that the sample missed (H. Toivonen,
"Sampling large databases for association rules", VLDB 1996). The prediction does not change the result: a count too
many is never used, and one too few is counted later. The search in the sample takes some milliseconds, since it needs
no intervals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from intake.disclosure import records
from intake.models import Batch
from mining.counting import BitmapCounter
from mining.counting.paths import QuestionKinds
from mining.counts import Counter, CounterWrapper, Counts, Queries, Query, as_queries
from mining.disclosure.plain_tables import needed, plain_tables
from mining.itemsets.frequent import search
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.rules import counted_for_rules
from privacy.designs.plan import Plan
from privacy.records.columns import Columns
from runs import findings, kernel_cache, study_findings
from runs.models import Run
from runs.shards.replaying import NOTHING, without_duplicates
from runs.shards.shard_ranges import ShardRange, record_slice

RECORDS = 1 << 17
PLACES = 4
"""The sample is taken from so many places, since early respondents may be unlike late ones."""


def predicted(run: Run, parts: Sequence[ShardRange]) -> Queries:
    """The queries of the first level."""
    design = run.mined
    some = list(sample(run, parts))
    if not some:
        return NOTHING
    counter = BitmapCounter(design, some, kernel_cache.folder())
    return queries_of_run(counter, loosened(run.wanted), study_findings.frozen_plan(run.survey))


def loosened(wanted: Parameters) -> Parameters:
    """Parameters for the sample, in which an itemset that is just frequent in all records may look rarer."""
    return replace(wanted, errors=wanted.errors + 1, min_support=0.95 * wanted.min_support)


def sample(run: Run, parts: Sequence[ShardRange]) -> Iterator[Columns]:
    """The first records of several parts; the order within a batch is random."""
    chosen = {parts[index * len(parts) // PLACES] for index in range(PLACES) if parts}
    for part in sorted(chosen):
        yield from first_records(run, part, RECORDS // len(chosen))


def first_records(run: Run, part: ShardRange, most: int) -> Iterator[Columns]:
    """The first `most` records of a part; only these are read."""
    stop = min(part.start + most, part.stop)
    try:
        yield records.read_stretch(run.survey, (part.first, part.last), (part.start, stop), run.population)
    except Batch.DoesNotExist:
        used = records.used(run.survey, run.population)
        for batch in records.sealed(run.survey, part.last, after=part.first - 1, most=most):
            some = record_slice(batch.columns, 0, min(batch.columns.n, most))
            yield used.columns(some)
            most -= some.n


def queries_of_run(counter: Counter, wanted: Parameters, plan: Plan | None = None) -> Queries:
    """The queries of a run with this counter."""
    noting = QueryRecorder(counter)
    known = CachedCounter(noting, without_plain=True)
    findings.count_singles(known, wanted)
    itemsets = search(known, wanted).itemsets
    counted_for_rules(known, itemsets)
    plain_tables(known, needed(known.design, known.numbering.questions_of(itemsets)))
    findings.precount(known, wanted, itemsets)
    study_findings.findings(known, plan)
    return without_duplicates(QuestionKinds(known.design), Queries.concatenated(noting.asked))


@dataclass(frozen=True)
class QueryRecorder(CounterWrapper):
    """A counter that records its queries."""

    asked: list[Queries] = field(default_factory=list)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        self.asked.append(asked)
        return self.counter.count(asked)
