"""One attempt at one job: claim it, perform it, store its result.

The database may go away at any moment. A computed result waits in memory until it can be stored. An attempt that needs
the database before that is given back and does not count.
"""

import logging

from django.conf import settings
from django.utils.translation import gettext_noop

from jobs import database, transitions
from jobs.heartbeat import beating
from jobs.kinds import kind
from jobs.message import Message
from jobs.models import Job, Write
from jobs.progress import Cancelled, JobFailed, Lost

logger = logging.getLogger(__name__)


def attempt(label: str, pk: str, *, token: str, worker: str) -> None:
    """Does nothing where the job is gone, over, or somebody else's."""
    model = kind(label)
    if model is None:
        return
    # Asked again after the database was lost, it finds the claim that it has made already.
    job = database.retry(lambda: transitions.claim(model, pk, token=token, worker=worker, now=database.now()))
    if job is None:
        return
    try:
        perform(job)
    except Lost:
        logger.warning("%s %s was given to another worker meanwhile", label, pk)
    except Cancelled:
        database.retry(lambda: transitions.cancelled(job, database.now()))
    except database.FAILURES as error:
        database_failed(job, error, token[:8])
    except JobFailed as failure:
        words = failure.words
        database.retry(lambda: transitions.failed(job, words, database.now()))
    except Exception as error:
        logger.exception("%s %s failed, reference %s", label, pk, token[:8])
        words = explained(error, token[:8])
        database.retry(lambda: transitions.failed(job, words, database.now()))
    finally:
        database.retry(database.reset_timeouts)


def perform(job: Job) -> None:
    with beating(job) as progress:
        database.set_timeouts(database.LONG, database.LONG)
        write = job.perform(progress)
    if write is None:
        return
    if not database.retry(lambda: store(job, write)):
        database.retry(lambda: raise_why_not(job))


def store(job: Job, write: Write) -> bool:
    database.reset_timeouts()
    transitions.beat(job, database.now())
    # There is no heartbeat while it waits for locks, so the wait ends before the job counts as dead.
    database.set_timeouts(database.LONG, lock=2 * settings.HEARTBEAT_SECONDS)
    return transitions.done(job, write, database.now())


def raise_why_not(job: Job) -> None:
    if not transitions.was_done(job):
        raise Cancelled if transitions.cancel_asked(job) else Lost


def database_failed(job: Job, error: Exception, reference: str) -> None:
    if database.is_lost(error):
        logger.warning("%s %s lost the database and is given back (%s)", job.label, job.pk, error)
        database.retry(lambda: transitions.spare(job))
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
