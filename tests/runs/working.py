"""A worker in the test's own process: it claims what waits, oldest first, until nothing does."""

from jobs import wake
from mining.parameters import Parameters
from runs.models import ModelJob, Run
from tests.jobs.attempts import attempt

WANTED = Parameters(min_support=0.2, min_confidence=0.4, max_size=2)


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
