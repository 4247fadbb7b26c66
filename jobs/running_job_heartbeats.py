"""Heartbeats of running jobs: a thread writes them beside the computation; workers requeue jobs without
recent heartbeats.
"""

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

from jobs import database, job_state_changes
from jobs.models import MOST_ATTEMPTS, MOST_TIMES_GIVEN_WAY, Job, State, Trial, Worker
from jobs.progress_messages import Cancelled, ClaimLost, Message, Preempted

logger = logging.getLogger(__name__)
PULSE_SECONDS = 0.5
PATIENCE = 4  # missing heartbeats after which a job counts as dead
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
    """Progress function of one attempt at a job. A thread writes what it reports into the job's row, so the computation
    never waits for the database."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._news: tuple[float | None, Message] | None = None
        self._beaten = time.monotonic()
        self._lost = self._cancelled = self._was_other_waiting = self._gives_way = False

    def __call__(self, fraction: float | None, text: str = "", **values: str | int | float) -> None:
        if self._lost:
            raise ClaimLost
        if self._cancelled:
            raise Cancelled
        if self._gives_way:
            raise Preempted
        if fraction is not None:
            fraction = None if isnan(fraction) else min(max(float(fraction), 0.0), 1.0)
        self._news = fraction, Message(text, values)

    def write_progress_and_read_stop(self) -> None:
        """Writes new progress or, when due, the heartbeat alone; reads whether the job should stop."""
        if self.job.spare and self.job.gave_way < MOST_TIMES_GIVEN_WAY:
            # Over two pulses, since a free process may claim the other job at once.
            is_waiting = job_state_changes.is_non_spare_job_waiting()
            self._gives_way = is_waiting and self._was_other_waiting
            self._was_other_waiting = is_waiting
        news = self._news
        if news is None and time.monotonic() - self._beaten < settings.HEARTBEAT_SECONDS:
            return
        now = database.now()
        mine = (
            job_state_changes.write_progress(self.job, *news, now)
            if news
            else job_state_changes.write_heartbeat(self.job, now)
        )
        self._beaten = time.monotonic()
        if self._news is news:
            self._news = None
        self._lost = not mine
        self._cancelled = mine and job_state_changes.is_cancel_requested(self.job)


@contextmanager
def heartbeat_thread(job: Job) -> Iterator[Heartbeat]:
    """Context manager: a thread writes progress and heartbeats of the job until the block ends."""
    progress, over = Heartbeat(job), threading.Event()

    def beat() -> None:
        try:
            while not over.wait(PULSE_SECONDS):
                try:
                    progress.write_progress_and_read_stop()
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
    """The last heartbeat of a job, the time since when it has not changed (by this process's clock), and the number of
    reads since then."""

    heartbeat: datetime | None
    since: float
    looks: int = 1


class MissingHeartbeats:
    """Finder of dead jobs: running jobs whose heartbeat has not changed while this process watched.

    A heartbeat can be old by the clock because the database was away, because the clock was changed, or because this
    very process was stopped. So a job counts as dead only if its heartbeat did not change over `LOOKS` looks of this
    process, for `PATIENCE` heartbeats by its own clock, while the database could be written.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._heard: dict[int, LastBeat] = {}
        self._looked = float("-inf")

    @contextmanager
    def reading_heartbeats(self) -> Iterator[None]:
        """Context manager: reads all heartbeats, and forgets them if the block cannot write to the database: then
        nobody can write a heartbeat.

        Every worker enters it at every tick, so that the worker that requeues jobs has watched long enough.
        """
        try:
            self._read_heartbeats()
            yield
        except Error:
            self._heard = {}
            raise

    def _read_heartbeats(self) -> None:
        hearts = dict(Job.objects.filter(state=State.RUNNING).values_list("pk", "heartbeat"))
        now = self._clock()
        # Longer than a tick, and what a tick may take: this process was stopped or the database did not answer, so no
        # heartbeat could be seen meanwhile.
        if now - self._looked > 1.5 * settings.TICK_SECONDS + settings.HEARTBEAT_SECONDS:
            self._heard = {}
        self._looked = now
        heard = {}
        for pk, heartbeat in hearts.items():
            last = self._heard.get(pk)
            if last is None or last.heartbeat != heartbeat:
                heard[pk] = LastBeat(heartbeat, now)
            else:
                heard[pk] = LastBeat(heartbeat, last.since, last.looks + 1)
        self._heard = heard

    def jobs(self) -> set[int]:
        """Returns the primary keys of the jobs that count as dead, since their heartbeat has not changed for too
        long."""
        patience = PATIENCE * settings.HEARTBEAT_SECONDS
        return {
            pk
            for pk, heard in self._heard.items()
            if heard.looks >= LOOKS and self._looked - heard.since >= patience
        }


MISSING_HEARTBEATS = MissingHeartbeats()


def requeue_or_fail_dead_jobs(now: datetime, missing: MissingHeartbeats = MISSING_HEARTBEATS) -> None:
    """Requeues the running jobs that count as dead, or fails them after the last attempt; called at every tick."""
    if pks := missing.jobs():
        requeue_or_end_overdue_jobs(pks, now)


def requeue_or_end_overdue_jobs(pks: set[int], now: datetime) -> None:
    before = now - timedelta(seconds=PATIENCE * settings.HEARTBEAT_SECONDS)
    is_overdue = Q(heartbeat__lt=before) | Q(heartbeat__gt=database.latest_plausible_time(now))
    with transaction.atomic():
        # A locked row is being finished just now, whatever its heartbeat says.
        overdue = Job.objects.filter(is_overdue, pk__in=pks, state=State.RUNNING)
        lost = list(overdue.select_for_update(skip_locked=True).values_list("pk", flat=True))
        rows = Job.objects.filter(pk__in=lost, state=State.RUNNING)
        rows.filter(cancel_asked=True).update(state=State.CANCELLED, claim="", finished=now)
        rows.filter(attempts__gte=MOST_ATTEMPTS).update(
            state=State.FAILED, claim="", finished=now, error=GAVE_UP.as_json()
        )
        rows.update(**job_state_changes.queued_values(now))


def delete_old_workers_and_trials(now: datetime) -> None:
    """Deletes the rows of workers without a heartbeat for an hour, and of test jobs (`Trial`) a day after their end."""
    hour = timedelta(hours=1)
    Worker.objects.exclude(heard__range=(now - hour, now + hour)).delete()
    Trial.objects.filter(finished__lt=now - timedelta(days=1)).delete()
