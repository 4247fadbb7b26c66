"""Health checks of background work."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from jobs import database, queue, waiting
from jobs.models import Worker

# After four ticks a worker that does not listen reconnects; what waits longer needs a person.
UNTAKEN_TICKS = 6


@dataclass(frozen=True)
class HealthFinding:
    """`words` is for a person; it names nothing of the inside."""

    ok: bool
    words: str


def broker() -> HealthFinding:
    return (
        HealthFinding(True, "reached")
        if queue.hints() is not None
        else HealthFinding(False, "cannot be reached")
    )


def worker(now: datetime) -> HealthFinding:
    """One worker heard lately and warm is enough."""
    lately = workers_heard(now)
    if any(one.warm for one in lately):
        return HealthFinding(True, "heard and warm")
    return HealthFinding(False, "heard, not warm yet" if lately else "none heard lately")


def jobs(now: datetime) -> HealthFinding:
    """Jobs may wait for as long as every worker is busy, and no longer."""
    waited = max(
        (waiting.untaken(worker, now) for worker in workers_heard(now) if worker.warm), default=timedelta(0)
    )
    if waited < timedelta(seconds=UNTAKEN_TICKS * settings.TICK_SECONDS):
        return HealthFinding(True, "none waits untaken")
    return HealthFinding(False, f"have waited {round(waited.total_seconds())} s untaken")


def workers_heard(now: datetime) -> list[Worker]:
    """The workers with a heartbeat within three ticks, by the clock as it is now."""
    return list(Worker.objects.filter(heard__range=(heard_since(now), database.ahead(now))).order_by("name"))


def heard_since(now: datetime) -> datetime:
    return now - timedelta(seconds=3 * settings.TICK_SECONDS)
