"""One attempt at one job: claim it, perform it, store its result."""

import errno
import logging
from typing import NoReturn

from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext_noop

from jobs import clock, transitions
from jobs.kinds import kind
from jobs.models import Job
from jobs.progress import Cancelled, HandedOn, JobFailed, Lost, beating
from jobs.words import Words

logger = logging.getLogger(__name__)


def attempt(label: str, pk: str, *, token: str, worker: str) -> None:
    """Does nothing where the job is gone, over, or somebody else's."""
    model = kind(label)
    if model is None:
        return
    job = transitions.claim(model, pk, token=token, worker=worker, now=clock.now())
    if job is None:
        return
    try:
        with beating(job) as progress:
            write = job.perform(progress)
        if not transitions.done(job, write, clock.now()):
            raise_why_not(job)
    except HandedOn:
        pass
    except Lost:
        logger.warning("%s %s was given to another worker meanwhile", label, pk)
    except Cancelled:
        transitions.cancelled(job, clock.now())
    except (OperationalError, InterfaceError):
        # Without a database nothing can be said here; the lost heartbeat will say it.
        logger.exception("%s %s lost the database", label, pk)
    except JobFailed as failure:
        transitions.failed(job, failure.words, clock.now())
    except Exception as error:
        logger.exception("%s %s failed, reference %s", label, pk, token[:8])
        transitions.failed(job, explained(error, token[:8]), clock.now())


def raise_why_not(job: Job) -> NoReturn:
    raise Cancelled if transitions.cancel_asked(job) else Lost


def explained(error: Exception, reference: str) -> Words:
    """What a person can do about an exception that no room foresaw."""
    if isinstance(error, MemoryError):
        return Words(
            gettext_noop(
                "There was not enough memory. Start it again with less to do at once, or ask the operator for a "
                "worker with more memory."
            )
        )
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return Words(gettext_noop("The disk is full. Ask the operator to make room, then start it again."))
    return Words(
        gettext_noop(
            "Something unforeseen went wrong. Start it again; if it fails once more, tell the operator the reference "
            "%(reference)s, under which the worker's log has the details."
        ),
        {"reference": reference},
    )
