"""Rows of background work. The row is the truth about a job; the queue only hints that there is one."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

from django.conf import settings
from django.core import checks
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.module_loading import import_string
from django.utils.translation import gettext, gettext_lazy as _, gettext_noop

from jobs.message import Message, read
from jobs.progress import Progress
from people.guarded import Guarded, Visible
from people.models import Person

MOST_ATTEMPTS = 3
Write = Callable[[], object]
Perform = Callable[[Any, Progress], Write | None]


class State(models.TextChoices):
    QUEUED = "queued", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


FINISHED = (State.DONE, State.FAILED, State.CANCELLED)


class Job(Guarded):
    """The base of every kind of job; `class Meta(Job.Meta)` inherits the constraints.

    A kind of job names its `performer` and writes `may` (for "see", "cancel" and what else it knows) and a manager with
    `visible_to(person)`. Only jobs/transitions.py and jobs/reaping.py change a state, on the condition that the state
    and the claim are what they believe.
    """

    performer: ClassVar[str] = ""
    """The dotted name of the function that performs it: `perform(job, progress) -> Write | None`."""

    state = models.CharField(_("state"), max_length=9, choices=State, default=State.QUEUED, editable=False)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0, editable=False)
    created = models.DateTimeField(_("created"), editable=False)
    hinted = models.DateTimeField(null=True, editable=False)
    started = models.DateTimeField(_("started"), null=True, editable=False)
    finished = models.DateTimeField(_("finished"), null=True, editable=False)
    heartbeat = models.DateTimeField(null=True, editable=False)
    fraction = models.FloatField(null=True, editable=False)
    words = models.JSONField(default=dict, editable=False)
    error = models.JSONField(default=dict, editable=False)
    cancel_asked = models.BooleanField(default=False, editable=False)
    claim = models.CharField(max_length=32, default="", editable=False)
    worker = models.CharField(max_length=200, default="", editable=False)

    class Meta:
        abstract = True
        indexes = [models.Index(fields=["state", "created"], name="%(app_label)s_%(class)s_state")]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=State.values), name="%(app_label)s_%(class)s_states"
            ),
            models.CheckConstraint(
                condition=Q(state=State.RUNNING, heartbeat__isnull=False) & ~Q(claim="")
                | ~Q(state=State.RUNNING) & Q(claim=""),
                name="%(app_label)s_%(class)s_claimed",
            ),
            models.CheckConstraint(
                condition=Q(state__in=FINISHED, finished__isnull=False)
                | ~Q(state__in=FINISHED) & Q(finished__isnull=True),
                name="%(app_label)s_%(class)s_finished",
            ),
            models.CheckConstraint(
                condition=Q(fraction__isnull=True) | Q(fraction__gte=0, fraction__lte=1),
                name="%(app_label)s_%(class)s_fraction",
            ),
        ]

    def perform(self, progress: Progress) -> Write | None:
        """Compute without writing, saying `progress(fraction, words)` now and then; return what stores the
        result. The task calls it in the transaction that makes the job done, so it happens once or never.

        None: the performer has called `transitions.hand_on`, and other rows go on with the job."""
        perform: Perform = import_string(self.performer)
        return perform(self, progress)

    def lock_parents(self) -> None:
        """Lock the rows that must be locked before the job's own, in the transaction that stores the result. A
        destruction locks in the same order, so the two cannot deadlock."""

    def shown_to(self, person: Person) -> "Job":
        """The row as pages show it to this person, without progress that would reveal too much."""
        return self

    def title(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"

    def title_among_all(self) -> str:
        """The title in the list of all jobs."""
        return self.title()

    @property
    def label(self) -> str:
        return self._meta.label_lower

    @property
    def live(self) -> bool:
        return self.state in (State.QUEUED, State.RUNNING)

    @property
    def saying(self) -> Message:
        return read(self.words)

    @property
    def problem(self) -> Message:
        return read(self.error)

    @classmethod
    def check(cls, **kwargs: Any) -> list[checks.CheckMessage]:
        found = super().check(**kwargs)
        if len(cls._meta.constraints) < len(Job.Meta.constraints):
            hint = "Write `class Meta(Job.Meta):` in the model."
            found.append(checks.Error("A job without its constraints.", hint=hint, obj=cls, id="jobs.E001"))
        if not isinstance(cls._default_manager, Visible):
            hint = "Give the model's first manager a visible_to(person)."
            found.append(
                checks.Error("Nobody says who may see this job.", hint=hint, obj=cls, id="jobs.E002")
            )
        if cls.perform is Job.perform and not resolves(cls.performer):
            hint = "Name in `performer` a function of the job and its progress, with its module."
            found.append(checks.Error("Nothing performs this job.", hint=hint, obj=cls, id="jobs.E003"))
        return found


def resolves(name: str) -> bool:
    try:
        return callable(import_string(name))
    except ImportError:
        return False


class TrialQuerySet(models.QuerySet["Trial"]):
    def visible_to(self, person: Person) -> Self:
        return self if person.is_staff else self.none()


class Trial(Job):
    """An operator's self-check: it counts slowly and leaves one mark."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person")
    )
    steps = models.PositiveSmallIntegerField(
        _("steps"), default=20, validators=[MinValueValidator(1), MaxValueValidator(600)]
    )
    pause = models.PositiveSmallIntegerField(_("milliseconds a step"), default=250)

    objects = TrialQuerySet.as_manager()

    class Meta(Job.Meta):
        verbose_name = _("trial")
        verbose_name_plural = _("trials")

    def __str__(self) -> str:
        return self.title()

    def perform(self, progress: Progress) -> Write:
        for step in range(1, self.steps + 1):
            told = gettext_noop("Step %(step)s of %(steps)s")
            progress((step - 1) / self.steps, told, step=step, steps=self.steps)
            time.sleep(self.pause / 1000)
        return partial(Mark.objects.create, trial=self)

    def may(self, person: Person, action: str) -> bool:
        return {"see": person.is_staff, "cancel": person.is_staff}[action]

    def title(self) -> str:
        return gettext("Trial %(number)s") % {"number": self.pk}


class Mark(models.Model):
    """The result of a trial. No constraint prevents a second one; the claim has to."""

    trial = models.ForeignKey(Trial, models.CASCADE, related_name="marks")

    def __str__(self) -> str:
        return str(self.pk)


class Worker(models.Model):
    """The main process of a worker, while its heartbeat lasts."""

    name = models.CharField(_("name"), max_length=200, primary_key=True)
    heard = models.DateTimeField(_("heard"))
    warm = models.BooleanField(_("warm"), default=False)
    slots = models.PositiveSmallIntegerField(_("jobs at a time"), default=1)

    class Meta:
        verbose_name = _("worker")
        verbose_name_plural = _("workers")

    def __str__(self) -> str:
        return self.name


class Lease(models.Model):
    """A right that one process has at a time, until it expires."""

    name = models.CharField(_("name"), max_length=50, primary_key=True)
    holder = models.CharField(_("holder"), max_length=200)
    until = models.DateTimeField(_("until"))

    class Meta:
        verbose_name = _("lease")
        verbose_name_plural = _("leases")

    def __str__(self) -> str:
        return self.name
