"""Large runs: their records are divided among shards, which all workers claim, level by level.

A level is one list of queries for all shards. The first has all that the search is likely to need
(`predicted_queries`), so that mostly there is no second. The shard that stores the last counts of a level lets the run
go on at once: the run replays its search on all counts so far and, where one is missing, stores the next level with a
shard for each part of the records, and hands itself on. Nothing waits in a worker, no bitmap stays in one between
levels, no task collects others, and every step is a row: if a worker dies, its shard or run is claimed again.
"""

from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext_noop

from intake.batches.merging import SealedBatch
from intake.disclosure import records
from intake.models import Batch
from jobs import database, transitions, wake
from jobs.message import Cancelled, ClaimLost, JobFailed, Message, Progress
from jobs.models import FINISHED, State, Write
from mining.counting import BitmapCounter, HistogramCounter, PatternHistogram, fits
from mining.counting.code_counts import CodeCounts
from mining.counts import Counter, Queries
from privacy.designs import Design
from privacy.records.columns import Columns
from runs import kernel_cache, searching, starting
from runs.models import Run, Shard
from runs.searching import SearchOutcome
from runs.shards.packing import ShardCounts, fingerprint, pack, pack_counts, unpack, unpack_counts
from runs.shards.predicted_queries import predicted
from runs.shards.replaying import NOTHING, LevelCounts, replay
from runs.shards.shard_ranges import ShardRange, divide, record_slice
from runs.storing import RunResult
from runs.timing import Clock, TimedCounter
from surveys.models import Survey

PATTERNS = b""
"""Asks the shards for histograms; any other value is packed queries."""


# --- a run queries its shards ----------------------------------------------------------------------------------------


def begin(run: Run) -> None:
    """Divide the records among shards; ask for the patterns or, where these are too many, all foreseeable counts."""
    patterns = fits(run.mined, run.records)
    asked = PATTERNS if patterns else pack([predicted(run, _parts(run))])
    with transaction.atomic():
        Survey.objects.locked_beside_records(run.survey_id)
        _store_level(run, _parts(run), asked)


def _parts(run: Run) -> list[ShardRange]:
    rows = Batch.objects.filter(survey=run.survey_id, last__lte=run.through).order_by("first")
    sealed = [SealedBatch(*numbers) for numbers in rows.values_list("first", "last", "n")]
    return divide(sealed, settings.SHARD_RECORDS)


def _add_level(run: Run, asked: Queries) -> None:
    """Store the next level, for the same parts of the records as the first."""
    parts = [
        ShardRange(*row)
        for row in run.shards.filter(level=1).order_by("first", "start").values_list(*ShardRange._fields)
    ]
    with transaction.atomic():
        run.lock_parents()
        _store_level(run, parts, pack([*unpack(bytes(run.asked)), asked]))


def _store_level(run: Run, parts: list[ShardRange], asked: bytes) -> None:
    level, now = run.level + 1, database.now()
    if not transitions.suspend(run):
        raise ClaimLost
    Run.objects.filter(pk=run.pk).update(level=level, missing=len(parts), asked=asked)
    _report_progress(run, level, 0, len(parts), now)
    question = fingerprint(NOTHING if asked == PATTERNS else unpack(asked)[-1])
    shards = [Shard(run=run, level=level, question=question, **part._asdict()) for part in parts]
    # Taken in the run's turn: what is enqueued later waits for all of it.
    wake.enqueue_all(shards, run.created)


def _report_progress(run: Run, level: int, done: int, parts: int, now: datetime) -> None:
    text = gettext_noop("Count %(level)s: %(done)s of %(parts)s parts are counted")
    words = Message(text, {"level": level, "done": done, "parts": parts})
    # The number of levels is unknown; each further one is less likely.
    transitions.write_progress(run, 1 - (1 - done / parts / 2) / 2 ** (level - 1), words, now)


# --- a run reads the counts --------------------------------------------------------------------------


def go_on(run: Run, clock: Clock) -> SearchOutcome | None:
    """Search the counts of the shards; None: they must count more."""
    design = run.mined
    if run.version != starting.version(run.engine):
        raise program_changed()
    if not _none_missing(run):
        return None

    codes = _codes(run)

    def search(counter: Counter) -> RunResult:
        clock.lap("reading")
        return searching.of_run(run, TimedCounter(counter, clock), codes=codes)

    if bytes(run.asked) == PATTERNS:
        histogram = _patterns(run, design)
        return SearchOutcome(search(HistogramCounter(histogram)), histogram, codes)
    result = replay(search, design, _answers(run))
    if isinstance(result, Queries):
        _add_level(run, result)
        return None
    return SearchOutcome(result)


def program_changed() -> JobFailed:
    return JobFailed(gettext_noop("Candor was changed while this run was counted. Start it again."))


