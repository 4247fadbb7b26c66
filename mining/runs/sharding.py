"""Large runs: their records are parted among shards, which all workers claim, one count at a time.

A level is one question to all shards. Whoever stores the last answer lets the run go on at once: it repeats the
search on all that was answered so far, stores the next question with a shard for each part, and hands itself on.
Nothing waits in a worker, no task collects others, and every step is a row: whoever dies, a shard or the run is
claimed again.
"""

from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from typing import NoReturn

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_noop

from jobs import clock, queue, tasks, transitions
from jobs.models import FINISHED, State, Write
from jobs.progress import Cancelled, HandedOn, Lost, Progress
from jobs.words import Words
from mining.counting import BitmapCounter, Histogram
from mining.models import Run, Shard
from mining.runs import keeping
from mining.runs.packing import Counted, fingerprint, pack, pack_counts, unpack, unpack_counts
from mining.runs.parts import Part, parted, stretch
from mining.runs.replaying import NOTHING, Answer, Replayed
from surveys.intake import batches, sealing
from surveys.intake.columns import Columns
from surveys.intake.merging import Sealed
from surveys.intake.models import Batch

PATTERNS = b""
"""Asks for the histogram itself; every other question is packed queries."""


# --- a run asks ----------------------------------------------------------------------------------------


def begin(run: Run, *, patterns: bool) -> NoReturn:
    """Part the records, and ask for the patterns or, where these are too many, how many records there are."""
    with transaction.atomic():
        survey = sealing.locked(run.survey_id)
        rows = Batch.objects.filter(survey=survey, last__lte=run.through).order_by("first")
        sealed = [Sealed(*numbers) for numbers in rows.values_list("first", "last", "n")]
        _plan(run, parted(sealed, settings.SHARD_RECORDS), PATTERNS if patterns else pack(NOTHING))
    raise HandedOn


def ask(run: Run, asked: bytes) -> NoReturn:
    """The next question, to the same parts as the first."""
    parts = [
        Part(*row) for row in run.shards.filter(level=1).order_by("first", "start").values_list(*Part._fields)
    ]
    with transaction.atomic():
        run.hold()
        _plan(run, parts, asked)
    raise HandedOn


def _plan(run: Run, parts: list[Part], asked: bytes) -> None:
    level, now = run.level + 1, clock.now()
    if not transitions.hand_on(run):
        raise Lost
    Run.objects.filter(pk=run.pk).update(level=level, missing=len(parts), asked=asked)
    _tell(run, level, 0, len(parts), now)
    for part in parts:
        queue.enqueue(Shard(run=run, level=level, question=fingerprint(asked), **part._asdict()))


def _tell(run: Run, level: int, done: int, parts: int, now: datetime) -> None:
    # How many there are, each size, the rules, and what reports need besides: about so many counts.
    rounds = run.wanted.max_size + 4
    text = gettext_noop("Count %(level)s: %(done)s of %(parts)s parts are counted")
    words = Words(text, {"level": level, "done": done, "parts": parts})
    transitions.tell(run, min((level - 1 + done / parts) / rounds, 1.0), words, now)


# --- a run reads the answers --------------------------------------------------------------------------


def patterns(run: Run) -> Histogram | None:
    """What the shards found, where they were asked for patterns."""
    _all_there(run)
    if bytes(run.asked) != PATTERNS:
        return None
    design = run.content
    whole = Histogram.of(design, [])
    for data in run.shards.order_by("first", "start").values_list("counts", flat=True):
        whole = whole + Histogram.from_bytes(design, bytes(data or b""))
    return whole


def answered(run: Run) -> Replayed:
    rows = run.shards.order_by("level").values_list("level", "question", "counts")
    answers = []
    for _level, group in groupby(rows, key=lambda row: row[0]):
        found = [(question, unpack_counts(bytes(data or b""))) for _, question, data in group]
        n = np.sum([counted.n for _, counted in found], axis=0).tolist()
        counts = np.sum([counted.counts for _, counted in found], axis=0)
        answers.append(Answer(found[0][0], (n[0], n[1]), counts))
    return Replayed(run.content, answers)


def _all_there(run: Run) -> None:
    """Hand a run on again that somebody claimed too early: a worker that died had planned it."""
    with transaction.atomic():
        now = Run.objects.select_for_update().get(pk=run.pk)
        if not now.missing:
            return
        transitions.hand_on(run)
    raise HandedOn


# --- a shard answers ----------------------------------------------------------------------------------


def count(shard: Shard, progress: Progress) -> Write:
    run = shard.run
    if run.cancel_asked:
        transitions.cancelled(run, clock.now())
    if run.state in FINISHED or run.cancel_asked or run.level != shard.level:
        raise Cancelled
    columns = read(shard)
    progress(None)
    if bytes(run.asked) == PATTERNS:
        return partial(store, shard, Histogram.of(run.content, columns).to_bytes())
    counter = BitmapCounter(run.content, columns, keeping.kernels())
    counts = counter.count(unpack(bytes(run.asked)))
    return partial(store, shard, pack_counts(Counted(counter.n, counts)))


def read(shard: Shard) -> list[Columns]:
    opened = [found.columns for found in batches.read(shard.run.survey, shard.last, after=shard.first - 1)]
    if sum(columns.n for columns in opened) == shard.stop - shard.start:
        return opened
    (whole,) = opened
    return [stretch(whole, shard.start, shard.stop)]


def store(shard: Shard, data: bytes) -> None:
    """In the transaction that makes the shard done. The run's row is locked by the first UPDATE, so of all shards
    of a level exactly one finds that none is missing any more."""
    Shard.objects.filter(pk=shard.pk).update(counts=data)
    now_at = Run.objects.filter(pk=shard.run_id, level=shard.level)
    if not now_at.update(missing=F("missing") - 1):
        return
    run = Run.objects.get(pk=shard.run_id)
    parts = run.shards.filter(level=run.level).count()
    _tell(run, run.level, parts - run.missing, parts, clock.now())
    if not run.missing and transitions.go_on(run):
        transaction.on_commit(partial(tasks.work, run.label, str(run.pk)))


# --- time passes --------------------------------------------------------------------------------------


def attend(now: datetime) -> None:
    """Keep the hearts of runs beating that nobody holds; end those that were cancelled or have lost a shard."""
    for run in Run.objects.filter(state=State.RUNNING, worker="", level__gt=0):
        lost = run.shards.filter(state=State.FAILED).first()
        if run.cancel_asked:
            transitions.cancelled(run, now)
        elif lost:
            transitions.failed(run, lost.problem, now)
        else:
            # Good until the next tick.
            transitions.beat(run, now + timedelta(seconds=settings.TICK_SECONDS))
    over = Shard.objects.filter(run__state__in=FINISHED).exclude(state=State.RUNNING)
    over.delete()
