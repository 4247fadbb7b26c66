"""The one way to start background work, and the messages that wake workers.

A message says that some job waits, not which one: a process that gets it takes what waits until nothing does. So it
does not matter whether a message is lost, doubled or late. It has no time of expiry, about which the clocks of two
machines might disagree.
"""

import logging
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum, Value
from django.db.models.functions import Least

from jobs import attempt, database, transitions
from jobs.models import Job, State, Worker

if TYPE_CHECKING:
    from celery import Task

logger = logging.getLogger(__name__)
# A page waits for this answer: better none than a late one.
BRIEFLY = {"socket_connect_timeout": 1, "socket_timeout": 1, "max_retries": 0}

_tasks: list[Callable[[], "Task[[], None]"]] = []


def register(task: Callable[[], "Task[[], None]"]) -> None:
    """Say which task calls `work`. Celery is loaded for the first message, not at the start of a process."""
    _tasks[:] = [task]


@cache
def unreachable() -> tuple[type[Exception], ...]:
    """What Celery raises where the queue cannot be reached."""
    from kombu import exceptions  # late for cost

    return exceptions.KombuError, exceptions.ConnectionError, exceptions.ChannelError, OSError


def work() -> None:
    """Do what waits, until nothing does or this process should pause."""
    while attempt.attempt_next():
        pass


def enqueue(job: Job) -> None:
    """Save a new job and wake a worker once the transaction is committed."""
    job.state, job.created = State.QUEUED, database.now()
    job.save(force_insert=True)
    transaction.on_commit(partial(send, 1))


def send(n: int) -> bool:
    """Wake n processes; False where the queue cannot be reached. delay_on_commit would then fail a request, already
    committed, because of a message that may be lost anyway."""
    try:
        for _ in range(n):
            _tasks[0]().apply_async(retry=False)
    except unreachable() as error:
        logger.warning("the queue cannot be reached (%s); the tick wakes the workers again", error)
        return False
    return True


def wake_free(now: datetime) -> None:
    """Wake as many free processes as there is work for; called by the tick."""
    waiting = transitions.waiting()
    # Times of before the clock was set back become now, lest a job wait for them.
    ahead = waiting.filter(Q(created__gt=now) | Q(queued__gt=now))
    ahead.update(created=Least("created", Value(now)), queued=Least("queued", Value(now)))
    workers = Worker.objects.heard(now)
    busy = Job.objects.filter(state=State.RUNNING, worker__in=workers.values("name")).count()
    send(min(waiting.count(), slots(now) - busy))


def slots(now: datetime) -> int:
    """How many jobs all workers together do at a time."""
    return Worker.objects.heard(now).aggregate(n=Sum("slots"))["n"] or 0


def reachable() -> bool:
    """Whether the queue can be reached, which is known within two seconds."""
    try:
        with _tasks[0]().app.connection_for_read(transport_options=BRIEFLY) as connection:
            channel: Any = connection.default_channel
            channel.queue_declare(settings.CELERY["task_default_queue"])
    except unreachable():
        return False
    return True