def _none_missing(run: Run) -> bool:
    """Whether no shard is missing; otherwise hand the run on again: a worker died after it had stored the level."""
    with transaction.atomic():
        now = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
        if now.missing:
            transitions.suspend(run)
    return not now.missing


def _patterns(run: Run, design: Design) -> PatternHistogram:
    """The sum of the shards' histograms."""
    whole = PatternHistogram.of(design, [])
    for data in run.shards.order_by("first", "start").values_list("counts", flat=True):
        whole = whole + PatternHistogram.from_bytes(design, bytes(data or b""))
    return whole


def _codes(run: Run) -> CodeCounts | None:
    """The sum of the shards' counts of codes; None where the design has neither numbers nor places."""
    design = run.content
    if not design.has_numbers_or_places:
        return None
    whole = CodeCounts.nothing(design)
    rows = run.shards.filter(level=1).values_list("numbers", flat=True)
    for data in rows.iterator(chunk_size=1):
        whole = whole + CodeCounts.from_bytes(design, bytes(data or b""))
    return whole


def _answers(run: Run) -> list[LevelCounts]:
    """The counts of all levels so far, summed; the counts of one shard are in memory at a time."""
    questions = unpack(bytes(run.asked))
    answers: list[LevelCounts] = []
    rows = run.shards.order_by("level").values_list("level", "question", "counts")
    for level, question, data in rows.iterator(chunk_size=1):
        if level > len(questions) or question != fingerprint(questions[level - 1]):
            raise program_changed()
        counts = unpack_counts(bytes(data or b""))
        if level > len(answers):
            answers.append(LevelCounts(questions[level - 1], counts.n, counts.counts))
        else:
            answers[-1] = answers[-1].plus(counts.n, counts.counts)
    return answers


# --- a shard counts ----------------------------------------------------------------------------------


def count(shard: Shard, progress: Progress) -> Write:
    run = shard.run
    if run.cancel_asked:
        transitions.cancelled(run, database.now())
    if run.state in FINISHED or run.cancel_asked or run.level != shard.level:
        raise Cancelled
    columns = read(shard)
    progress(None)
    codes = None
    if shard.level == 1 and run.content.has_numbers_or_places:
        codes = CodeCounts.of(run.content, columns).to_bytes()
    if bytes(run.asked) == PATTERNS:
        return partial(store, shard, PatternHistogram.of(run.mined, columns).to_bytes(), codes)
    counter = BitmapCounter(run.mined, columns, kernel_cache.folder())
    counts = counter.count(unpack(bytes(run.asked))[-1])
    return partial(store, shard, pack_counts(ShardCounts(counter.n, counts)), codes)


def read(shard: Shard) -> list[Columns]:
    """The records of the shard. The first shard of a large batch reads all of it, to verify its checksum."""
    survey, used = shard.run.survey, records.used(shard.run.survey, shard.run.population)
    if shard.start:
        numbers, stretch = (shard.first, shard.last), (shard.start, shard.stop)
        return [records.read_stretch(survey, numbers, stretch, shard.run.population)]
    parts = [batch.columns for batch in records.sealed(survey, shard.last, after=shard.first - 1)]
    if sum(columns.n for columns in parts) != shard.stop:
        (whole,) = parts
        parts = [record_slice(whole, 0, shard.stop)]
    return list(map(used.columns, parts))


def store(shard: Shard, data: bytes, codes: bytes | None = None) -> None:
    """In the transaction that makes the shard done. The first UPDATE locks the run's row, so exactly one shard of a
    level finds that none is missing."""
    Shard.objects.filter(pk=shard.pk).update(counts=data, numbers=codes)
    now_at = Run.objects.filter(pk=shard.run_id, level=shard.level)
    if not now_at.update(missing=F("missing") - 1):
        return
    run = Run.objects.get(pk=shard.run_id)
    if not run.missing:
        # The worker that goes on with the run reports its progress: this one, if no other does.
        transitions.resume(run)
        return
    parts = run.shards.filter(level=run.level).count()
    _report_progress(run, run.level, parts - run.missing, parts, database.now())


# --- time passes --------------------------------------------------------------------------------------


def check_sharded_runs(now: datetime) -> None:
    """Renew the heartbeat of runs that wait for shards; end those that were cancelled or whose shard has failed."""
    for run in Run.objects.filter(state=State.RUNNING, worker="", level__gt=0):
        lost = run.shards.filter(state=State.FAILED).first()
        if run.cancel_asked:
            transitions.cancelled(run, now)
        elif lost:
            transitions.failed(run, lost.problem, now)
        else:
            # Good until the next tick.
            transitions.write_heartbeat(run, now + timedelta(seconds=settings.TICK_SECONDS))
    over = Shard.objects.filter(run__state__in=FINISHED).exclude(state=State.RUNNING)
    without_counts(over).delete()


def without_counts(shards: QuerySet[Shard]) -> QuerySet[Shard]:
    """To delete rows that have a parent Django reads them."""
    return shards.defer("counts", "numbers")
