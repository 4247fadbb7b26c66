"""Background work under attack, on both stacks: real servers, real workers, real signals."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

import pytest

from jobs.running_job_heartbeats import PATIENCE
from tests import servers
from tests.jobs.conftest import LONG_STEP, MANY, OF_ANOTHER_VERSION, RACER, Stack, running_stack

pytestmark = pytest.mark.server

AGAIN = "The last attempt did not end; trying again (attempt 2 of 3)."
SILENT = "The worker has been silent for a while."
NOBODY = "No worker answers just now. The job starts by itself as soon as one does."
WITHOUT_QUEUE = "The queue cannot be reached just now; this job goes on without it."
SENT_AGAIN = "The queue cannot be reached just now. Nothing is lost; the job is sent again by itself."
FAILED = "the database failed"
# Seconds. A worker may pause for five before it tries again, and a busy machine may make it late; a job without a
# heartbeat counts as dead after more than that.
HEARTBEAT = 2
SILENCE = PATIENCE * HEARTBEAT


# Attacks that wait for a silence are made at night: at each push test_heartbeat passes that time. Of the others each
# kind is made on one of the stacks at a push, at night on both; some know neither database nor queue.
def at_night(*stacks: str) -> pytest.MarkDecorator:
    cases = [pytest.param(stack, marks=pytest.mark.night) for stack in stacks]
    return pytest.mark.parametrize("stack", cases, indirect=True)


EMBEDDED_AT_NIGHT, PRODUCTION_AT_NIGHT = at_night("embedded"), at_night("production")
BOTH_AT_NIGHT = at_night("embedded", "production")
EMBEDDED = pytest.param("embedded", marks=pytest.mark.night)
AT_PUSH = pytest.mark.parametrize("stack", [EMBEDDED, "production"], indirect=True)


@pytest.fixture(scope="module")
def postgres() -> Iterator[servers.Postgres]:
    """One of our own: nobody else's connections go with it."""
    with servers.postgres() as server:
        yield server


@pytest.fixture(scope="module")
def stack(request: pytest.FixtureRequest) -> Iterator[Stack]:
    """Embedded, or as in production, on PostgreSQL and Redis."""
    if request.param == "embedded":
        with running_stack("", None) as stack:
            yield stack
        return
    postgres: servers.Postgres = request.getfixturevalue("postgres")
    more = {"DATABASE_STATEMENT_SECONDS": "8", "DATABASE_CONNECT_SECONDS": "2"}
    url, redis = postgres.create("jobs", postgres.migrated()), request.getfixturevalue("redis")
    with running_stack(url, redis, **more, HEARTBEAT_SECONDS=str(HEARTBEAT)) as stack:
        yield stack


def lose_broker(stack: Stack) -> None:
    if stack.redis:
        return stack.redis.kill()
    return servers.replace_folder_by_file(stack.home / "broker")


def bring_broker_back(stack: Stack) -> None:
    if stack.redis:
        stack.redis.start()
    else:
        (stack.home / "broker").unlink()


def start_time_of(stack: Stack, trial: int) -> datetime:
    found: datetime = stack.rows(f"SELECT started FROM jobs_job WHERE id = {trial}")[0][0]
    return found


def are_done(stack: Stack, *trials: int, attempts: int = 1) -> None:
    """Each of them leaves one mark, whatever happened."""
    for trial in trials:
        stack.wait_for(trial, "done")
        assert stack.marks_and_attempts(trial) == (1, attempts), stack.workers[-1].log.read_text()[-3000:]


def begin_trial(stack: Stack, steps: int) -> int:
    """A trial that counts, on one worker."""
    stack.one_worker()
    trial = stack.start_trial(steps)
    stack.wait_for_progress(trial)
    return trial


def shorten_trials(stack: Stack, *trials: int, steps: int) -> None:
    stack.rows(f"UPDATE jobs_trial SET steps = {steps} WHERE job_id IN ({', '.join(map(str, trials))})")


# --- jobs and workers ---


