"""Health checks of background work: whether a worker lives, and whether jobs wait although one is free."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max, Min, Q

from jobs import database, job_queue, job_state_changes
from jobs.models import Job, State, Worker

MOST_TICKS_WITHOUT_CLAIM = 6
"""Number of ticks without a claim after which a worker counts as not listening to the queue.

Each tick wakes free processes.
"""


@dataclass(frozen=True)
class HealthFinding:
    """The result of a health check; `words` are for a person and reveal no internals."""

    ok: bool
    words: str


def check_queue() -> HealthFinding:
    """Checks whether the queue can be reached."""
    return (
        HealthFinding(True, "reached")
        if job_queue.is_queue_reachable()
        else HealthFinding(False, "cannot be reached")
    )


def check_worker(now: datetime) -> HealthFinding:
    """Checks whether at least one worker had a recent heartbeat and has its compiled code loaded (is warm)."""
    lately = Worker.objects.with_recent_heartbeat(now)
    if any(worker.warm for worker in lately):
        return HealthFinding(True, "heard and warm")
    return HealthFinding(False, "heard, not warm yet" if lately else "none heard lately")


def check_jobs(now: datetime) -> HealthFinding:
    """Checks whether jobs have waited too long although a worker is free."""
    warm = Worker.objects.with_recent_heartbeat(now).filter(warm=True)
    waited = max((unclaimed_wait(worker, now) for worker in warm), default=timedelta(0))
    if waited < max_unclaimed_wait():
        return HealthFinding(True, "none waits untaken")
    return HealthFinding(False, f"have waited {round(waited.total_seconds())} s untaken")


def max_unclaimed_wait() -> timedelta:
    return timedelta(seconds=MOST_TICKS_WITHOUT_CLAIM * settings.TICK_SECONDS)


def unclaimed_wait(worker: Worker, now: datetime) -> timedelta:
    """Returns how long jobs have waited while this worker had a free process and claimed none; zero if none did."""
    since = job_state_changes.waiting_jobs().aggregate(since=Min("queued"))["since"]
    busy = Job.objects.filter(state=State.RUNNING, worker=worker.name).count()
    if since is None or busy >= worker.slots:
        return timedelta(0)
    until = database.latest_plausible_time(now)
    last_busy = Job.objects.filter(worker=worker.name).aggregate(
        started=Max("started", filter=Q(started__lte=until)),
        finished=Max("finished", filter=Q(finished__lte=until)),
    )
    waited: timedelta = now - max([since, *(moment for moment in last_busy.values() if moment)])
    return max(waited, timedelta(0))
