"""The page of all background work, for staff."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count
from django.utils.module_loading import import_string

from jobs import health, queue
from jobs.kinds import kinds
from jobs.models import Job, State, Worker
from jobs.status import BADGES, span
from people.guarded import Visible
from people.models import Person

RECENT = 20
Fact = Callable[[], tuple[str, int]]
"""A label and a number, as functions that `settings.BACKGROUND_FACTS` names give them."""


@dataclass(frozen=True)
class WorkerRow:
    worker: Worker
    lately: bool
    ago: str


@dataclass(frozen=True)
class JobRow:
    job: Job
    badge: str


@dataclass(frozen=True)
class BackgroundPage:
    """`hints`: messages in the queue, None where it cannot be reached. `untaken`: jobs wait although a worker is free.
    `counts` are pairs of a state's label and a number, `facts` of any label and a number."""

    workers: list[WorkerRow]
    hints: int | None
    untaken: bool
    counts: list[tuple[str, int]]
    recent: list[JobRow]
    facts: list[tuple[str, int]]

    @property
    def worker_heard(self) -> bool:
        return any(row.lately for row in self.workers)


def of(person: Person, now: datetime) -> BackgroundPage:
    lately = {worker.pk for worker in health.workers_heard(now)}
    workers = [
        WorkerRow(worker, worker.pk in lately, span(now - worker.heard))
        for worker in Worker.objects.order_by("-heard")
    ]
    facts: list[Fact] = [import_string(name) for name in settings.BACKGROUND_FACTS]
    return BackgroundPage(
        workers, queue.hints(), not health.jobs(now).ok, counts(), recent(person), [fact() for fact in facts]
    )


def counts() -> list[tuple[str, int]]:
    found = dict.fromkeys(State.values, 0)
    for model in kinds():
        for state, n in model._base_manager.values_list("state").annotate(Count("pk")).order_by():
            found[state] += n
    return [(str(State(state).label), n) for state, n in found.items()]


def recent(person: Person) -> list[JobRow]:
    jobs: list[Job] = []
    for model in kinds():
        if isinstance(model._default_manager, Visible):
            jobs += model._default_manager.visible_to(person).order_by("-created")[:RECENT]
    newest = sorted(jobs, key=lambda job: job.created, reverse=True)[:RECENT]
    shown = [job.shown_to(person) for job in newest]
    return [JobRow(job, BADGES[State(job.state)]) for job in shown]
