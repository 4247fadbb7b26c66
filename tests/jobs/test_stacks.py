"""Background work under attack, on both stacks: real servers, real workers, real signals."""

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jobs.heartbeat import PATIENCE
from tests import servers
from tests.jobs.stack import LONG_STEP, MANY, OF_ANOTHER_VERSION, RACER, Stack, running

pytestmark = pytest.mark.server

AGAIN = "The worker stopped answering; trying again (attempt 2 of 3)."
SILENT = "The worker has been silent for a while."
NOBODY = "No worker answers just now. The job starts by itself as soon as one does."
WITHOUT_QUEUE = "The queue cannot be reached just now; this job goes on without it."
SENT_AGAIN = "The queue cannot be reached just now. Nothing is lost; the job is sent again by itself."


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


def heard_of(stack: Stack, before: set[object]) -> set[object]:
    before.update(row[0] for row in stack.rows("SELECT heard FROM jobs_worker"))
    return before


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


def a_killed_worker_is_replaced(stack: Stack) -> None:
    """One of them is as a worker leaves it that died before the clock was set back by an hour."""
    worker = stack.one_worker()
    trials = [stack.start_trial(40) for _ in worker.children]
    for trial in trials:
        stack.wait_for_progress(trial)
    worker.kill()
    stack.rows(f"UPDATE jobs_trial SET steps = 4 WHERE job_id IN ({trials[0]}, {trials[1]})")
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
    for trial in trials:
        stack.wait_for(trial, "done")
        assert (stack.marks(trial), stack.attempts(trial)) == (1, 2)
    assert stack.rows("SELECT holder FROM jobs_lease WHERE name = 'tick'") != [("dead",)]


def another_version_is_passed_by(stack: Stack) -> None:
    worker = stack.one_worker()
    before = len(worker.log.read_text())
    trial = int(servers.manage(stack.env, "shell", "--verbosity=0", "-c", OF_ANOTHER_VERSION))
    stack.wait_for(trial, "done")
    assert (stack.marks(trial), stack.attempts(trial)) == (1, 1)
    said = "a message of another version was passed by; its job waits for the next"
    servers.wait(lambda: said in worker.log.read_text()[before:], "the log saying so")
    log = worker.log.read_text()[before:]
    assert "KeyError" not in log
    assert "Traceback" not in log


def a_running_job_is_cancelled(stack: Stack) -> None:
    stack.one_worker()
    trial = stack.start_trial(600)
    stack.wait_for_progress(trial)
    stack.cancel(trial)
    stack.wait_for(trial, "cancelled")
    assert stack.marks(trial) == 0
    assert "Cancelled. Nothing of it was stored." in stack.progress(trial)


