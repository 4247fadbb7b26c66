"""How all background work stands, for those who run the instance."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from jobs import health, queue
from jobs.kinds import kinds
from jobs.models import Job, State, Worker
from jobs.status import BADGES, span
from people.guarded import Visible
from people.models import Person

RECENT = 20
Fact = Callable[[], tuple[str, int]]
_facts: list[Fact] = []


def register(fact: Fact) -> None:
    """`fact()` -> a label and a number, which a later room has those who run the instance see."""
    if fact not in _facts:
        _facts.append(fact)


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
    """`hints` is None where the queue cannot be reached; `untaken`: jobs wait although a worker is free; `counts` are
    pairs of a state's label and a number, `facts` of another room's label and a number."""

    workers: list[Seen]
    hints: int | None
    untaken: bool
    counts: list[tuple[str, int]]
    recent: list[Recent]
    facts: list[tuple[str, int]]

    @property
    def worker_heard(self) -> bool:
        return any(seen.lately for seen in self.workers)


def of(person: Person, now: datetime) -> Overview:
    lately = {worker.pk for worker in health.heard(now)}
    workers = [
        Seen(worker, worker.pk in lately, span(now - worker.heard))
        for worker in Worker.objects.order_by("-heard")
    ]
    facts = [fact() for fact in _facts]
    return Overview(workers, queue.hints(), not health.jobs(now).ok, counts(), recent(person), facts)


def counts() -> list[tuple[str, int]]:
    found = dict.fromkeys(State.values, 0)
    for model in kinds():
        for state, n in model._base_manager.values_list("state").annotate(Count("pk")).order_by():
            found[state] += n
    return [(str(State(state).label), n) for state, n in found.items()]


def recent(person: Person) -> list[Recent]:
    jobs: list[Job] = []
    for model in kinds():
        if isinstance(model._default_manager, Visible):
            jobs += model._default_manager.visible_to(person).order_by("-created")[:RECENT]
    newest = sorted(jobs, key=lambda job: job.created, reverse=True)[:RECENT]
    shown = [job.shown_to(person) for job in newest]
    return [Recent(job, BADGES[State(job.state)]) for job in shown]
