"""What the health page asks of background work."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from jobs import queue
from jobs.models import Worker


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


def heard(now: datetime) -> list[Worker]:
    """The workers that said within three ticks that they live."""
    return list(Worker.objects.filter(heard__gte=silence(now)).order_by("name"))


def silence(now: datetime) -> datetime:
    return now - timedelta(seconds=3 * settings.TICK_SECONDS)
