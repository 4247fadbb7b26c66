"""The job of a run: reads the records, counts them, searches itemsets and rules, and stores the results."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.utils.translation import gettext_noop

from jobs.models import Write
from jobs.progress_messages import Cancelled, JobFailed, Progress
from mining.counting import HistogramCounter, PatternHistogram
from mining.counting.number_and_place_counts import CodeCounts
from mining.itemsets.frequent import Level
from mining.json_codec import node_to_json
from mining.queries_and_counters import Counter, CounterWrapper, Counts, Queries, Query
from privacy.designs import InputError
from runs import (
    copied_record_detection,
    histogram_cache,
    margin_weights,
    result_storage,
    row_check,
    run_mining,
    run_start,
)
from runs.models import UNMET_MARGINS, MlxtendCheck, Run
from runs.result_storage import RunResult
from runs.row_check import RowCheck
from runs.run_records import RunRecords
from surveys.models import DesignChanged

logger = logging.getLogger(__name__)
run_finished = Signal()
"""Sent in the transaction that stores the results of a run."""


@dataclass(frozen=True)
class SearchOutcome:
    """Results of a search. `histogram`, `codes`: new counts for the cache. `row_check`: the comparison of the rows."""

    result: RunResult
    histogram: PatternHistogram | None = None
    codes: CodeCounts | None = None
    row_check: RowCheck | None = None


@dataclass
class StepClock:
    """Stopwatch that measures the seconds of each step of a run."""

    last: float = field(default_factory=time.perf_counter)
    seconds: dict[str, float] = field(default_factory=dict)

    def add_time_to_step(self, name: str) -> None:
        """Adds the time since the last call to the step `name`."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now

    def __str__(self) -> str:
        return ", ".join(f"{name} {seconds:.2f} s" for name, seconds in self.seconds.items())


@dataclass(frozen=True)
class TimedCounter(CounterWrapper):
    """Counter that measures the time of counting apart from that of estimating, and calls `watch` before each count."""

    clock: StepClock
    watch: Callable[[], object]

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        self.clock.add_time_to_step("estimating")
        self.watch()
        try:
            return self.counter.count(queries)
        finally:
            self.clock.add_time_to_step("counting")


def perform(run: Run, progress: Progress) -> Write:
    """Mines the run; returns the function that stores its results."""
    if run.cancel_asked:
        raise Cancelled
    # Of the program that counts, which may be newer than the one that took the run.
    run.version = run_start.mining_version()
    Run.objects.filter(pk=run.pk).update(version=run.version)
    clock = StepClock()
    try:
        outcome = mine_run(run, progress, clock)
    except DesignChanged as changed:
        raise design_changed_failure(changed) from None
    if run.margins:
        outcome = replace(outcome, result=add_weighted_shares(run, outcome.result, progress))
    clock.add_time_to_step("estimating")
    run.copies = copied_record_detection.run_copies_lower_bound(run)
    clock.add_time_to_step("copies")
    if run.mlxtend != MlxtendCheck.NEVER:
        outcome = replace(outcome, row_check=compare_rows(run, outcome.result, progress))
        clock.add_time_to_step("comparing")
    progress(1.0, gettext_noop("The results are stored"))
    return partial(store_outcome, run, outcome, clock)


def compare_rows(run: Run, result: RunResult, progress: Progress) -> RowCheck:
    """Compares the rows that will be stored with means over all records."""
    text = gettext_noop("The results are compared with mlxtend’s")
    records = RunRecords(run, lambda _share: progress(1.0, text))
    return row_check.check_rows(run, result.itemsets, result.rules, result.decision.verdict, records)


def add_weighted_shares(run: Run, result: RunResult, progress: Progress) -> RunResult:
    """Returns the result with shares weighted to the run's margins, or with the reason why the records cannot be
    weighted to them.

    The run does not fail then: everybody who chooses margins could count people by trying which ones fail.
    """
    rows: Any = result.findings["answers"]
    answers = {row["items"][0] for row in rows if row["support"] is not None}
    try:
        weighted = margin_weights.weighted_shares(run, result.decision.verdict, answers, progress)
    except InputError as refusal:
        return result.with_finding(UNMET_MARGINS, margin_weights.refusal_message(refusal).as_json())
    return result.with_finding("weighted", node_to_json(weighted)) if weighted else result


