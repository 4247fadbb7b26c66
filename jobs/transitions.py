"""Every change of a job's state. Each is one conditional UPDATE, so of two processes one succeeds.

A claim is a token made for one attempt. An attempt that lost it (stopped, reaped, woken again) matches no row any
more and can write neither progress nor result.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When
from django.db.models.functions import Now

from jobs.message import Message
from jobs.models import MOST_ATTEMPTS, Job, State, Write, kinds


def claim_next(*, token: str, worker: str, now: datetime) -> Job | None:
    """Take the oldest job that waits, a spare one only where no other does; None where none does.

    Asked again, it finds what this token has taken.
    """
    mine = Job.objects.filter(state=State.RUNNING, claim=token).first()
    if mine is not None:
        return of_its_kind(mine)
    if not waiting().exists():
        return None
    with transaction.atomic():
        # PostgreSQL passes by what others are taking; SQLite lets one process write at a time.
        oldest = waiting().order_by("spare", "created", "pk")
        pk = oldest.select_for_update(skip_locked=True).values_list("pk", flat=True).first()
        return None if pk is None else claim(pk, token=token, worker=worker, now=now)


def waiting() -> QuerySet[Job]:
    """The jobs that wait. While versions change, there may be some of a kind that this one does not have."""
    return Job.objects.filter(state=State.QUEUED, kind__in=kinds())


def others_wait() -> bool:
    """Whether jobs wait that are not spare."""
    return waiting().filter(spare=False).exists()


def claim(pk: int, *, token: str, worker: str, now: datetime) -> Job | None:
    """Take this queued job, or None where somebody else did or nobody wants it any more."""
    Job.objects.filter(pk=pk, state=State.QUEUED).update(
        state=State.RUNNING,
        claim=token,
        worker=worker,
        attempts=F("attempts") + 1,
        started=now,
        heartbeat=now,
        fraction=None,
        words={},
    )
    mine = Job.objects.filter(pk=pk, claim=token).first()
    return mine and of_its_kind(mine)


def of_its_kind(job: Job) -> Job | None:
    """The job with the columns of its kind; None where that row has been deleted."""
    return kinds()[job.kind]._base_manager.filter(pk=job.pk).first()


def claimed(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(pk=job.pk, state=State.RUNNING, claim=job.claim)


def write_heartbeat(job: Job, now: datetime) -> bool:
    return bool(claimed(job).update(heartbeat=now))


def write_progress(job: Job, fraction: float | None, words: Message, now: datetime) -> bool:
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
    ours = Job.objects.filter(pk=job.pk, worker=job.worker, started=job.started)
    return ours.filter(state=State.DONE).exists()


def failed(job: Job, error: Message, now: datetime) -> bool:
    return bool(claimed(job).update(state=State.FAILED, claim="", finished=now, error=error.stored()))


def cancelled(job: Job, now: datetime) -> bool:
    return bool(claimed(job).update(state=State.CANCELLED, claim="", finished=now))


def cancel(job: Job, now: datetime) -> bool:
    """A waiting job is cancelled at once, a running one at its next step; False where it was over."""
    at_once = When(state=State.QUEUED, then=Value(State.CANCELLED))
    live = Job.objects.filter(pk=job.pk, state__in=(State.QUEUED, State.RUNNING))
    return bool(
        live.update(
            cancel_asked=True,
            finished=Case(When(state=State.QUEUED, then=Value(now)), default=F("finished")),
            state=Case(at_once, default=F("state")),
        )
    )


def requeue_without_cost(job: Job) -> bool:
    """An attempt that lost the database does not count; False where somebody else has the job by now."""
    mine = claimed(job).filter(worker=job.worker)
    drop_cancelled(mine)
    if mine.update(attempts=F("attempts") - 1, **requeued(Now())):
        return True
    # Another worker saw no heartbeat and requeued the job.
    others = Job.objects.filter(pk=job.pk, state__in=(State.QUEUED, State.RUNNING))
    others.exclude(claim=job.claim).filter(attempts__gt=0).update(attempts=F("attempts") - 1)
    return False


def give_way(job: Job) -> bool:
    """Requeue a spare job, since others wait: it begins again after them, which costs it no attempt."""
    mine = claimed(job)
    drop_cancelled(mine)
    return bool(mine.update(attempts=F("attempts") - 1, gave_way=F("gave_way") + 1, **requeued(Now())))


def try_again(job: Job, error: Message, now: datetime) -> bool:
    """Requeue a job that failed through no fault of its own; after the last attempt it has failed."""
    mine = claimed(job)
    drop_cancelled(mine)
    if job.attempts >= MOST_ATTEMPTS:
        return failed(job, error, now)
    return bool(mine.update(**requeued(Now())))


def requeue_all_of_worker(worker: str) -> int:
    """A worker that is told to stop returns what it is doing; that costs the job no attempt."""
    running = Job.objects.filter(state=State.RUNNING, worker=worker)
    drop_cancelled(running)
    return running.update(attempts=F("attempts") - 1, **requeued(Now()))


def requeued(since: datetime | Now) -> dict[str, Any]:
    """What a job is like that waits once more."""
    # The database's clock, as everywhere, also where nobody asked it before.
    return {"state": State.QUEUED, "claim": "", "queued": since, "words": {}, "fraction": None}


def drop_cancelled(rows: QuerySet[Job]) -> int:
    """Waiting again they would be done after all, though somebody was told that they are being cancelled."""
    return rows.filter(cancel_asked=True).update(state=State.CANCELLED, claim="", finished=Now())
