"""How all background work stands, for those who run the instance."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractUser
from django.db.models import Count

from jobs import health, queue
from jobs.kinds import kinds
from jobs.models import Job, State, Visible, Worker
from jobs.standing import BADGES, span

RECENT = 20


@dataclass(frozen=True)
class Seen:
    worker: Worker
    lately: bool
    ago: str


@dataclass(frozen=True)
class Recent:
    job: Job
    badge: str


@dataclass(frozen=True)
class Overview:
    """`hints` is None where the queue cannot be reached; `counts` are pairs of a state's label and a number."""

    workers: list[Seen]
    hints: int | None
    counts: list[tuple[str, int]]
    recent: list[Recent]

    @property
    def worker_heard(self) -> bool:
        return any(seen.lately for seen in self.workers)


def of(person: AbstractUser, now: datetime) -> Overview:
    lately = {worker.pk for worker in health.heard(now)}
    workers = [
        Seen(worker, worker.pk in lately, span(now - worker.heard))
        for worker in Worker.objects.order_by("-heard")
    ]
    return Overview(workers, queue.hints(), counts(), recent(person))


def counts() -> list[tuple[str, int]]:
    found = dict.fromkeys(State.values, 0)
    for model in kinds():
        for state, n in model._base_manager.values_list("state").annotate(Count("pk")).order_by():
            found[state] += n
    return [(str(State(state).label), n) for state, n in found.items()]


def recent(person: AbstractUser) -> list[Recent]:
    jobs: list[Job] = []
    for model in kinds():
        if isinstance(model._default_manager, Visible):
            jobs += model._default_manager.visible_to(person).order_by("-created")[:RECENT]
    newest = sorted(jobs, key=lambda job: job.created, reverse=True)[:RECENT]
    shown = [job.shown_to(person) for job in newest]
    return [Recent(job, BADGES[State(job.state)]) for job in shown]
