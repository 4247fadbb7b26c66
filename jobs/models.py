"""Database rows of jobs. The row is the truth about a job; a queue message only says that some job waits."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, ClassVar, Self

from django.apps import apps
from django.conf import settings
from django.core import checks
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.module_loading import import_string
from django.utils.translation import gettext, gettext_lazy as _, gettext_noop

from accounts.models import Person
from accounts.permission_model_base_classes import Guarded, Visible
from jobs import database
from jobs.progress_messages import Message, Progress

MOST_ATTEMPTS = 3
MOST_TIMES_GIVEN_WAY = 3
"""Number of times that a spare job is requeued in favour of others; then it runs to its end."""
Write = Callable[[], object]
Perform = Callable[[Any, Progress], Write]


class State(models.TextChoices):
    QUEUED = "queued", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


LIVE = (State.QUEUED, State.RUNNING)
FINISHED = (State.DONE, State.FAILED, State.CANCELLED)


class Job(Guarded):
    """The columns of every job. Each kind of job is a `JobKind` with a table of its own.

    A kind names its `performer` and defines `may` (for "see", "cancel" and its own actions) and a manager with
    `visible_to(person)`. Only jobs/job_state_changes.py and jobs/running_job_heartbeats.py change a state, by an
    UPDATE whose condition is the state and claim that they expect. They use `Job.objects`, since an UPDATE through a
    kind selects first.

    `kind` is the label of its model. Jobs are claimed in the order of `created`, spare ones while no other waits.
    `queued`: start of its present wait for a worker; `gave_way`: how often it was requeued in favour of others.
    """

    performer: ClassVar[str] = ""
    """Dotted name of the function `perform(job, progress) -> Write`."""

    is_spare: ClassVar[bool] = False
    """True if jobs of this kind wait until no other job does, and are requeued if other jobs arrive while they run."""

    kind = models.CharField(max_length=100, editable=False)
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.QUEUED, editable=False)
    spare = models.BooleanField(default=False, editable=False)
    gave_way = models.PositiveSmallIntegerField(default=0, editable=False)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0, editable=False)
    created = models.DateTimeField(_("created"), editable=False)
    queued = models.DateTimeField(editable=False)
    started = models.DateTimeField(_("started"), null=True, editable=False)
    finished = models.DateTimeField(_("finished"), null=True, editable=False)
    heartbeat = models.DateTimeField(null=True, editable=False)
    fraction = models.FloatField(null=True, editable=False)
    words = models.JSONField(default=dict, editable=False)
    error = models.JSONField(default=dict, editable=False)
    cancel_asked = models.BooleanField(default=False, editable=False)
    claim = models.CharField(max_length=32, default="", editable=False)
    worker = models.CharField(max_length=200, default="", editable=False)

    objects: ClassVar[models.Manager["Job"]] = models.Manager()

    class Meta:
        indexes = [models.Index(fields=["state", "created"], name="jobs_state")]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=State.values), name="jobs_states"),
            models.CheckConstraint(
                condition=Q(state=State.RUNNING, heartbeat__isnull=False) & ~Q(claim="")
                | ~Q(state=State.RUNNING) & Q(claim=""),
                name="jobs_claimed",
            ),
            models.CheckConstraint(
                condition=Q(state__in=FINISHED, finished__isnull=False)
                | ~Q(state__in=FINISHED) & Q(finished__isnull=True),
                name="jobs_finished",
            ),
            models.CheckConstraint(
                condition=Q(fraction__isnull=True) | Q(fraction__gte=0, fraction__lte=1),
                name="jobs_fraction",
            ),
        ]

    def __str__(self) -> str:
        return self.title()

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.kind, self.spare = self.label, self.is_spare
        self.queued = getattr(self, "queued", None) or self.created
        super().save(*args, **kwargs)

    def perform(self, progress: Progress) -> Write:
        """Computes the job without writing, and returns the function that stores its result.

        Calls `progress(fraction, text)` now and then. The returned function is called in the transaction that
        ends the job, so the result is stored once or never.
        """
        perform: Perform = import_string(self.performer)
        return perform(self, progress)

    def lock_parents(self) -> None:
        """Locks the rows that must be locked before the job's own, in the transaction that stores the result.

        The destruction of a survey locks in the same order, so the two cannot deadlock.
        """

    def shown_to(self, person: Person) -> "Job":
        """Returns the job as pages show it to this person, without progress that would reveal too much."""
        return self

    def title(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"

    def title_among_all(self) -> str:
        """Returns the title for a list of jobs of all surveys and kinds."""
        return self.title()

    @property
    def label(self) -> str:
        return self._meta.label_lower

    @property
    def live(self) -> bool:
        return self.state in LIVE

    @property
    def progress_message(self) -> Message:
        return Message.from_json(self.words)

    @property
    def problem(self) -> Message:
        return Message.from_json(self.error)


class JobKind(Job):
    """Base class of the kinds of jobs, each with its own columns besides those of `Job`.

    `Job` has no attribute that leads to the row of its kind; see job_state_changes.load_with_kind_columns.
    """

    job = models.OneToOneField(Job, models.CASCADE, parent_link=True, primary_key=True, related_name="+")

    class Meta:
        abstract = True

    @classmethod
    def check(cls, **kwargs: Any) -> list[checks.CheckMessage]:
        messages = super().check(**kwargs)
        if not isinstance(cls._default_manager, Visible):
            hint = "Give the model's first manager a visible_to(person)."
            messages.append(
                checks.Error("Nobody says who may see this job.", hint=hint, obj=cls, id="jobs.E002")
            )
        try:
            has_performer = cls.perform is not Job.perform or callable(import_string(cls.performer))
        except ImportError:
            has_performer = False
        if not has_performer:
            hint = "Name in `performer` a function of the job and its progress, with its module."
            messages.append(checks.Error("Nothing performs this job.", hint=hint, obj=cls, id="jobs.E003"))
        return messages


def job_kinds_by_label() -> dict[str, type[Job]]:
    """Returns the model of every kind of job by its label, `app_label.model`."""
    models = [model for model in apps.get_models() if issubclass(model, JobKind)]
    return {model._meta.label_lower: model for model in models}


class TrialQuerySet(models.QuerySet["Trial"]):
    def visible_to(self, person: Person) -> Self:
        return self if person.is_staff else self.none()


class Trial(JobKind):
    """An operator's test job: it counts slowly and stores one mark."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    steps = models.PositiveSmallIntegerField(
        _("steps"), default=20, validators=[MinValueValidator(1), MaxValueValidator(600)]
    )
    pause = models.PositiveSmallIntegerField(_("milliseconds a step"), default=250)

    objects: ClassVar[TrialQuerySet] = TrialQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("trial")
        verbose_name_plural = _("trials")

    def perform(self, progress: Progress) -> Write:
        for step in range(1, self.steps + 1):
            text = gettext_noop("Step %(step)s of %(steps)s")
            progress((step - 1) / self.steps, text, step=step, steps=self.steps)
            time.sleep(self.pause / 1000)
        return partial(Mark.objects.create, trial=self)

    def may(self, person: Person, action: str) -> bool:
        return {"see": person.is_staff, "cancel": person.is_staff}[action]

    def title(self) -> str:
        return gettext("Trial %(number)s") % {"number": self.pk}