class Attacks:
    """On either stack. Each kind of attack is made on one of them at a push, at night all on both."""

    def loses_and_finds_its_broker(self, stack: Stack) -> None:
        stack.one_worker()
        trial = int(servers.manage(stack.env, "shell", "--verbosity=0", "-c", LONG_STEP))
        stack.wait_for(trial, "running")
        self.lose_broker(stack)
        stack.wait_for_words(trial, WITHOUT_QUEUE)
        second = stack.start_trial(2)
        assert SENT_AGAIN in stack.progress(second)
        assert "The queue cannot be reached" in stack.page("/app/jobs/")
        self.bring_broker_back(stack)
        stack.wait_for(trial, "done")
        stack.wait_for(second, "done")
        assert (stack.marks(trial), stack.attempts(trial)) == (1, 1)
        assert (stack.marks(second), stack.attempts(second)) == (1, 1)

    @pytest.mark.night
    def test_a_job_that_was_cancelled_never_starts_and_the_next_leaves_one_mark(self, stack: Stack) -> None:
        stack.no_workers()
        cancelled = stack.start_trial(2)
        assert NOBODY in stack.progress(cancelled)
        stack.cancel(cancelled)
        assert "Cancelled. Nothing of it was stored." in stack.progress(cancelled)
        stack.start_worker()
        trial = stack.start_trial(10)
        stack.wait_for_progress(trial)
        stack.wait_for(trial, "done")
        assert (stack.marks(trial), stack.attempts(trial)) == (1, 1)
        assert "Finished after" in stack.progress(trial)
        found = stack.state(cancelled), stack.attempts(cancelled), stack.marks(cancelled)
        assert found == ("cancelled", 0, 0)

    @pytest.mark.night
    def test_jobs_that_end_while_the_broker_is_away_leave_no_deaf_worker(self, stack: Stack) -> None:
        stack.no_workers()
        # It hears of them by itself, or never.
        worker = stack.start_worker(unlike="unwatched")
        trials = [stack.start_trial(24) for _ in worker.children]
        for trial in trials:
            stack.wait_for_progress(trial)
        self.lose_broker(stack)
        for trial in trials:
            stack.wait_for(trial, "done")
        self.bring_broker_back(stack)
        later = [stack.start_trial(4) for _ in worker.children]
        for trial in later:
            stack.wait_for(trial, "done")
        assert worker.lives
        for trial in [*trials, *later]:
            assert (stack.marks(trial), stack.attempts(trial)) == (1, 1)
        worker.kill()

    @pytest.mark.night
    def test_a_deaf_worker_notices_that_jobs_wait_and_ends_to_be_started_again(self, stack: Stack) -> None:
        stack.no_workers()
        worker = stack.start_worker(unlike="deaf")
        trial = stack.start_trial(1)
        assert worker.process.wait(servers.PATIENCE) == 1
        assert "it ends, to be started again" in worker.log.read_text()
        # As the supervisor clears up after it.
        worker.kill()
        stack.start_worker()
        stack.wait_for(trial, "done")
        assert (stack.marks(trial), stack.attempts(trial)) == (1, 1)

    @pytest.mark.night
    def test_a_worker_whose_tick_takes_long_is_heard_and_works(self, stack: Stack) -> None:
        stack.no_workers()
        worker = stack.start_worker(unlike="slow_tick")
        servers.wait(lambda: "the tick sleeps" in worker.log.read_text(), "the tick sleeping")
        heard = {stack.rows("SELECT heard FROM jobs_worker")[0][0]}
        trial = stack.start_trial(8)
        stack.wait_for(trial, "done")
        # Three ticks long: a worker that was not heard for so long counts as away.
        servers.wait(lambda: len(heard_of(stack, heard)) > 3, "the worker being heard four times", pause=0.2)
        worker.kill()

    @pytest.mark.night
    def test_two_hundred_jobs_on_two_workers_are_neither_lost_nor_doubled(self, stack: Stack) -> None:
        first = int(stack.rows("SELECT coalesce(max(id), 0) FROM jobs_job")[0][0])
        first_worker, _second_worker = stack.one_worker(), stack.start_worker()
        servers.manage(stack.env, "shell", "--verbosity=0", "-c", MANY.format(n=200))
        ours = f"SELECT count(*) FROM jobs_job WHERE id > {first}"
        os.kill(first_worker.children[0], signal.SIGKILL)
        servers.wait(
            lambda: stack.rows(f"{ours} AND state = 'done'") == [(200,)], "all of them done", pause=0.4
        )
        marks = f"SELECT count(*), count(DISTINCT trial_id) FROM jobs_mark WHERE trial_id > {first}"
        assert stack.rows(marks) == [(200, 200)]
        assert len(stack.rows(f"SELECT DISTINCT worker FROM jobs_job WHERE id > {first}")) == 2

    @pytest.mark.night
    def test_of_two_who_race_for_a_lease_one_gets_it(self, stack: Stack) -> None:
        stack.no_workers()

        def race(me: str) -> list[int]:
            said = servers.manage(stack.env, "shell", "--verbosity=0", "-c", RACER.format(me=me))
            return [int(n) for n in said.split()]

        with ThreadPoolExecutor(2) as pool:
            won = list(pool.map(race, ("racer-a", "racer-b")))
        assert sorted(won[0] + won[1]) == list(range(100))

    def lose_broker(self, stack: Stack) -> None:
        raise NotImplementedError

    def bring_broker_back(self, stack: Stack) -> None:
        raise NotImplementedError


