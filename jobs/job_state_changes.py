"""Every change of a job's state. Each is one conditional UPDATE, so of two processes one succeeds.

A claim is a token made for one attempt. An attempt that lost its claim (stopped, requeued by another worker,
woken again) matches no row any more and can write neither progress nor result. Functions that change one row
return False if another attempt has the claim.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When
from django.db.models.functions import Now

from jobs.models import LIVE, MOST_ATTEMPTS, Job, State, Write, job_kinds_by_label
from jobs.progress_messages import Message


def waiting_jobs() -> QuerySet[Job]:
    """Returns the queued jobs.

    While versions change, some may be of a kind that this version does not have: these are left out.
    """
    return Job.objects.filter(state=State.QUEUED, kind__in=job_kinds_by_label())


def claim_next(*, token: str, worker: str, now: datetime) -> Job | None:
    """Claims the oldest waiting job, or a spare job if no other waits; returns None if no job waits.

    Called again with the same token, it returns the job that the token has claimed.
    """
    mine = Job.objects.filter(state=State.RUNNING, claim=token).first()
    if mine is not None:
        return load_with_kind_columns(mine)
    if not waiting_jobs().exists():
        return None
    with transaction.atomic():
        # PostgreSQL skips the rows that others are claiming; SQLite lets one process write at a time.
        oldest = waiting_jobs().order_by("spare", "created", "pk")
        pk = oldest.select_for_update(skip_locked=True).values_list("pk", flat=True).first()
        return None if pk is None else claim(pk, token=token, worker=worker, now=now)


def claim(pk: int, *, token: str, worker: str, now: datetime) -> Job | None:
    """Claims this queued job; returns None if another worker claimed it or it was cancelled."""
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
    return mine and load_with_kind_columns(mine)


def load_with_kind_columns(job: Job) -> Job | None:
    """Returns the job with the columns of its kind; None if that row has been deleted."""
    return job_kinds_by_label()[job.kind]._base_manager.filter(pk=job.pk).first()


# --- while it runs ---


def claimed_row(job: Job) -> QuerySet[Job]:
    """Returns the job's row as a query set, empty if this attempt has lost its claim."""
    return Job.objects.filter(pk=job.pk, state=State.RUNNING, claim=job.claim)


def write_heartbeat(job: Job, now: datetime) -> bool:
    return bool(claimed_row(job).update(heartbeat=now))


def write_progress(job: Job, fraction: float | None, message: Message, now: datetime) -> bool:
    return bool(claimed_row(job).update(heartbeat=now, fraction=fraction, words=message.as_json()))


def is_cancel_requested(job: Job) -> bool:
    return claimed_row(job).filter(cancel_asked=True).exists()


def is_non_spare_job_waiting() -> bool:
    """Returns True if a job waits that is not spare."""
    return waiting_jobs().filter(spare=False).exists()


# --- its end ---


def finish(job: Job, write: Write, now: datetime) -> bool:
    """Stores the result and marks the job as done, in one transaction.

    Returns False and stores nothing if the claim is lost or the job is being cancelled.
    """
    with transaction.atomic():
        job.lock_parents()
        mine = claimed_row(job).filter(cancel_asked=False)
        if not mine.update(state=State.DONE, claim="", finished=now, fraction=1, words={}):
            return False
        write()
    return True


def did_attempt_finish(job: Job) -> bool:
    """Returns True if this attempt finished the job.

    Needed if the database was lost during the commit, which may have succeeded.
    """
    ours = Job.objects.filter(pk=job.pk, worker=job.worker, started=job.started)
    return ours.filter(state=State.DONE).exists()


def fail(job: Job, error: Message, now: datetime) -> bool:
    return bool(claimed_row(job).update(state=State.FAILED, claim="", finished=now, error=error.as_json()))


def end_cancelled(job: Job, now: datetime) -> bool:
    """Ends a running job whose cancellation was requested."""
    return bool(claimed_row(job).update(state=State.CANCELLED, claim="", finished=now))


def cancel(job: Job, now: datetime) -> bool:
    """Cancels a waiting job at once, a running one at its next step; returns False if the job had ended."""
    is_queued = When(state=State.QUEUED, then=Value(State.CANCELLED))
    live = Job.objects.filter(pk=job.pk, state__in=LIVE)
    return bool(
        live.update(
            cancel_asked=True,
            finished=Case(When(state=State.QUEUED, then=Value(now)), default=F("finished")),
            state=Case(is_queued, default=F("state")),
        )
    )


# --- back to the queue ---


def requeue_without_counting(job: Job) -> bool:
    """Requeues a job whose attempt lost the database, without counting the attempt; returns False if another worker has
    the job."""
    mine = claimed_row(job).filter(worker=job.worker)
    end_all_cancelled(mine)
    if mine.update(attempts=F("attempts") - 1, **queued_values(Now())):
        return True
    # Another worker saw no heartbeat and requeued the job.
    others = Job.objects.filter(pk=job.pk, state__in=LIVE).exclude(claim=job.claim)
    others.filter(attempts__gt=0).update(attempts=F("attempts") - 1)
    return False


def requeue_spare_job(job: Job) -> bool:
    """Requeues a running spare job because other jobs wait, without counting the attempt; it starts again after
    them."""
    mine = claimed_row(job)
    end_all_cancelled(mine)
    return bool(mine.update(attempts=F("attempts") - 1, gave_way=F("gave_way") + 1, **queued_values(Now())))


def retry_or_fail(job: Job, error: Message, now: datetime) -> bool:
    """Requeues a job whose attempt failed through no fault of its own; marks it as failed after the last attempt."""
    mine = claimed_row(job)
    end_all_cancelled(mine)
    if job.attempts >= MOST_ATTEMPTS:
        return fail(job, error, now)
    return bool(mine.update(**queued_values(Now())))


def requeue_all_of_worker(worker: str) -> int:
    """Requeues the running jobs of a worker that shuts down, without counting the attempt; returns their number."""
    running = Job.objects.filter(state=State.RUNNING, worker=worker)
    end_all_cancelled(running)
    return running.update(attempts=F("attempts") - 1, **queued_values(Now()))


def queued_values(since: datetime | Now) -> dict[str, Any]:
    """Returns the column values of a requeued job; `since` by the database's clock."""
    return {"state": State.QUEUED, "claim": "", "queued": since, "words": {}, "fraction": None}


def end_all_cancelled(rows: QuerySet[Job]) -> int:
    """Ends the jobs of `rows` whose cancellation was requested; they must not be requeued."""
    return rows.filter(cancel_asked=True).update(state=State.CANCELLED, claim="", finished=Now())
