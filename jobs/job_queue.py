"""Enqueues jobs, and sends the messages that wake workers.

A message says that some job waits, not which one: the process that receives it performs waiting jobs until
none is left. So a message may be lost, doubled or late. It has no time of expiry, about which the clocks of
two machines might disagree.
"""

import logging
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum, Value
from django.db.models.functions import Least

from jobs import database, job_attempt, job_state_changes
from jobs.models import Job, State, Worker

if TYPE_CHECKING:
    from celery import Task

logger = logging.getLogger(__name__)
SHORT = 1
"""Timeout of the queue in seconds, for which a page waits."""

_tasks: list[Callable[[], "Task[[], None]"]] = []


def register_celery_task(task: Callable[[], "Task[[], None]"]) -> None:
    """Registers the Celery task that calls `attempt_waiting_jobs`; it is loaded for the first message, not at the
    start."""
    _tasks[:] = [task]


@cache
def queue_connection_errors() -> tuple[type[Exception], ...]:
    """Returns the types of exceptions, Celery's among them, which mean that the queue cannot be reached."""
    from kombu import exceptions  # late for cost

    return exceptions.KombuError, exceptions.ConnectionError, exceptions.ChannelError, OSError


def attempt_waiting_jobs() -> None:
    """Attempts jobs until none waits or this process should pause."""
    while job_attempt.attempt_next_job():
        pass


def enqueue(job: Job) -> None:
    """Saves a new job and wakes a worker once the transaction is committed."""
    job.state, job.created = State.QUEUED, database.now()
    job.save(force_insert=True)
    transaction.on_commit(partial(wake_processes, 1))


def wake_processes(n: int) -> bool:
    """Wakes n processes; returns False if the queue cannot be reached.

    Celery's delay_on_commit would then fail a request that is already committed, because of a message that
    may be lost anyway.
    """
    try:
        for _ in range(n):
            _tasks[0]().apply_async(retry=False)
    except queue_connection_errors() as error:
        logger.warning("the queue cannot be reached (%s); the tick wakes the workers again", error)
        return False
    return True


def wake_free_processes(now: datetime) -> None:
    """Wakes as many free processes as there are jobs for; called by the tick."""
    waiting = job_state_changes.waiting_jobs()
    # Times from before the clock was set back become now, lest a job wait for them.
    ahead = waiting.filter(Q(created__gt=now) | Q(queued__gt=now))
    ahead.update(created=Least("created", Value(now)), queued=Least("queued", Value(now)))
    workers = Worker.objects.with_recent_heartbeat(now)
    busy = Job.objects.filter(state=State.RUNNING, worker__in=workers.values("name")).count()
    wake_processes(min(waiting.count(), count_worker_slots(now) - busy))


def count_worker_slots(now: datetime) -> int:
    """Returns the number of jobs that all live workers together can perform at a time."""
    return Worker.objects.with_recent_heartbeat(now).aggregate(n=Sum("slots"))["n"] or 0


def is_queue_reachable() -> bool:
    """Returns True if the queue can be reached; answers within two seconds.

    Asks the queue itself: Celery takes 11 MB, and a web process that sends no message never loads it.
    """
    celery: Any = settings.CELERY
    if settings.REDIS_URL:
        return _is_redis_reachable(celery["task_default_queue"])
    folder = Path(celery["broker_transport_options"]["data_folder_in"])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        any(folder.iterdir())
    except OSError:
        return False
    return True


def _is_redis_reachable(queue: str) -> bool:
    from redis import Redis, RedisError  # late for cost
    from redis.backoff import NoBackoff  # late for cost
    from redis.retry import Retry  # late for cost

    at_once = Retry(NoBackoff(), 0)
    try:
        with Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=SHORT, socket_timeout=SHORT, retry=at_once
        ) as server:
            server.llen(queue)
    except (RedisError, OSError):
        return False
    return True
