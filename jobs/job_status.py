"""Status of one job, as every page shows it, and the staff page of all jobs.

`{% include "jobs/_progress.html" with job=run %}` shows any app's job; the tag that it uses is registered
here (settings.TEMPLATES).
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

from accounts.deactivated_account_activities import ContinuingActivity
from accounts.models import RESEARCHERS, Person
from accounts.permission_model_base_classes import Visible
from jobs import database, health, job_queue, job_state_changes
from jobs.models import LIVE, MOST_ATTEMPTS, Job, State, Worker, job_kinds_by_label
from ui.sentence_joining import join_sentences

register = Library()
RECENT = 20

BADGES = {
    State.QUEUED: "waiting",
    State.RUNNING: "active",
    State.DONE: "done",
    State.FAILED: "wrong",
    State.CANCELLED: "stopped",
}


# --- the box of one job ---


@dataclass(frozen=True)
class Infrastructure:
    """State of what all jobs need: whether a worker lives, one has its compiled code loaded (`warm`), and the queue can
    be reached."""

    now: datetime
    worker: bool = True
    warm: bool = True
    queue: bool = True


@dataclass(frozen=True)
class JobStatus:
    """The status of a job as its box on a page shows it; `name` is the id of the box."""

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
        """A digest that changes whenever the status box changes."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]

    @property
    def frame(self) -> str:
        """A text that changes if the job ends or its button to cancel appears or goes; the page then replaces the whole
        box."""
        return f"{self.live:d}{self.may_cancel:d}"


@register.simple_tag(name="standing", takes_context=True)
def status_tag(context: Context, job: Job) -> JobStatus:
    return job_status_for_person(job, context["request"].user)


def job_status_for_person(job: Job, person: Person) -> JobStatus:
    now = database.now()
    infrastructure = Infrastructure(now)
    if job.live:
        workers = Worker.objects.with_recent_heartbeat(now)
        infrastructure = Infrastructure(
            now,
            worker=bool(workers),
            warm=any(worker.warm for worker in workers),
            queue=job_queue.is_queue_reachable(),
        )
    return job_status(job.shown_to(person), infrastructure, job.may(person, "cancel"))


def job_status(job: Job, infrastructure: Infrastructure, may_cancel: bool) -> JobStatus:
    return JobStatus(
        name=f"job-{job.label.replace('.', '-')}-{job.pk}",
        badge=BADGES[State(job.state)],
        label=str(State(job.state).label),
        sentence=join_sentences(_status_sentences(job, infrastructure)),
        fraction=job.fraction,
        words=str(job.progress_message),
        problem=str(job.problem),
        live=job.live,
        may_cancel=may_cancel and job.live and not job.cancel_asked,
    )


def _status_sentences(job: Job, infrastructure: Infrastructure) -> list[str]:
    match job.state:
        case State.DONE:
            lasted = duration_text(job.finished - job.started) if job.started and job.finished else "–"
            return [_("Finished after %(time)s.") % {"time": lasted}]
        case State.CANCELLED:
            return [_("Cancelled. Nothing of it was stored.")]
        case State.FAILED:
            return [_("Nothing of it was stored.")]
    is_running = job.state == State.RUNNING
    attempt = job.attempts if is_running else job.attempts + 1
    no_worker = _("No worker answers just now. The job starts by itself as soon as one does.")
    sentences = []
    if attempt > 1:
        words = _("The last attempt did not end; trying again (attempt %(attempt)s of %(most)s).")
        sentences.append(words % {"attempt": attempt, "most": MOST_ATTEMPTS})
    if is_running:
        if job.cancel_asked:
            sentences.append(_("It is being cancelled and stops at its next step."))
        now, limit = infrastructure.now, timedelta(seconds=2 * settings.HEARTBEAT_SECONDS)
        if job.heartbeat and not now - limit <= job.heartbeat <= database.latest_plausible_time(now):
            sentences.append(
                _(
                    "The worker has been silent for a while. If it stays silent, the job starts again by itself."
                )
            )
            if not infrastructure.worker:
                sentences.append(no_worker)
        if not infrastructure.queue:
            sentences.append(_("The queue cannot be reached just now; this job goes on without it."))
        return sentences
    if not infrastructure.queue:
        sentences.append(
            _("The queue cannot be reached just now. Nothing is lost; the job is sent again by itself.")
        )
    if not infrastructure.worker:
        sentences.append(no_worker)
    elif not infrastructure.warm:
        sentences.append(_("The worker is getting ready, which takes about a minute after an installation."))
    if not sentences and job.spare:
        return [_("It starts as soon as a worker is free and no other job waits.")]
    return sentences or [_("It starts as soon as a worker is free.")]