@AT_PUSH
def test_cancelled_running_job_stops_and_stores_nothing(stack: Stack) -> None:
    trial = begin_trial(stack, 600)
    stack.cancel(trial)
    stack.wait_for(trial, "cancelled")
    assert stack.marks_and_attempts(trial) == (0, 1)
    assert "Cancelled. Nothing of it was stored." in stack.progress(trial)


@BOTH_AT_NIGHT
def test_cancelled_waiting_job_never_starts(stack: Stack) -> None:
    stack.no_workers()
    cancelled = stack.start_trial(2)
    assert NOBODY in stack.progress(cancelled)
    stack.cancel(cancelled)
    assert "Cancelled. Nothing of it was stored." in stack.progress(cancelled)
    trial = begin_trial(stack, 10)
    are_done(stack, trial)
    assert "Finished after" in stack.progress(trial)
    assert (stack.state(cancelled), stack.marks_and_attempts(cancelled)) == ("cancelled", (0, 0))


@BOTH_AT_NIGHT
def test_killed_worker_is_replaced_and_its_jobs_finish_for_any_clock(stack: Stack) -> None:
    """One of them is as a worker leaves it that died before the clock was set back by an hour."""
    worker = stack.one_worker()
    trials = [stack.start_trial(40) for _ in worker.children]
    for trial in trials:
        stack.wait_for_progress(trial)
    worker.kill()
    shorten_trials(stack, *trials, steps=4)
    hour = f"'{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%d %H:%M:%S}'"
    stack.rows(f"UPDATE jobs_job SET heartbeat = {hour} WHERE id = {trials[0]}")
    stack.rows(f"UPDATE jobs_worker SET heard = {hour}")
    stack.rows(f"UPDATE jobs_lease SET until = {hour}, holder = 'dead'")
    said = json.loads(stack.ask("GET", "/healthz")[1])["worker"]
    assert said == {"ok": False, "says": "none heard lately"}
    for trial in trials:
        stack.wait_for_words(trial, NOBODY)
    assert "No worker answers" in stack.page("/app/jobs/")
    stack.start_worker()
    are_done(stack, *trials, attempts=2)
    assert stack.rows("SELECT holder FROM jobs_lease WHERE name = 'tick'") != [("dead",)]


@EMBEDDED_AT_NIGHT
def test_killed_main_process_leaves_no_second_effect(stack: Stack) -> None:
    worker = stack.one_worker()
    trial = begin_trial(stack, 16)
    os.kill(worker.process.pid, signal.SIGKILL)
    worker.process.wait()
    stack.start_worker()
    stack.wait_for(trial, "done")
    time.sleep(0.5)
    assert stack.marks_and_attempts(trial)[0] == 1


@EMBEDDED_AT_NIGHT
def test_stopping_worker_gives_its_job_back(stack: Stack) -> None:
    worker = stack.one_worker()
    trial = begin_trial(stack, 40)
    assert worker.stop() == 0
    # It did not wait for the job's end.
    assert (stack.state(trial), stack.marks_and_attempts(trial)) == ("queued", (0, 0))
    assert stack.rows(f"SELECT * FROM jobs_worker WHERE name = '{worker.name}'") == []
    shorten_trials(stack, trial, steps=4)
    stack.start_worker()
    are_done(stack, trial)


@PRODUCTION_AT_NIGHT
def test_killed_pool_child_costs_one_attempt_only(stack: Stack) -> None:
    worker = stack.one_worker()
    trial = begin_trial(stack, 40)
    for child in worker.children:
        os.kill(child, signal.SIGKILL)
    shorten_trials(stack, trial, steps=16)
    stack.wait_for_words(trial, SILENT)
    stack.wait_for_words(trial, AGAIN)
    are_done(stack, trial, attempts=2)


