"""A worker in the test's own process: it claims what waits, oldest first, until nothing does."""

import secrets

from jobs.attempt import attempt
from jobs.models import State
from runs.models import ModelJob, Run, Shard


def one(job: Run | Shard | ModelJob) -> None:
    attempt(job.label, str(job.pk), token=secrets.token_hex(16), worker="w1")


def all_that_waits() -> None:
    while True:
        waiting = [*Run.objects.filter(state=State.QUEUED), *Shard.objects.filter(state=State.QUEUED)]
        if not waiting:
            return
        for job in waiting:
            one(job)


def work(run: Run) -> Run:
    """The run, over."""
    one(run)
    all_that_waits()
    run.refresh_from_db()
    return run
