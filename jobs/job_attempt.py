"""One attempt at one job: claim the oldest that waits, perform it, store its result.

The database may go away at any moment. A computed result waits in memory until it can be stored. An attempt that needs
the database before that is requeued and does not count.
"""

import logging
import secrets
from mmap import mmap

from django.conf import settings
from django.utils.translation import gettext_noop

from jobs import database, job_state_changes
from jobs.models import Job, Write
from jobs.progress_messages import Cancelled, ClaimLost, JobFailed, Message, Preempted
from jobs.running_job_heartbeats import heartbeat_thread

logger = logging.getLogger(__name__)


worker_name = ""
"""Name of the worker of this process.

The children of its pool inherit the name and write it into their claims.
"""
_stopping = mmap(-1, 1)  # one byte of memory that the children share


def stop_claiming() -> None:
    """Keeps all children of this worker from claiming further jobs."""
    _stopping[0] = 1


def is_claiming_stopped() -> bool:
    return bool(_stopping[0])


def attempt_next_job() -> bool:
    """Attempts the oldest waiting job; returns False if none waits, or if this process should wait for the next
    tick."""
    if is_claiming_stopped():
        return False
    token = secrets.token_hex(16)
    job = database.retry_until_database_works(
        lambda: job_state_changes.claim_next(token=token, worker=worker_name, now=database.now())
    )
    if job is None:
        return False
    if is_claiming_stopped():
        # The worker may have requeued its jobs just before.
        database.retry_until_database_works(lambda: job_state_changes.requeue_without_counting(job))
        return False
    return perform_claimed_job(job)


def perform_claimed_job(job: Job) -> bool:
    """Performs a claimed job and stores how it ended.

    Returns False if the process should wait for the next tick: after a database error, or if another worker has the
    job.
    """
    reference = job.claim[:8]
    try:
        with heartbeat_thread(job) as progress:
            database.set_timeouts(database.LONG, database.LONG)
            write = job.perform(progress)
        database.retry_until_database_works(lambda: _store_job_result(job, write))
    except ClaimLost:
        logger.warning("%s %s was given to another worker meanwhile", job.label, job.pk)
        return False
    except Cancelled:
        database.retry_until_database_works(lambda: job_state_changes.end_cancelled(job, database.now()))
    except Preempted:
        database.retry_until_database_works(lambda: job_state_changes.requeue_spare_job(job))
    except database.FAILURES as error:
        if database.is_connection_lost(error):
            logger.warning("%s %s lost the database and is requeued (%s)", job.label, job.pk, error)
            database.retry_until_database_works(lambda: job_state_changes.requeue_without_counting(job))
        else:
            logger.exception("%s %s was refused by the database, reference %s", job.label, job.pk, reference)
            message = _unexpected_error_message(error, reference)
            database.retry_until_database_works(
                lambda: job_state_changes.retry_or_fail(job, message, database.now())
            )
        return False
    except JobFailed as failure:
        message = failure.message
        database.retry_until_database_works(lambda: job_state_changes.fail(job, message, database.now()))
    except Exception as error:
        logger.exception("%s %s failed, reference %s", job.label, job.pk, reference)
        message = _unexpected_error_message(error, reference)
        database.retry_until_database_works(lambda: job_state_changes.fail(job, message, database.now()))
    finally:
        database.retry_until_database_works(database.reset_timeouts)
    return True


def _store_job_result(job: Job, write: Write) -> None:
    """Stores the result; raises Cancelled or ClaimLost if it may not be stored."""
    database.reset_timeouts()
    job_state_changes.write_heartbeat(job, database.now())
    # There is no heartbeat while it waits for locks, so the wait ends before the job counts as dead.
    database.set_timeouts(database.LONG, lock=2 * settings.HEARTBEAT_SECONDS)
    # If the database was lost in the commit, the job may have been finished by the call before.
    if job_state_changes.finish(job, write, database.now()) or job_state_changes.did_attempt_finish(job):
        return
    raise Cancelled if job_state_changes.is_cancel_requested(job) else ClaimLost


def _unexpected_error_message(error: Exception, reference: str) -> Message:
    """Returns a message about an unexpected exception, with advice to the person who reads it."""
    if isinstance(error, MemoryError):
        return Message(
            gettext_noop(
                "There was not enough memory. Start it again with less to do at once, or ask the operator for a "
                "worker with more memory."
            )
        )
    if database.unwritable_text(error):
        return Message(
            gettext_noop(
                "The disk is full or cannot be written. Ask the operator to look, then start it again."
            )
        )
    return Message(
        gettext_noop(
            "Something unforeseen went wrong. Start it again; if it fails once more, tell the operator the reference "
            "%(reference)s, under which the worker's log has the details."
        ),
        {"reference": reference},
    )
