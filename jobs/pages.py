"""What pages show of jobs: the status of one, as every page shows it, and for staff all of them.

`{% include "jobs/_progress.html" with job=run %}` shows any app's job; its tag is registered here (settings.TEMPLATES).
"""

import hashlib
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db.models import Count
from django.template import Context, Library
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.guarded import Visible
from accounts.left_behind import LeftBehind
from accounts.models import RESEARCHERS, Person
from jobs import database, health, transitions, wake
from jobs.models import MOST_ATTEMPTS, Job, State, Worker, kinds

register = Library()
RECENT = 20

BADGES = {
    State.QUEUED: "waiting",
    State.RUNNING: "active",
    State.DONE: "done",
    State.FAILED: "wrong",
    State.CANCELLED: "stopped",
}


@dataclass(frozen=True)
class Infrastructure:
    """What the job's row does not say: is there a worker, is one ready, and can the queue be reached?"""

    now: datetime
    worker: bool = True
    warm: bool = True
    queue: bool = True


@dataclass(frozen=True)
class JobStatus:
    """`name` is the id of the job's box in a page."""

    name: str
    badge: str
    label: str
    sentence: str
    fraction: float | None
    words: str
    problem: str
    live: bool
    may_cancel: bool

    @property
    def seen(self) -> str:
        """A digest that changes whenever the page changes."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]

    @property
    def frame(self) -> str:
        """Changes where more than the moving part of the box changes."""
        return f"{self.live:d}{self.may_cancel:d}"


def job_status(job: Job, infrastructure: Infrastructure, may_cancel: bool) -> JobStatus:
    return JobStatus(
        name=f"job-{job.label.replace('.', '-')}-{job.pk}",
        badge=BADGES[State(job.state)],
        label=str(State(job.state).label),
        sentence=" ".join(sentences(job, infrastructure)),
        fraction=job.fraction,
        words=str(job.saying),
        problem=str(job.problem),
        live=job.live,
        may_cancel=may_cancel and job.live and not job.cancel_asked,
    )


def sentences(job: Job, infrastructure: Infrastructure) -> list[str]:
    if job.state == State.QUEUED:
        return waiting(job, infrastructure)
    if job.state == State.RUNNING:
        return running(job, infrastructure)
    if job.state == State.DONE:
        return [_("Finished after %(time)s.") % {"time": lasted(job)}]
    if job.state == State.CANCELLED:
        return [_("Cancelled. Nothing of it was stored.")]
    return [_("Nothing of it was stored.")]


def waiting(job: Job, infrastructure: Infrastructure) -> list[str]:
    said = again(job.attempts + 1)
    if not infrastructure.queue:
        said.append(
            _("The queue cannot be reached just now. Nothing is lost; the job is sent again by itself.")
        )
    if not infrastructure.worker:
        said.append(no_worker())
    elif not infrastructure.warm:
        said.append(_("The worker is getting ready, which takes about a minute after an installation."))
    if job.spare and not said:
        return [_("It starts as soon as a worker is free and no other job waits.")]
    return said or [_("It starts as soon as a worker is free.")]


def running(job: Job, infrastructure: Infrastructure) -> list[str]:
    said = again(job.attempts)
    if job.cancel_asked:
        said.append(_("It is being cancelled and stops at its next step."))
    if job.heartbeat and silent(job.heartbeat, infrastructure.now):
        said.append(
            _("The worker has been silent for a while. If it stays silent, the job starts again by itself.")
        )
        said += [] if infrastructure.worker else [no_worker()]
    if not infrastructure.queue:
        said.append(_("The queue cannot be reached just now; this job goes on without it."))
    return said


def silent(heartbeat: datetime, now: datetime) -> bool:
    overdue = now - heartbeat > timedelta(seconds=2 * settings.HEARTBEAT_SECONDS)
    return overdue or heartbeat > database.ahead(now)


def again(attempt: int) -> list[str]:
    if attempt < 2:
        return []
    words = _("The worker stopped answering; trying again (attempt %(attempt)s of %(most)s).")
    return [words % {"attempt": attempt, "most": MOST_ATTEMPTS}]


def no_worker() -> str:
    return _("No worker answers just now. The job starts by itself as soon as one does.")


def lasted(job: Job) -> str:
    return span(job.finished - job.started) if job.started and job.finished else "–"


def span(time: timedelta) -> str:
    seconds = max(0, round(time.total_seconds()))
    if seconds < 60:
        return _("%(seconds)s s") % {"seconds": seconds}
    return _("%(minutes)s min %(seconds)s s") % {"minutes": seconds // 60, "seconds": seconds % 60}


# --- the box of one job ---


def status_for(job: Job, person: Person) -> JobStatus:
    now = database.now()
    infrastructure = Infrastructure(now)
    if job.live:
        workers = Worker.objects.heard(now)
        infrastructure = Infrastructure(
            now,
            worker=bool(workers),
            warm=any(worker.warm for worker in workers),
            queue=wake.reachable(),
        )
    return job_status(job.shown_to(person), infrastructure, job.may(person, "cancel"))


@register.simple_tag(name="standing", takes_context=True)
def status_tag(context: Context, job: Job) -> JobStatus:
    return status_for(job, context["request"].user)


# --- all jobs ---

Fact = Callable[[], tuple[str, int] | None]
"""Gives a label and a number for the page of background work, or nothing."""
FACTS: list[Fact] = []


def register_fact(fact: Fact) -> None:
    FACTS.append(fact)


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
    """`reachable`: the queue is. `untaken`: jobs wait although a worker is free. `counts` are pairs of a state's label
    and a number, `facts` of any label and a number."""

    workers: list[WorkerRow]
    reachable: bool
    untaken: bool
    counts: list[tuple[str, int]]
    recent: list[JobRow]
    facts: list[tuple[str, int]]

    @property
    def worker_heard(self) -> bool:
        return any(row.lately for row in self.workers)


def overview(person: Person, now: datetime) -> BackgroundPage:
    lately = {worker.pk for worker in Worker.objects.heard(now)}
    workers = [
        WorkerRow(worker, worker.pk in lately, span(now - worker.heard))
        for worker in Worker.objects.order_by("-heard")
    ]
    return BackgroundPage(
        workers,
        wake.reachable(),
        not health.jobs(now).ok,
        counts(),
        recent(person),
        [pair for fact in FACTS if (pair := fact())],
    )


def counts() -> list[tuple[str, int]]:
    by_state = dict(Job.objects.values_list("state").annotate(Count("pk")))
    return [(str(state.label), by_state.get(state, 0)) for state in State]


def recent(person: Person) -> list[JobRow]:
    jobs: list[Job] = []
    for model in kinds().values():
        if isinstance(model._default_manager, Visible):
            jobs += model._default_manager.visible_to(person).order_by("-created")[:RECENT]
    newest = sorted(jobs, key=lambda job: job.created, reverse=True)[:RECENT]
    shown = [job.shown_to(person) for job in newest]
    return [JobRow(job, BADGES[State(job.state)]) for job in shown]


def live_jobs_of(person: Person) -> Iterator[LeftBehind]:
    """Jobs that wait or run and that this person could cancel as a researcher, not as a reviewer or as staff."""
    researcher = copy(person)
    researcher.is_superuser = researcher.is_staff = False
    researcher.__dict__["roles"] = frozenset({RESEARCHERS})
    for label, kind in sorted(kinds().items()):
        for job in kind._default_manager.filter(state__in=(State.QUEUED, State.RUNNING)):
            if job.may(researcher, "cancel"):
                yield LeftBehind(
                    f"job-{job.pk}",
                    _("Job: %(title)s") % {"title": job.title_among_all()},
                    _("It waits or runs. Ended: it is cancelled, and nothing of it is stored."),
                    reverse("jobs:progress", args=[label, job.pk]),
                    partial(_cancel, job),
                )


def _cancel(job: Job, administrator: Person, now: datetime) -> None:
    transitions.cancel(job, now)
