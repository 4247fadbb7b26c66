"""Heartbeats of running jobs: written beside the computation, and missed by the workers, which then requeue the job."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isnan

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

from jobs import database, transitions
from jobs.message import Cancelled, ClaimLost, GaveWay, Message
from jobs.models import MOST_ATTEMPTS, MOST_TIMES_GIVEN_WAY, Job, State, Trial, Worker

logger = logging.getLogger(__name__)
PULSE_SECONDS = 0.5
# Missing heartbeats after which a job counts as dead.
PATIENCE = 4
LOOKS = 3
GAVE_UP = Message(
    gettext_noop(
        "The worker stopped answering %(attempts)s times. The job may need more memory than there is: start it again "
        "with less to do at once, or ask the operator to look into the worker's log."
    ),
    {"attempts": MOST_ATTEMPTS},
)


# --- in the process that performs a job ---


class Heartbeat:
    """The progress of one attempt.

    A thread next to the computation does all the writing. So the heartbeat goes on during long native code, and the
    computation never waits for the database.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self._news: tuple[float | None, Message] | None = None
        self._beaten = time.monotonic()
        self._lost = self._cancelled = self._others_wait = self._gives_way = False

    def __call__(self, fraction: float | None, text: str = "", **values: str | int | float) -> None:
        if self._lost:
            raise ClaimLost
        if self._cancelled:
            raise Cancelled
        if self._gives_way:
            raise GaveWay
        if fraction is not None:
            fraction = None if isnan(fraction) else min(max(float(fraction), 0.0), 1.0)
        self._news = fraction, Message(text, values)

    def pulse(self) -> None:
        """Write what is new, or that the job lives; read whether it should go on."""
        if self.job.spare and self.job.gave_way < MOST_TIMES_GIVEN_WAY:
            # Two pulses in a row: what a free process takes at once needs no way.
            waited, self._others_wait = self._others_wait, transitions.others_wait()
            self._gives_way = waited and self._others_wait
        news = self._news
        if news is None and time.monotonic() - self._beaten < settings.HEARTBEAT_SECONDS:
            return
        now = database.now()
        mine = (
            transitions.write_progress(self.job, *news, now)
            if news
            else transitions.write_heartbeat(self.job, now)
        )
        self._beaten = time.monotonic()
        if self._news is news:
            self._news = None
        self._lost = not mine
        self._cancelled = mine and transitions.cancel_asked(self.job)


@contextmanager
def beating(job: Job) -> Iterator[Heartbeat]:
    progress, over = Heartbeat(job), threading.Event()

    def beat() -> None:
        try:
            while not over.wait(PULSE_SECONDS):
                try:
                    progress.pulse()
                except Exception:
                    # The thread survives every error. If no heartbeat can be written, the job counts as dead in time.
                    logger.warning("cannot write the progress of %s %s", job.label, job.pk, exc_info=True)
                    connection.close()
        finally:
            connection.close()

    heart = threading.Thread(target=beat, name="heart", daemon=True)
    heart.start()
    try:
        yield progress
    finally:
        over.set()
        heart.join()


# --- in the main process of every worker ---


@dataclass
class LastBeat:
    """A job's heartbeat, since when it has not changed by our clock, and how often it was looked at."""

    heartbeat: datetime | None
    since: float
    looks: int = 1


class MissingHeartbeats:
    """Which running jobs this process has seen no heartbeat of.

    A heartbeat can be old by the clock because the database was away, because the clock was changed, or because this
    very process was stopped. So a job counts as dead only if its heartbeat did not change over at least two looks of
    this process, for `PATIENCE` heartbeats by its own clock.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._heard: dict[int, LastBeat] = {}
        self._looked = float("-inf")

    def look(self) -> None:
        """Every worker looks at every tick, so that the next one that reaps has looked for long enough."""
        try:
            hearts = dict(Job.objects.filter(state=State.RUNNING).values_list("pk", "heartbeat"))
        except Error:
            self._heard = {}
            raise
        now = self._clock()
        if now - self._looked > longest_gap():
            # Somebody stopped us or the database did not answer: nobody could be heard meanwhile.
            self._heard = {}
        self._looked = now
        self._heard = {pk: self._again(pk, heartbeat, now) for pk, heartbeat in hearts.items()}

    def _again(self, pk: int, heartbeat: datetime | None, now: float) -> LastBeat:
        heard = self._heard.get(pk)
        if heard is None or heard.heartbeat != heartbeat:
            return LastBeat(heartbeat, now)
        return LastBeat(heartbeat, heard.since, heard.looks + 1)

    def jobs(self) -> set[int]:
        """The keys of the jobs without a heartbeat for too long."""
        patience = PATIENCE * settings.HEARTBEAT_SECONDS
        return {
            pk
            for pk, heard in self._heard.items()
            if heard.looks >= LOOKS and self._looked - heard.since >= patience
        }


def longest_gap() -> float:
    """Seconds between two looks: a tick, and what a tick may take."""
    return 1.5 * settings.TICK_SECONDS + settings.HEARTBEAT_SECONDS


MISSING_HEARTBEATS = MissingHeartbeats()


def reap(now: datetime, missing: MissingHeartbeats = MISSING_HEARTBEATS) -> None:
    """Requeue the jobs without a heartbeat, or fail them after the last attempt; called by the tick."""
    if unheard := missing.jobs():
        requeue_unheard(unheard, now)


def requeue_unheard(unheard: set[int], now: datetime) -> None:
    before = now - timedelta(seconds=PATIENCE * settings.HEARTBEAT_SECONDS)
    lapsed = Q(heartbeat__lt=before) | Q(heartbeat__gt=database.ahead(now))
    with transaction.atomic():
        # A locked row is being finished just now, whatever its heartbeat says.
        silent = Job.objects.filter(lapsed, pk__in=unheard, state=State.RUNNING)
        lost = list(silent.select_for_update(skip_locked=True).values_list("pk", flat=True))
        rows = Job.objects.filter(pk__in=lost, state=State.RUNNING)
        rows.filter(cancel_asked=True).update(state=State.CANCELLED, claim="", finished=now)
        rows.filter(attempts__gte=MOST_ATTEMPTS).update(
            state=State.FAILED, claim="", finished=now, error=GAVE_UP.stored()
        )
        rows.update(**transitions.requeued(now))


def forget(now: datetime) -> None:
    """Delete the rows of workers that have been silent for an hour, and the trials of yesterday."""
    hour = timedelta(hours=1)
    Worker.objects.exclude(heard__range=(now - hour, now + hour)).delete()
    Trial.objects.filter(finished__lt=now - timedelta(days=1)).delete()