def duration_text(time: timedelta) -> str:
    """Formats a time span as minutes and seconds."""
    seconds = max(0, round(time.total_seconds()))
    if not seconds:
        return _("less than a second")
    if seconds < 60:
        return _("%(seconds)s s") % {"seconds": seconds}
    return _("%(minutes)s min %(seconds)s s") % {"minutes": seconds // 60, "seconds": seconds % 60}


# --- all jobs ---

Fact = Callable[[], tuple[str, int] | None]
"""Function that returns a label and a number for the page of background work, or None."""
FACTS: list[Fact] = []


def register_background_page_fact(fact: Fact) -> None:
    FACTS.append(fact)


class BackgroundPage:
    """Context of the staff page of background work.

    `reachable`: the queue can be reached; `untaken`: jobs wait although a worker is free. `workers`: each with whether
    its heartbeat is recent, and its age. `recent`: jobs with their badges. `counts` and `facts`: labels and numbers.
    """

    def __init__(self, person: Person, now: datetime) -> None:
        heard = set(Worker.objects.with_recent_heartbeat(now))
        self.workers = [
            (worker, worker in heard, duration_text(now - worker.heard))
            for worker in Worker.objects.order_by("-heard")
        ]
        self.worker_heard = bool(heard)
        self.reachable = job_queue.is_queue_reachable()
        self.untaken = not health.check_jobs(now).ok
        by_state = dict(Job.objects.values_list("state").annotate(Count("pk")))
        # That a job failed is told by its own page alone, to whom it may be told (`Job.shown_to`).
        by_state[State.DONE] = by_state.get(State.DONE, 0) + by_state.pop(State.FAILED, 0)
        self.counts = [(str(state.label), by_state.get(state, 0)) for state in State if state != State.FAILED]
        jobs: list[Job] = []
        for model in job_kinds_by_label().values():
            if isinstance(model._default_manager, Visible):
                jobs += model._default_manager.visible_to(person).order_by("-created")[:RECENT]
        newest = sorted(jobs, key=lambda job: job.created, reverse=True)[:RECENT]
        shown = [job.shown_to(person) for job in newest if job.may(person, "see")]
        self.recent = [(job, BADGES[State(job.state)]) for job in shown]
        self.facts = [pair for fact in FACTS if (pair := fact())]


def researchers_cancellable_jobs(person: Person) -> Iterator[ContinuingActivity]:
    """Yields the waiting and running jobs that this person could cancel as a researcher, not as a reviewer or as
    staff."""
    researcher = copy(person)
    researcher.is_superuser = researcher.is_staff = False
    researcher.__dict__["roles"] = frozenset({RESEARCHERS})
    for label, kind in sorted(job_kinds_by_label().items()):
        for job in kind._default_manager.filter(state__in=LIVE):
            if job.may(researcher, "cancel"):
                yield ContinuingActivity(
                    f"job-{job.pk}",
                    _("Job: %(title)s") % {"title": job.title_among_all()},
                    _("It waits or runs. Ended: it is cancelled, and nothing of it is stored."),
                    reverse("jobs:progress", args=[label, job.pk]),
                    partial(_end_live_job, job),
                )


def _end_live_job(job: Job, administrator: Person, now: datetime) -> None:
    job_state_changes.cancel(job, now)