class Mark(models.Model):
    """The result row of an operator's test job. The job's claim, not a constraint, prevents a second one."""

    trial = models.ForeignKey(Trial, models.CASCADE, related_name="marks")

    def __str__(self) -> str:
        return str(self.pk)


class WorkerQuerySet(models.QuerySet["Worker"]):
    def with_recent_heartbeat(self, now: datetime) -> Self:
        """Selects the workers with a heartbeat within the last three ticks."""
        since = now - timedelta(seconds=3 * settings.TICK_SECONDS)
        return self.filter(heard__range=(since, database.latest_plausible_time(now))).order_by("name")


class Worker(models.Model):
    """The main process of a worker and its last heartbeat."""

    name = models.CharField(_("name"), max_length=200, primary_key=True)
    heard = models.DateTimeField(_("heard"))
    warm = models.BooleanField(_("warm"), default=False)
    slots = models.PositiveSmallIntegerField(_("jobs at a time"), default=1)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        verbose_name = _("worker")
        verbose_name_plural = _("workers")

    def __str__(self) -> str:
        return self.name


class Lease(models.Model):
    """A lease: the exclusive right of one process to a task, until it expires."""

    name = models.CharField(_("name"), max_length=50, primary_key=True)
    holder = models.CharField(_("holder"), max_length=200)
    until = models.DateTimeField(_("until"))

    class Meta:
        verbose_name = _("lease")
        verbose_name_plural = _("leases")

    def __str__(self) -> str:
        return self.name
