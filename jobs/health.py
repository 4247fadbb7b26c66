"""What the health page asks of background work."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from jobs import clock, queue, waiting
from jobs.models import Worker

# After four ticks a deaf worker connects anew; what waits longer needs a person.
UNTAKEN_TICKS = 6


@dataclass(frozen=True)
class Finding:
    """`words` is for a person; it names nothing of the inside."""

    ok: bool
    words: str


def broker() -> Finding:
    return Finding(True, "reached") if queue.hints() is not None else Finding(False, "cannot be reached")


def worker(now: datetime) -> Finding:
    """One worker heard lately and warm is enough."""
    lately = heard(now)
    if any(one.warm for one in lately):
        return Finding(True, "heard and warm")
    return Finding(False, "heard, not warm yet" if lately else "none heard lately")


def jobs(now: datetime) -> Finding:
    """Jobs may wait for as long as every worker is busy, and no longer."""
    waited = max((waiting.untaken(worker, now) for worker in heard(now) if worker.warm), default=timedelta(0))
    if waited < timedelta(seconds=UNTAKEN_TICKS * settings.TICK_SECONDS):
        return Finding(True, "none waits untaken")
    return Finding(False, f"have waited {round(waited.total_seconds())} s untaken")


def heard(now: datetime) -> list[Worker]:
    """The workers that said within three ticks that they live, by the clock as it is now."""
    return list(Worker.objects.filter(heard__range=(silence(now), clock.ahead(now))).order_by("name"))


def silence(now: datetime) -> datetime:
    return now - timedelta(seconds=3 * settings.TICK_SECONDS)