@PRODUCTION_AT_NIGHT
def test_zombie_that_wakes_after_reassignment_stores_nothing(stack: Stack) -> None:
    worker = stack.one_worker()
    # Whoever works on it is found by stopping one child after the other, while it must not end.
    trial = begin_trial(stack, 40)
    zombie = stop_whoever_works_on(trial, worker.children, stack)
    shorten_trials(stack, trial, steps=16)
    stack.wait_for_words(trial, AGAIN)
    os.kill(zombie, signal.SIGCONT)
    stack.wait_for(trial, "done")
    servers.wait(lambda: "was given to another worker" in worker.log.read_text(), "the zombie noticing")
    assert stack.marks_and_attempts(trial) == (1, 2)


def stop_whoever_works_on(trial: int, children: list[int], stack: Stack) -> int:
    """Stop the children one by one, between their writes, until no heartbeat of the job comes for longer than a busy
    machine keeps a living one waiting; go on with the others."""
    heartbeat = f"SELECT heartbeat FROM jobs_job WHERE id = {trial}"
    for child in children:
        os.kill(child, signal.SIGSTOP)
        while not stack.is_row_unlocked(trial):
            os.kill(child, signal.SIGCONT)
            time.sleep(0.05)
            os.kill(child, signal.SIGSTOP)
        before = stack.rows(heartbeat)
        with suppress(TimeoutError):
            servers.wait(lambda before=before: stack.rows(heartbeat) != before, "a heartbeat", 4, pause=0.2)  # type: ignore[misc]
        if stack.rows(heartbeat) == before:
            return child
        os.kill(child, signal.SIGCONT)
    raise AssertionError("nobody works on it")


@BOTH_AT_NIGHT
def test_two_hundred_jobs_on_two_workers_are_neither_lost_nor_doubled(stack: Stack) -> None:
    first = int(stack.rows("SELECT coalesce(max(id), 0) FROM jobs_job")[0][0])
    first_worker, _second_worker = stack.one_worker(), stack.start_worker()
    stack.shell(MANY.format(n=200))
    done = f"SELECT count(*) FROM jobs_job WHERE id > {first} AND state = 'done'"
    os.kill(first_worker.children[0], signal.SIGKILL)
    servers.wait(lambda: stack.rows(done) == [(200,)], "all of them done", pause=0.4)
    marks = f"SELECT count(*), count(DISTINCT trial_id) FROM jobs_mark WHERE trial_id > {first}"
    assert stack.rows(marks) == [(200, 200)]
    assert len(stack.rows(f"SELECT DISTINCT worker FROM jobs_job WHERE id > {first}")) == 2


@BOTH_AT_NIGHT
def test_worker_with_a_slow_tick_beats_and_works(stack: Stack) -> None:
    stack.no_workers()
    worker = stack.start_worker(unlike="slow_tick")
    servers.wait(lambda: "the tick sleeps" in worker.log.read_text(), "the tick sleeping")
    heard = {stack.rows("SELECT heard FROM jobs_worker")[0][0]}

    def is_heard_often() -> bool:
        """Three ticks long: a worker that was not heard for so long counts as away."""
        heard.update(row[0] for row in stack.rows("SELECT heard FROM jobs_worker"))
        return len(heard) > 3

    stack.wait_for(stack.start_trial(8), "done")
    servers.wait(is_heard_often, "the worker being heard four times", pause=0.2)
    worker.kill()


@BOTH_AT_NIGHT
def test_one_of_two_racing_for_a_lease_gets_it(stack: Stack) -> None:
    stack.no_workers()

    def race(me: str) -> list[int]:
        said = stack.shell(RACER.format(me=me))
        return [int(n) for n in said.split()]

    with ThreadPoolExecutor(2) as pool:
        won = list(pool.map(race, ("racer-a", "racer-b")))
    assert sorted(won[0] + won[1]) == list(range(100))


# --- the queue ---


