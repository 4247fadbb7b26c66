"""The one way to start background work, and what is known of the queue."""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Value, When
from kombu.exceptions import ChannelError, ConnectionError as BrokerConnectionError, KombuError

from jobs import database, tasks
from jobs.models import Job, State

logger = logging.getLogger(__name__)
# A page waits for this answer: better none than a late one.
BRIEFLY = {"socket_connect_timeout": 1, "socket_timeout": 1, "max_retries": 0}
UNREACHABLE = (KombuError, BrokerConnectionError, ChannelError, OSError)


def enqueue(job: Job) -> None:
    """Save a new job and hint at it once the transaction is committed."""
    job.state, job.created = State.QUEUED, database.now()
    job.hinted = job.created
    job.save(force_insert=True)
    hint(job)


def enqueue_all(jobs: Sequence[Job]) -> None:
    """The same for several of one model, in one statement."""
    now = database.now()
    for job in jobs:
        job.state, job.created, job.hinted = State.QUEUED, now, now
    if jobs:
        type(jobs[0])._base_manager.bulk_create(jobs)
    for job in jobs:
        hint(job)


def hint(job: Job) -> None:
    # delay_on_commit would fail a request, already committed, because of a queue that is only a hint.
    transaction.on_commit(partial(send, job.label, str(job.pk)))


def send(label: str, pk: str) -> bool:
    try:
        tasks.work.apply_async((label, pk), retry=False)
    except UNREACHABLE as error:
        logger.warning("the queue cannot be reached (%s); the tick sends %s %s again", error, label, pk)
        return False
    return True


def send_again(job: Job, now: datetime) -> bool:
    """Hint again at a waiting job; times of before the clock was set back become now, lest it wait for them."""
    sent = send(job.label, str(job.pk))
    past = {
        name: Case(When(**{f"{name}__gt": now}, then=Value(now)), default=F(name))
        for name in ("created", "heartbeat")
    }
    return sent and bool(type(job)._base_manager.filter(pk=job.pk).update(hinted=now, **past))


def hints() -> int | None:
    """How many hints lie in the queue; None where it cannot be reached, which is known within two seconds."""
    try:
        with current_app.connection_for_read(transport_options=BRIEFLY) as connection:
            channel: Any = connection.default_channel
            return int(channel.queue_declare(settings.CELERY["task_default_queue"]).message_count)
    except UNREACHABLE:
        return None