class TestEmbedded(Attacks):
    """With attacks that know neither database nor queue."""

    @pytest.fixture(scope="class")
    @classmethod
    def stack(cls) -> Iterator[Stack]:
        with running("", None) as stack:
            yield stack

    def lose_broker(self, stack: Stack) -> None:
        # A worker makes a missing folder again at once; to keep it away, a file takes its place.
        servers.wait(lambda: self.replaced(stack.home / "broker"), "the folder being gone")

    def replaced(self, folder: Path) -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def bring_broker_back(self, stack: Stack) -> None:
        (stack.home / "broker").unlink()

    @pytest.mark.night
    def test_a_main_process_killed_alone_leaves_no_second_effect(self, stack: Stack) -> None:
        worker = stack.one_worker()
        trial = stack.start_trial(16)
        stack.wait_for_progress(trial)
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
        stack.start_worker()
        stack.wait_for(trial, "done")
        time.sleep(0.5)
        assert stack.marks(trial) == 1

    @pytest.mark.night
    def test_a_worker_that_is_told_to_stop_gives_its_job_back(self, stack: Stack) -> None:
        worker = stack.one_worker()
        trial = stack.start_trial(40)
        stack.wait_for_progress(trial)
        assert worker.stop() == 0
        # It did not wait for the job's end.
        assert (stack.state(trial), stack.attempts(trial)) == ("queued", 0)
        assert stack.rows(f"SELECT * FROM jobs_worker WHERE name = '{worker.name}'") == []
        stack.rows(f"UPDATE jobs_trial SET steps = 4 WHERE job_id = {trial}")
        stack.start_worker()
        stack.wait_for(trial, "done")
        assert (stack.marks(trial), stack.attempts(trial)) == (1, 1)

    @pytest.mark.night
    def test_a_killed_worker_is_replaced_and_its_jobs_finish_whatever_its_clock_said(
        self, stack: Stack
    ) -> None:
        a_killed_worker_is_replaced(stack)

    @pytest.mark.night
    def test_a_broker_that_goes_away_and_comes_back_empty_loses_nothing_nor_does_a_step_that_says_nothing_for_long(
        self, stack: Stack
    ) -> None:
        self.loses_and_finds_its_broker(stack)

    @pytest.mark.night
    def test_a_message_of_another_version_is_passed_by_and_its_job_done(self, stack: Stack) -> None:
        another_version_is_passed_by(stack)

    @pytest.mark.night
    def test_a_running_job_that_is_cancelled_stops_and_stores_nothing(self, stack: Stack) -> None:
        a_running_job_is_cancelled(stack)


