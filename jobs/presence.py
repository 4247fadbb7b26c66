"""The heartbeat row of a worker: that it lives, and whether it is warm."""

from datetime import datetime

from jobs.models import Worker

# The worker of this process. The pool's children inherit the name and put it into their claims.
name = ""


def beat(now: datetime, warm: bool, slots: int) -> Worker:
    """`slots`: how many jobs it does at a time."""
    said = {"heard": now, "warm": warm, "slots": slots}
    return Worker.objects.update_or_create(name=name, defaults=said)[0]


def leave() -> None:
    Worker.objects.filter(name=name).delete()
