"""Every change of a job's state. Each is one conditional UPDATE, so of two processes one succeeds.

A claim is a token made for one attempt. An attempt that lost it (stopped, reaped, woken again) matches no row any
more and can write neither progress nor result.
"""

from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When
from django.db.models.functions import Now

from jobs.kinds import kinds
from jobs.message import Message
from jobs.models import MOST_ATTEMPTS, Job, State, Write

J = TypeVar("J", bound=Job)
# What a job is like that waits once more.
WAITING: dict[str, Any] = {"state": State.QUEUED, "claim": "", "hinted": None, "words": {}, "fraction": None}


def claim(model: type[J], pk: str, *, token: str, worker: str, now: datetime) -> J | None:
    """Take a queued job, or None where somebody else did or nobody wants it any more."""
    model._base_manager.filter(pk=pk, state=State.QUEUED).update(
        state=State.RUNNING,
        claim=token,
        worker=worker,
        attempts=F("attempts") + 1,
        started=now,
        heartbeat=now,
        fraction=None,
        words={},
    )
    return model._base_manager.filter(pk=pk, claim=token).first()


def claimed(job: J) -> QuerySet[J]:
    return type(job)._base_manager.filter(pk=job.pk, state=State.RUNNING, claim=job.claim)


def beat(job: Job, now: datetime) -> bool:
    return bool(claimed(job).update(heartbeat=now))


def tell(job: Job, fraction: float | None, words: Message, now: datetime) -> bool:
    return bool(claimed(job).update(heartbeat=now, fraction=fraction, words=words.stored()))


def cancel_asked(job: Job) -> bool:
    return claimed(job).filter(cancel_asked=True).exists()


def done(job: Job, write: Write, now: datetime) -> bool:
    """Store the result and finish in one transaction; False, and nothing stored, where the claim is lost or
    somebody has been told that the job is being cancelled."""
    with transaction.atomic():
        job.lock_parents()
        mine = claimed(job).filter(cancel_asked=False)
        if not mine.update(state=State.DONE, claim="", finished=now, fraction=1, words={}):
            return False
        write()
    return True


def was_done(job: Job) -> bool:
    """Whether it was this attempt that finished; a database that is lost while it commits does not say."""
    ours = type(job)._base_manager.filter(pk=job.pk, worker=job.worker, started=job.started)
    return ours.filter(state=State.DONE).exists()


def failed(job: Job, error: Message, now: datetime) -> bool:
    return bool(claimed(job).update(state=State.FAILED, claim="", finished=now, error=error.stored()))


def cancelled(job: Job, now: datetime) -> bool:
    return bool(claimed(job).update(state=State.CANCELLED, claim="", finished=now))


def cancel(job: Job, now: datetime) -> bool:
    """A waiting job is cancelled at once, a running one at its next step; False where it was over."""
    waiting = When(state=State.QUEUED, then=Value(State.CANCELLED))
    live = type(job)._base_manager.filter(pk=job.pk, state__in=(State.QUEUED, State.RUNNING))
    return bool(
        live.update(
            cancel_asked=True,
            finished=Case(When(state=State.QUEUED, then=Value(now)), default=F("finished")),
            state=Case(waiting, default=F("state")),
        )
    )


def hand_on(job: Job) -> bool:
    """Other rows go on with the job, at no cost of an attempt; its room writes its heartbeat and calls `go_on`."""
    return bool(claimed(job).update(worker="", attempts=F("attempts") - 1))


def go_on(job: Job) -> bool:
    """Requeue a job that was handed on; False where that is not possible, for example after a cancellation."""
    free = claimed(job).filter(worker="")
    drop_cancelled(free)
    return bool(free.update(state=State.QUEUED, claim="", hinted=None))


def spare(job: Job) -> bool:
    """An attempt that lost the database does not count; False where somebody else has the job by now."""
    mine = claimed(job).filter(worker=job.worker)
    drop_cancelled(mine)
    if mine.update(attempts=F("attempts") - 1, **WAITING):
        return True
    # Another worker saw no heartbeat and requeued the job.
    others = type(job)._base_manager.filter(pk=job.pk, state__in=(State.QUEUED, State.RUNNING))
    others.exclude(claim=job.claim).filter(attempts__gt=0).update(attempts=F("attempts") - 1)
    return False


def try_again(job: Job, error: Message, now: datetime) -> bool:
    """Requeue a job that failed through no fault of its own; after the last attempt it has failed."""
    mine = claimed(job)
    drop_cancelled(mine)
    if job.attempts >= MOST_ATTEMPTS:
        return failed(job, error, now)
    return bool(mine.update(**WAITING))


def give_back(worker: str) -> int:
    """A worker that is told to stop returns what it is doing; that costs the job no attempt."""
    running = [model._base_manager.filter(state=State.RUNNING, worker=worker) for model in kinds()]
    for rows in running:
        drop_cancelled(rows)
    return sum(rows.update(attempts=F("attempts") - 1, **WAITING) for rows in running)


def drop_cancelled(rows: QuerySet[J]) -> int:
    """Waiting again they would be done after all, though somebody was told that they are being cancelled."""
    # The database's clock, as everywhere; here nobody asked it before.
    return rows.filter(cancel_asked=True).update(state=State.CANCELLED, claim="", finished=Now())
