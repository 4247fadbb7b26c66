"""One attempt at a run: read the records, count them, search, and store the results."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from django.utils.translation import gettext_noop

from intake.disclosure import records
from jobs.message import Cancelled, JobFailed, Progress
from jobs.models import Write
from mining.counting import HistogramCounter, MinedRecords, counter_of
from mining.counting.code_counts import CodeCounts
from mining.counts import Counter
from mining.document.codec import dump
from mining.engines.bitmap import Disagreement
from mining.itemsets.frequent import Level, Watch
from privacy.records.columns import Columns
from runs import histogram_cache, kernel_cache, searching, starting, storing, weighting
from runs.models import Run
from runs.searching import SearchOutcome
from runs.timing import Clock, TimedCounter
from surveys.models import DesignChanged

logger = logging.getLogger(__name__)


def perform(run: Run, progress: Progress) -> Write:
    if run.cancel_asked:
        raise Cancelled
    # Of the program that counts, which may be newer than the one that took the run.
    run.version = starting.version(run.engine)
    Run.objects.filter(pk=run.pk).update(version=run.version)
    clock = Clock()
    try:
        outcome = find(run, progress, clock)
    except Disagreement as differing:
        raise JobFailed(differing.template) from None
    except DesignChanged as changed:
        raise design_was_changed(changed) from None
    if run.margins:
        outcome = replace(
            outcome, result=outcome.result.with_finding("weighted", dump(weighting.weighted(run, progress)))
        )
    clock.lap("estimating")
    progress(1.0, gettext_noop("The results are stored"))
    return partial(finish, run, outcome, clock)


def design_was_changed(changed: DesignChanged) -> JobFailed:
    return JobFailed(
        gettext_noop(
            "The stored design %(fingerprint)s is not the one that was opened: it was changed "
            "in the database. Ask the operator to restore it from a backup."
        ),
        fingerprint=changed.fingerprint[:12],
    )


def find(run: Run, progress: Progress, clock: Clock) -> SearchOutcome:
    """Count the histogram of an earlier run, or the records; the literal engine reads the records all the same."""
    progress(0.0, gettext_noop("%(records)s records are read"), records=f"{run.records:,}")
    histogram = histogram_cache.read(run.survey_id, run.through, run.population, run.mined)
    watch = level_watch(progress, run.wanted.max_size)
    counter: Counter
    mined = new = columns = None
    if histogram and run.engine != "mlxtend":
        counter = HistogramCounter(histogram)
    else:
        columns = [batch.columns for batch in records.read_all(run.survey, run.through, run.population)]
        mined = MinedRecords(run.mined, columns)
        counter = (
            HistogramCounter(histogram)
            if histogram
            else counter_of(run.mined, columns, kernel_cache.folder())
        )
        new = counter.histogram if isinstance(counter, HistogramCounter) else None
    codes = code_counts(run, columns)
    clock.lap("reading")
    result = searching.of_run(run, TimedCounter(counter, clock), watch, mined, codes)
    return SearchOutcome(result, new, codes)


def code_counts(run: Run, columns: Sequence[Columns] | None) -> CodeCounts | None:
    """From the cache or from the columns, if they were read; None where the design has neither numbers nor places."""
    design = run.content
    if not design.has_numbers_or_places:
        return None
    if columns is None:
        cached = histogram_cache.read_code_counts(run.survey_id, run.through, run.population, design)
        if cached:
            return cached
        columns = [batch.columns for batch in records.read_all(run.survey, run.through, run.population)]
    return CodeCounts.of(design, columns)


def level_watch(progress: Progress, max_size: int) -> Watch:
    """Reports the size that is counted as progress, for reviewers; others see `Run.redacted`."""
    steps = max_size + 1

    def tell(level: Level) -> None:
        if level.survivors is None:
            text = gettext_noop("Itemsets of %(size)s are counted")
            progress((level.size - 1) / steps, text, size=level.size)
        else:
            progress(level.size / steps, gettext_noop("Itemsets of %(size)s: counted"), size=level.size)

    return tell


def finish(run: Run, outcome: SearchOutcome, clock: Clock) -> None:
    """In the transaction that makes the run done."""
    if outcome.histogram:
        histogram_cache.store(run.survey_id, run.through, run.population, outcome.histogram, outcome.codes)
    storing.store(run, outcome.result)
    clock.lap("storing")
    logger.info("run %s of %s records is done: %s", run.pk, run.records, clock)
