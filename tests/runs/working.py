"""A worker in the test's own process: it claims what waits, oldest first, until nothing does."""

from jobs import wake
from runs.models import ModelJob, Run
from tests.jobs.attempts import attempt


def one(job: Run | ModelJob) -> None:
    attempt(job)


def all_that_waits() -> None:
    wake.work()


def work(run: Run) -> Run:
    """The run, over."""
    one(run)
    all_that_waits()
    run.refresh_from_db()
    return run
