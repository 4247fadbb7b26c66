"""A PostgreSQL server that is restarted, away or frozen while jobs run."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import pytest

from jobs.heartbeat import PATIENCE
from tests import servers
from tests.jobs.stack import Stack, running

pytestmark = [pytest.mark.server, pytest.mark.waits]
FAILED = "the database failed"
# Seconds. A worker may pause for five before it tries again, and a busy machine may make it late; a job without a
# heartbeat counts as dead after more than that.
HEARTBEAT = 3
SILENCE = PATIENCE * HEARTBEAT


@pytest.fixture(scope="module")
def postgres() -> Iterator[servers.Postgres]:
    """One of our own: nobody else's connections go with it."""
    with servers.postgres() as server:
        yield server


@pytest.fixture(scope="module")
def stack(postgres: servers.Postgres, redis: servers.Redis) -> Iterator[Stack]:
    url = postgres.create("away", postgres.migrated())
    more = {
        "DATABASE_STATEMENT_SECONDS": "3",
        "DATABASE_CONNECT_SECONDS": "2",
        "HEARTBEAT_SECONDS": str(HEARTBEAT),
    }
    with running(url, redis, **more) as stack:
        yield stack


def started(stack: Stack, trial: int) -> datetime:
    found: datetime = stack.rows(f"SELECT started FROM jobs_job WHERE id = {trial}")[0][0]
    return found


def begun(stack: Stack, steps: int) -> tuple[int, datetime]:
    """A trial that counts, and since when. Until it counts it needs the database: an attempt that loses it before is
    given back."""
    stack.one_worker()
    trial = stack.start_trial(steps)
    stack.wait_for_progress(trial)
    return trial, started(stack, trial)


@contextmanager
def outlasted(stack: Stack) -> Iterator[None]:
    """What is done here lasts until the worker has tried several times to store what it computed, and for longer than
    a heart may pause."""
    log = stack.workers[-1].log
    before = log.read_text().count(FAILED)
    over = time.monotonic() + SILENCE + HEARTBEAT
    yield
    servers.wait(
        lambda: time.monotonic() > over and log.read_text().count(FAILED) >= before + 3, "the worker trying"
    )


def is_done_at_its_first_attempt(stack: Stack, trial: int, since: datetime) -> None:
    stack.wait_for(trial, "done")
    found = stack.marks(trial), stack.attempts(trial), started(stack, trial)
    assert found == (1, 1, since), stack.workers[-1].log.read_text()[-3000:]


def test_three_restarts_cost_a_job_nothing(stack: Stack, postgres: servers.Postgres) -> None:
    trial, since = begun(stack, 60)
    for _ in range(3):
        stack.wait_for_progress(trial)
        postgres.stop()
        postgres.start()
    is_done_at_its_first_attempt(stack, trial, since)


@pytest.mark.release
def test_a_result_waits_for_a_database_that_is_away_for_longer_than_a_heart_may_pause(
    stack: Stack, postgres: servers.Postgres
) -> None:
    trial, since = begun(stack, 32)
    with outlasted(stack):
        postgres.stop()
    postgres.start()
    is_done_at_its_first_attempt(stack, trial, since)


@pytest.mark.release
def test_a_database_that_hangs_costs_a_job_nothing(stack: Stack, postgres: servers.Postgres) -> None:
    trial, since = begun(stack, 32)
    try:
        with outlasted(stack):
            postgres.freeze()
    finally:
        postgres.thaw()
    is_done_at_its_first_attempt(stack, trial, since)
    later = stack.start_trial(1)
    stack.wait_for(later, "done")
    assert (stack.marks(later), stack.attempts(later)) == (1, 1)
