"""Health checks of background work: does a worker live, and do jobs wait although one is free?"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max, Min, Q

from jobs import database, transitions, wake
from jobs.models import Job, State, Worker

UNTAKEN_TICKS = 6
"""After so many ticks a worker that takes nothing does not listen: free processes are woken at each."""


@dataclass(frozen=True)
class HealthFinding:
    """`words` is for a person; it names nothing of the inside."""

    ok: bool
    words: str


def broker() -> HealthFinding:
    return HealthFinding(True, "reached") if wake.reachable() else HealthFinding(False, "cannot be reached")


def worker(now: datetime) -> HealthFinding:
    """One worker heard lately and warm is enough."""
    lately = Worker.objects.heard(now)
    if any(worker.warm for worker in lately):
        return HealthFinding(True, "heard and warm")
    return HealthFinding(False, "heard, not warm yet" if lately else "none heard lately")


def jobs(now: datetime) -> HealthFinding:
    """Jobs may wait for as long as every worker is busy, and no longer."""
    warm = Worker.objects.heard(now).filter(warm=True)
    waited = max((untaken(worker, now) for worker in warm), default=timedelta(0))
    if waited < longest_wait():
        return HealthFinding(True, "none waits untaken")
    return HealthFinding(False, f"have waited {round(waited.total_seconds())} s untaken")


def longest_wait() -> timedelta:
    return timedelta(seconds=UNTAKEN_TICKS * settings.TICK_SECONDS)


def untaken(worker: Worker, now: datetime) -> timedelta:
    """For how long jobs have waited while this worker had a free process and took none; zero where all is well."""
    since = transitions.waiting().aggregate(since=Min("queued"))["since"]
    busy = Job.objects.filter(state=State.RUNNING, worker=worker.name).count()
    if since is None or busy >= worker.slots:
        return timedelta(0)
    waited: timedelta = now - max(since, last_busy(worker, now) or since)
    return max(waited, timedelta(0))


def last_busy(worker: Worker, now: datetime) -> datetime | None:
    """When this worker last took a job or ended one, but for those from before the clock was set back."""
    until = database.ahead(now)
    latest = Job.objects.filter(worker=worker.name).aggregate(
        taken=Max("started", filter=Q(started__lte=until)),
        ended=Max("finished", filter=Q(finished__lte=until)),
    )
    return max((moment for moment in latest.values() if moment), default=None)
