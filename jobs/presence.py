"""A worker's row: it says that a worker lives, and whether it is warm."""

from datetime import datetime

from jobs.models import Worker

# The name of the worker this process belongs to. The pool's children inherit it and sign claims with it.
name = ""


def hear(now: datetime, warm: bool, slots: int) -> Worker:
    """`slots`: how many jobs it does at a time."""
    said = {"heard": now, "warm": warm, "slots": slots}
    return Worker.objects.update_or_create(name=name, defaults=said)[0]


def leave() -> None:
    Worker.objects.filter(name=name).delete()