@AT_PUSH
def test_broker_that_returns_empty_and_a_long_step_lose_nothing(stack: Stack) -> None:
    stack.one_worker()
    trial = int(stack.shell(LONG_STEP))
    stack.wait_for(trial, "running")
    lose_broker(stack)
    stack.wait_for_words(trial, WITHOUT_QUEUE)
    second = stack.start_trial(2)
    assert SENT_AGAIN in stack.progress(second)
    assert "The queue cannot be reached" in stack.page("/app/jobs/")
    bring_broker_back(stack)
    are_done(stack, trial, second)


@AT_PUSH
def test_message_of_another_version_is_skipped_and_its_job_done(stack: Stack) -> None:
    worker = stack.one_worker()
    before = len(worker.log.read_text())
    are_done(stack, int(stack.shell(OF_ANOTHER_VERSION)))
    said = "a message of another version was passed by; its job waits for the next"
    servers.wait(lambda: said in worker.log.read_text()[before:], "the log saying so")
    log = worker.log.read_text()[before:]
    assert "KeyError" not in log
    assert "Traceback" not in log


@BOTH_AT_NIGHT
def test_jobs_ending_while_the_broker_is_away_leave_no_deaf_worker(stack: Stack) -> None:
    stack.no_workers()
    # It hears of them by itself, or never.
    worker = stack.start_worker(unlike="unwatched")
    trials = [stack.start_trial(24) for _ in worker.children]
    for trial in trials:
        stack.wait_for_progress(trial)
    lose_broker(stack)
    are_done(stack, *trials)
    bring_broker_back(stack)
    are_done(stack, *(stack.start_trial(4) for _ in worker.children))
    assert worker.is_alive
    worker.kill()


@BOTH_AT_NIGHT
def test_deaf_worker_notices_waiting_jobs_and_is_restarted(stack: Stack) -> None:
    stack.no_workers()
    worker = stack.start_worker(unlike="deaf")
    trial = stack.start_trial(1)
    assert worker.process.wait(servers.PATIENCE) == 1
    assert "it ends, to be started again" in worker.log.read_text()
    # As the supervisor clears up after it.
    worker.kill()
    stack.start_worker()
    are_done(stack, trial)


# --- a PostgreSQL server that is restarted, away or frozen while jobs run ---


@contextmanager
def job_done_at_first_attempt(stack: Stack, steps: int) -> Iterator[int]:
    """A job that ends so. Until it counts it needs the database: an attempt that loses it before is given back."""
    trial = begin_trial(stack, steps)
    since = start_time_of(stack, trial)
    yield trial
    are_done(stack, trial)
    assert start_time_of(stack, trial) == since


@contextmanager
def wait_for_failed_stores(stack: Stack) -> Iterator[None]:
    """What is done here lasts until the worker has tried several times to store what it computed, and for longer than
    a heart may pause."""
    log = stack.workers[-1].log
    before = log.read_text().count(FAILED)
    over = time.monotonic() + SILENCE + HEARTBEAT
    yield
    servers.wait(
        lambda: time.monotonic() > over and log.read_text().count(FAILED) >= before + 3, "the worker trying"
    )


@PRODUCTION_AT_NIGHT
def test_three_restarts_cost_a_job_no_attempt(stack: Stack, postgres: servers.Postgres) -> None:
    with job_done_at_first_attempt(stack, 60) as trial:
        for _ in range(3):
            stack.wait_for_progress(trial)
            postgres.stop()
            postgres.start()


@PRODUCTION_AT_NIGHT
@pytest.mark.parametrize(
    ("lose", "find"),
    [
        (servers.Postgres.stop, servers.Postgres.start),
        (servers.Postgres.freeze_processes, servers.Postgres.resume_processes),
    ],
    ids=["away", "hangs"],
)
def test_long_database_outage_costs_a_job_no_attempt(
    lose: Callable[[servers.Postgres], None],
    find: Callable[[servers.Postgres], None],
    stack: Stack,
    postgres: servers.Postgres,
) -> None:
    with job_done_at_first_attempt(stack, 32):
        try:
            with wait_for_failed_stores(stack):
                lose(postgres)
        finally:
            find(postgres)
    are_done(stack, stack.start_trial(1))
