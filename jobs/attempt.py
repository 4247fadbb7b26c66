"""One attempt at one job: claim the oldest that waits, perform it, store its result.

The database may go away at any moment. A computed result waits in memory until it can be stored. An attempt that needs
the database before that is requeued and does not count.
"""

import logging
import secrets
from mmap import mmap

from django.conf import settings
from django.utils.translation import gettext_noop

from jobs import database, transitions
from jobs.heartbeat import beating
from jobs.message import Cancelled, ClaimLost, GaveWay, JobFailed, Message
from jobs.models import Job, Write

logger = logging.getLogger(__name__)


worker_name = ""
"""The worker of this process. The children of its pool inherit the name and write it into their claims."""
# One byte of memory that the children share: whether the worker is told to stop.
_stopping = mmap(-1, 1)


def stop_claiming() -> None:
    """No child of this worker takes a job from now on."""
    _stopping[0] = 1


def is_stopping() -> bool:
    return bool(_stopping[0])


def attempt_next() -> bool:
    """Attempt the oldest job that waits; False where none does, or where this process should wait for the next tick."""
    if is_stopping():
        return False
    token = secrets.token_hex(16)
    job = database.retry(lambda: transitions.claim_next(token=token, worker=worker_name, now=database.now()))
    if job is None:
        return False
    if is_stopping():
        # The worker may have requeued its jobs just before.
        database.retry(lambda: transitions.requeue_without_cost(job))
        return False
    return attempt(job)


def attempt(job: Job) -> bool:
    """Perform a claimed job and end it; False where it waits again or somebody else has it."""
    reference = job.claim[:8]
    try:
        perform(job)
    except ClaimLost:
        logger.warning("%s %s was given to another worker meanwhile", job.label, job.pk)
        return False
    except Cancelled:
        database.retry(lambda: transitions.cancelled(job, database.now()))
    except GaveWay:
        database.retry(lambda: transitions.give_way(job))
    except database.FAILURES as error:
        database_failed(job, error, reference)
        return False
    except JobFailed as failure:
        words = failure.words
        database.retry(lambda: transitions.failed(job, words, database.now()))
    except Exception as error:
        logger.exception("%s %s failed, reference %s", job.label, job.pk, reference)
        words = explained(error, reference)
        database.retry(lambda: transitions.failed(job, words, database.now()))
    finally:
        database.retry(database.reset_timeouts)
    return True


def perform(job: Job) -> None:
    with beating(job) as progress:
        database.set_timeouts(database.LONG, database.LONG)
        write = job.perform(progress)
    if not database.retry(lambda: store(job, write)):
        database.retry(lambda: raise_why_not(job))


def store(job: Job, write: Write) -> bool:
    database.reset_timeouts()
    transitions.write_heartbeat(job, database.now())
    # There is no heartbeat while it waits for locks, so the wait ends before the job counts as dead.
    database.set_timeouts(database.LONG, lock=2 * settings.HEARTBEAT_SECONDS)
    return transitions.done(job, write, database.now())


def raise_why_not(job: Job) -> None:
    if not transitions.was_done(job):
        raise Cancelled if transitions.cancel_asked(job) else ClaimLost


def database_failed(job: Job, error: Exception, reference: str) -> None:
    if database.is_lost(error):
        logger.warning("%s %s lost the database and is requeued (%s)", job.label, job.pk, error)
        database.retry(lambda: transitions.requeue_without_cost(job))
        return
    logger.exception("%s %s was refused by the database, reference %s", job.label, job.pk, reference)
    words = explained(error, reference)
    database.retry(lambda: transitions.try_again(job, words, database.now()))


def explained(error: Exception, reference: str) -> Message:
    """The message about an unexpected exception: what a person can do."""
    if isinstance(error, MemoryError):
        return Message(
            gettext_noop(
                "There was not enough memory. Start it again with less to do at once, or ask the operator for a "
                "worker with more memory."
            )
        )
    if database.is_full(error):
        return Message(gettext_noop("The disk is full. Ask the operator to make room, then start it again."))
    return Message(
        gettext_noop(
            "Something unforeseen went wrong. Start it again; if it fails once more, tell the operator the reference "
            "%(reference)s, under which the worker's log has the details."
        ),
        {"reference": reference},
    )
