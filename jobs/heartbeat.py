"""Writes the progress and the heartbeat of a running job, and reads whether it should stop.

A thread beside the computation does all the writing. So the heartbeat goes on during long native code, and the
computation never waits for the database.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import isnan

from django.conf import settings
from django.db import connection

from jobs import database, transitions
from jobs.message import Message
from jobs.models import Job
from jobs.progress import Cancelled, Lost

logger = logging.getLogger(__name__)
TELL_SECONDS = 0.5


class Heartbeat:
    def __init__(self, job: Job) -> None:
        self.job = job
        self._news: tuple[float | None, Message] | None = None
        self._beaten = time.monotonic()
        self._lost = self._cancelled = False

    def __call__(self, fraction: float | None, text: str = "", **values: str | int | float) -> None:
        if self._lost:
            raise Lost
        if self._cancelled:
            raise Cancelled
        if fraction is not None:
            fraction = None if isnan(fraction) else min(max(float(fraction), 0.0), 1.0)
        self._news = fraction, Message(text, values)

    def pulse(self) -> None:
        """Write what is new, or that the job lives; read whether it should go on."""
        news = self._news
        if news is None and time.monotonic() - self._beaten < settings.HEARTBEAT_SECONDS:
            return
        now = database.now()
        mine = transitions.tell(self.job, *news, now) if news else transitions.beat(self.job, now)
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
            while not over.wait(TELL_SECONDS):
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