def design_changed_failure(changed: DesignChanged) -> JobFailed:
    """Returns the failure of a job whose stored design was changed in the database."""
    return JobFailed(
        gettext_noop(
            "The stored design %(fingerprint)s is not the one that was opened: it was changed "
            "in the database. Ask the operator to restore it from a backup."
        ),
        fingerprint=changed.fingerprint[:12],
    )


def mine_run(run: Run, progress: Progress, clock: StepClock) -> SearchOutcome:
    """Returns the itemsets and rules of a run, counted in its records or in the cached histogram of an earlier run.

    The outcome includes new counts for the cache.
    """
    run_progress = RunProgress(progress, run.search_parameters.max_size)
    run_progress.report(0.0, gettext_noop("%(records)s records are read"), records=f"{run.records:,}")
    records, design = RunRecords(run, run_progress.report_share_read), run.content
    histogram = histogram_cache.read_histogram(run.survey_id, run.through, run.population, run.mined_design)
    counter: Counter = HistogramCounter(histogram) if histogram else records.counter()
    new = counter.histogram if isinstance(counter, HistogramCounter) and not histogram else None
    codes = None
    if design.has_numbers_or_places:
        if histogram:
            codes = histogram_cache.read_code_counts(run.survey_id, run.through, run.population, design)
        codes = codes or records.compute_in_one_pass(lambda parts: CodeCounts.count_records(design, parts))
    clock.add_time_to_step("reading")
    result = run_mining.search_run(
        run, TimedCounter(counter, clock, run_progress.repeat), run_progress.report_level, codes
    )
    return SearchOutcome(result, new, codes)


class RunProgress:
    """Progress of a run for reviewers: which itemset size is counted, and how far; other people see
    `Run.redacted_copy`.

    After a cancellation, the next report ends the run by an exception.
    """

    def __init__(self, progress: Progress, max_size: int) -> None:
        self._progress = progress
        self._steps = max_size + 1
        self._step = 0
        self._fraction = 0.0
        self._text, self._values = "", dict[str, str | int | float]()

    def report(self, fraction: float, text: str, **values: str | int | float) -> None:
        """Stores the progress of the run and reports it; the fraction never falls."""
        self._fraction, self._text, self._values = max(self._fraction, fraction), text, values
        self.repeat()

    def repeat(self) -> None:
        """Reports the last progress once more, so that a cancellation is noticed."""
        self._progress(self._fraction, self._text, **self._values)

    def report_level(self, level: Level) -> None:
        """Reports that itemsets of one size are being counted, or have been counted."""
        is_counted = level.survivors is not None
        self._step = level.size if is_counted else level.size - 1
        text = (
            gettext_noop("Itemsets of %(size)s: counted")
            if is_counted
            else gettext_noop("Itemsets of %(size)s are counted")
        )
        self.report(self._step / self._steps, text, size=level.size)

    def report_share_read(self, share: float) -> None:
        """Reports the share of the records that the current count has read."""
        self._fraction = max(self._fraction, (self._step + min(share, 1.0)) / self._steps)
        self.repeat()


def store_outcome(run: Run, outcome: SearchOutcome, clock: StepClock) -> None:
    """Stores the results of a run, in the transaction that ends the job."""
    if outcome.histogram:
        histogram_cache.store_histogram(
            run.survey_id, run.through, run.population, outcome.histogram, outcome.codes
        )
    result_storage.store_results(run, outcome.result)
    compared = outcome.row_check
    Run.objects.filter(pk=run.pk).update(
        copies=run.copies, row_check=node_to_json(compared) if compared else None
    )
    row_check.report_difference(run, next(iter(compared.differences), None) if compared else None)
    if run.mlxtend != MlxtendCheck.NEVER:
        run_start.enqueue_check(run, always=run.mlxtend == MlxtendCheck.ALWAYS)
    run_finished.send(Run, run=run)
    # Now nobody waits for it; a page would load scipy for it in a web process.
    transaction.on_commit(
        lambda: result_storage.read_coherent_supports(Run.objects.get(pk=run.pk)), robust=True
    )
    clock.add_time_to_step("storing")
    logger.info("run %s of %s records is done: %s", run.pk, run.records, clock)
