"""A run of many records on PostgreSQL and Redis, two real workers, and what becomes of it when these are killed."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import psycopg
import pytest

from tests import servers
from tests.jobs.conftest import Stack, Worker, running_stack

pytestmark = pytest.mark.server

CANCEL_SECONDS = 2
SEAL = """
from django.utils import timezone
from accounts.models import Person
from mining.parameters import Parameters
from runs import run_start
from tests.runs import sealed
person = Person.objects.get(username="operator")
survey = sealed.survey(person, sealed.large_design(), [500] * 4)
whole = run_start.start_mining_run(survey, person, Parameters(0.15, 0.4, max_size=3), timezone.now(), mlxtend="never")
print(survey.pk, sealed.work(whole).pk)
"""

FORM = {"min_support": "15", "min_confidence": "40", "max_size": "3", "estimator": "stratified"}
FORM |= {"mlxtend": "never", "standard_errors": "3"}


@dataclass
class House:
    stack: Stack
    survey: int = 0
    whole: int = 0
    digest: str = ""
    is_slow: bool = False

    def start(self) -> int:
        """Press the button; the run waits for a worker."""
        response, text = self.stack.ask("POST", f"/app/surveys/{self.survey}/runs", FORM)
        assert response.status == 302, text[:2000]
        return int(response.headers["Location"].split("/")[3])

    def cancel(self, run: int) -> None:
        response, text = self.stack.ask("POST", f"/app/jobs/runs.run/{run}/cancel", {})
        assert response.status == 302, text[:2000]

    def row(self, run: int, columns: str = "state, words", of: str = "runs_run.job_id") -> tuple[object, ...]:
        """Of a run and its job, or of another job by the column that holds the run."""
        joined = f"{of.partition('.')[0]} JOIN jobs_job ON jobs_job.id = job_id"
        found = self.stack.rows(f"SELECT {columns} FROM {joined} WHERE {of} = {run}")
        return found[0]

    def wait_for_pairs(self, run: int) -> None:
        """Until its itemsets of two are being counted."""

        def counts_pairs() -> bool:
            state, words = self.row(run)
            assert state not in ("done", "failed"), f"too late to disturb it: {state}"
            return isinstance(words, dict) and words.get("values") == {"size": 2}

        # That it is half-way may be over soon.
        servers.wait(counts_pairs, f"run {run} being half-way", longest=0.05)

    def wait_for(self, run: int, state: str) -> None:
        try:
            servers.wait(lambda: self.row(run)[0] == state, f"run {run} being {state}")
        except TimeoutError as error:
            logs = "".join(worker.log.read_text()[-3000:] for worker in self.stack.workers)
            raise AssertionError(f"{error}; {self.row(run, '*')}\n{logs}") from None

    def worker_of(self, run: int) -> Worker:
        (name,) = self.row(run, "worker")
        return next(worker for worker in self.stack.workers if worker.name == name)

    def two_workers(self, *, are_slow: bool = True) -> list[Worker]:
        """Those that an earlier test left alive, if they are of this kind."""
        alive = [worker for worker in self.stack.workers if worker.is_alive]
        if are_slow != self.is_slow or len(alive) < 2:
            self.stack.no_workers()
            how = {"unlike": "slow_count"} if are_slow else {"app": "config"}
            alive = [self.stack.start_worker(**how) for _worker in range(2)]
        self.is_slow = are_slow
        return alive

    def stored_result_rows(self, run: int) -> list[str]:
        """All rows of results as the database writes them, but for their ids."""
        rows = []
        for table in ("runs_itemset", "runs_rule"):
            dropped = "'id' - 'run_id' - 'itemset_id'"
            rows += self.stack.rows(
                f"SELECT (to_jsonb(t) - {dropped})::text FROM {table} t WHERE run_id = {run} ORDER BY place"
            )
        return [text for (text,) in rows]

    def is_the_same(self, run: int) -> bool:
        return self.row(run, "digest")[0] == self.digest and self.stored_result_rows(
            run
        ) == self.stored_result_rows(self.whole)


@pytest.fixture(scope="module")
def worker_house(postgres: servers.Postgres, redis: servers.Redis) -> Iterator[House]:
    with running_stack(postgres.create("runs", postgres.migrated()), redis) as stack:
        house = House(stack)
        sealed = servers.manage(stack.env, "shell", "--verbosity=0", "-c", SEAL)
        house.survey, house.whole = map(int, sealed.split())
        house.digest = str(house.row(house.whole, "digest")[0])
        yield house


@pytest.mark.night
def test_a_run_is_cancelled_within_two_seconds_and_one_whose_worker_is_killed_finds_the_same_digits(
    worker_house: House,
) -> None:
    """With the same two workers; what is cancelled stores nothing."""
    worker_house.two_workers()
    run = worker_house.start()
    worker_house.wait_for_pairs(run)
    asked = time.monotonic()
    worker_house.cancel(run)
    worker_house.wait_for(run, "cancelled")
    assert time.monotonic() - asked < CANCEL_SECONDS
    assert worker_house.row(run, "digest") == ("",)
    assert worker_house.stack.rows(f"SELECT 1 FROM runs_itemset WHERE run_id = {run}") == []
    run = worker_house.start()
    worker_house.wait_for_pairs(run)
    worker_house.worker_of(run).kill()
    worker_house.wait_for(run, "done")
    assert len(worker_house.stored_result_rows(worker_house.whole)) > 100
    assert worker_house.row(run, "attempts") == (2,)
    assert worker_house.is_the_same(run)


@pytest.mark.night
def test_a_check_whose_worker_is_killed_is_done_again_and_finds_both_engines_equal(
    worker_house: House,
) -> None:
    worker_house.two_workers()
    response, text = worker_house.stack.ask("POST", f"/app/runs/{worker_house.whole}/check", {})
    assert response.status == 302, text[:2000]

    job = partial(worker_house.row, worker_house.whole, of="runs_enginecheck.run_id")
    servers.wait(lambda: job("state") == ("running",), "the check being running")
    (name,) = job("worker")
    next(worker for worker in worker_house.stack.workers if worker.name == name).kill()
    servers.wait(lambda: job("state") == ("done",), "the check being done")
    attempts, result = job("attempts, result")
    assert attempts == 2
    assert isinstance(result, dict)
    assert result["difference"] is None
    assert result["itemsets"] > 0


@pytest.mark.night
def test_both_workers_killed_and_two_new_ones_cost_no_digit(worker_house: House) -> None:
    first = worker_house.two_workers()
    run = worker_house.start()
    worker_house.wait_for_pairs(run)
    for worker in first:
        worker.kill()
    worker_house.two_workers()
    worker_house.wait_for(run, "done")
    assert worker_house.is_the_same(run)


@pytest.mark.night
def test_runs_that_nothing_disturbs_come_to_the_same_digits(worker_house: House) -> None:
    worker_house.two_workers(are_slow=False)
    for _turn in range(2):
        run = worker_house.start()
        worker_house.wait_for(run, "done")
        assert worker_house.is_the_same(run)
        assert worker_house.row(run, "attempts") == (1,)


def test_postgresql_samples_no_pattern_of_answers(postgres: servers.Postgres) -> None:
    """ANALYZE would copy them to where they outlive their rows."""
    sampled = "SELECT attstattarget FROM pg_attribute WHERE attrelid = %s::regclass AND attname = %s"
    with psycopg.connect(postgres.create("runs_sampled", postgres.migrated())) as server:
        assert server.execute(sampled, ("runs_histogram", "data")).fetchall() == [(0,)]