class TestProduction(Attacks):
    """With others of that kind."""

    @pytest.fixture(scope="class")
    @classmethod
    def stack(cls, postgres: servers.Postgres, redis: servers.Redis) -> Iterator[Stack]:
        more = {"DATABASE_STATEMENT_SECONDS": "8", "DATABASE_CONNECT_SECONDS": "2"}
        url = postgres.create("jobs", postgres.migrated())
        with running(url, redis, **more, HEARTBEAT_SECONDS=str(HEARTBEAT)) as stack:
            yield stack

    def lose_broker(self, stack: Stack) -> None:
        assert stack.redis
        stack.redis.kill()

    def bring_broker_back(self, stack: Stack) -> None:
        assert stack.redis
        stack.redis.start()

    def test_a_killed_pool_child_costs_an_attempt_and_nothing_else(self, stack: Stack) -> None:
        worker = stack.one_worker()
        trial = stack.start_trial(40)
        stack.wait_for_progress(trial)
        for child in worker.children:
            os.kill(child, signal.SIGKILL)
        stack.rows(f"UPDATE jobs_trial SET steps = 16 WHERE job_id = {trial}")
        stack.wait_for_words(trial, SILENT)
        stack.wait_for_words(trial, AGAIN)
        stack.wait_for(trial, "done")
        assert (stack.marks(trial), stack.attempts(trial)) == (1, 2)

    @pytest.mark.night
    def test_health_says_how_long_jobs_have_waited_untaken(self, stack: Stack) -> None:
        stack.no_workers()
        worker = stack.start_worker(unlike="deaf")
        trial = stack.start_trial(1)
        servers.wait(lambda: stack.ask("GET", "/healthz")[0].status == 503, "health noticing", pause=0.4)
        said = json.loads(stack.ask("GET", "/healthz")[1])["jobs"]
        assert not said["ok"]
        assert re.fullmatch(r"have waited \d+ s untaken", said["says"])
        assert "Jobs wait, but no worker takes them" in stack.page("/app/jobs/")
        worker.kill()
        stack.start_worker()
        stack.wait_for(trial, "done")
        assert stack.ask("GET", "/healthz")[0].status == 200

    @pytest.mark.night
    def test_a_zombie_that_wakes_after_its_job_was_given_away_stores_nothing(self, stack: Stack) -> None:
        worker = stack.one_worker()
        # Whoever works on it is found by stopping one child after the other, while it must not end.
        trial = stack.start_trial(40)
        stack.wait_for_progress(trial)
        zombie = self.stop_whoever_works_on(trial, worker.children, stack)
        stack.rows(f"UPDATE jobs_trial SET steps = 16 WHERE job_id = {trial}")
        stack.wait_for_words(trial, AGAIN)
        os.kill(zombie, signal.SIGCONT)
        stack.wait_for(trial, "done")
        servers.wait(lambda: "was given to another worker" in worker.log.read_text(), "the zombie noticing")
        assert (stack.marks(trial), stack.attempts(trial)) == (1, 2)

    def stop_whoever_works_on(self, trial: int, children: list[int], stack: Stack) -> int:
        """Stop the children one by one until the heart of the job stops; go on with the others."""
        for child in children:
            self.stop_between_writes(trial, child, stack)
            if self.is_silent(trial, stack):
                return child
            os.kill(child, signal.SIGCONT)
        raise AssertionError("nobody works on it")

    def is_silent(self, trial: int, stack: Stack) -> bool:
        """Whether no heartbeat comes for longer than a busy machine keeps a living one waiting."""
        heartbeat = f"SELECT heartbeat FROM jobs_job WHERE id = {trial}"
        before = stack.rows(heartbeat)
        with suppress(TimeoutError):
            servers.wait(lambda: stack.rows(heartbeat) != before, "a heartbeat", 4, pause=0.2)
        return stack.rows(heartbeat) == before

    def stop_between_writes(self, trial: int, child: int, stack: Stack) -> None:
        os.kill(child, signal.SIGSTOP)
        while not stack.unlocked(trial):
            os.kill(child, signal.SIGCONT)
            time.sleep(0.05)
            os.kill(child, signal.SIGSTOP)

    @pytest.mark.night
    def test_a_killed_worker_is_replaced_and_its_jobs_finish_whatever_its_clock_said(
        self, stack: Stack
    ) -> None:
        a_killed_worker_is_replaced(stack)

    def test_a_broker_that_goes_away_and_comes_back_empty_loses_nothing_nor_does_a_step_that_says_nothing_for_long(
        self, stack: Stack
    ) -> None:
        self.loses_and_finds_its_broker(stack)

    def test_a_message_of_another_version_is_passed_by_and_its_job_done(self, stack: Stack) -> None:
        another_version_is_passed_by(stack)

    def test_a_running_job_that_is_cancelled_stops_and_stores_nothing(self, stack: Stack) -> None:
        a_running_job_is_cancelled(stack)

    # --- a PostgreSQL server that is restarted, away or frozen while jobs run ---

    @pytest.mark.night
    def test_three_restarts_cost_a_job_nothing(self, stack: Stack, postgres: servers.Postgres) -> None:
        trial, since = begun(stack, 60)
        for _ in range(3):
            stack.wait_for_progress(trial)
            postgres.stop()
            postgres.start()
        is_done_at_its_first_attempt(stack, trial, since)

    @pytest.mark.night
    def test_a_result_waits_for_a_database_that_is_away_for_longer_than_a_heart_may_pause(
        self, stack: Stack, postgres: servers.Postgres
    ) -> None:
        trial, since = begun(stack, 32)
        with outlasted(stack):
            postgres.stop()
        postgres.start()
        is_done_at_its_first_attempt(stack, trial, since)

    @pytest.mark.night
    def test_a_database_that_hangs_costs_a_job_nothing(
        self, stack: Stack, postgres: servers.Postgres
    ) -> None:
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
