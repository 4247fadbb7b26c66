"""A run in shards on PostgreSQL and Redis, two real workers, and what becomes of it when one of them is killed."""

from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest

from tests import servers
from tests.jobs.stack import Stack, Worker, running

pytestmark = [pytest.mark.server, pytest.mark.waits]

# Most runs need one level; these need several, so that they can be disturbed between them and at any of them.
SHORTSIGHTED = "tests.runs.shortsighted"
SHARDS = 40
SEAL = """
from accounts.models import Person
from tests.runs import sealed
print(sealed.survey(Person.objects.get(username="operator"), sealed.large(), [20_000] * 8).pk)
"""
WHOLE = """
from runs.models import Run
from tests.runs import working
working.work(Run.objects.get(pk={run}))
"""
FORM = {
    "min_support": "15",
    "min_confidence": "40",
    "max_size": "3",
    "estimator": "stratified",
    "engine": "bitmap",
    "standard_errors": "3",
}


@dataclass
class House:
    stack: Stack
    survey: int = 0
    whole: int = 0
    digest: str = ""
    app: str = ""

    def start(self) -> int:
        """Press the button; the run waits for a worker."""
        response, text = self.stack.ask("POST", f"/surveys/{self.survey}/runs", FORM)
        assert response.status == 302, text[:2000]
        return int(response.headers["Location"].split("/")[2])

    def cancel(self, run: int) -> None:
        response, text = self.stack.ask("POST", f"/jobs/runs.run/{run}/cancel", {})
        assert response.status == 302, text[:2000]

    def shell(self, code: str) -> str:
        return servers.manage(self.stack.env, "shell", "--verbosity=0", "-c", code).strip()

    def row(self, run: int, columns: str = "state, level, missing") -> tuple[object, ...]:
        return self.stack.rows(
            f"SELECT {columns} FROM runs_run JOIN jobs_job ON jobs_job.id = job_id WHERE job_id = {run}"
        )[0]

    def wait_for_level(self, run: int, level: int) -> None:
        def reached() -> bool:
            state, at, missing = self.row(run)
            assert state not in ("done", "failed"), f"too late to disturb it: {state}"
            return isinstance(at, int) and at >= level and isinstance(missing, int) and 0 < missing < SHARDS

        # That it is half-way may be over soon.
        servers.wait(reached, f"run {run} being half-way through level {level}", longest=0.05)

    def wait_for(self, run: int, state: str) -> None:
        try:
            servers.wait(lambda: self.row(run)[0] == state, f"run {run} being {state}")
        except TimeoutError as error:
            logs = "".join(worker.log.read_text()[-3000:] for worker in self.stack.workers)
            shards = self.stack.rows(
                "SELECT level, state, count(*) FROM runs_shard JOIN jobs_job ON jobs_job.id = job_id"
                f" WHERE run_id = {run} GROUP BY 1, 2"
            )
            raise AssertionError(f"{error}; {self.row(run, '*')} {shards}\n{logs}") from None

    def two_workers(self, app: str) -> list[Worker]:
        """Those that an earlier test left alive, if they run this app."""
        alive = [worker for worker in self.stack.workers if worker.lives]
        if app != self.app or len(alive) < 2:
            self.stack.no_workers()
            alive = [self.stack.start_worker(app), self.stack.start_worker(app)]
        self.app = app
        return alive

    def numbers(self, run: int) -> list[str]:
        """All rows of results as the database writes them, but for their ids."""
        rows = []
        for table in ("runs_itemset", "runs_rule"):
            dropped = "'id' - 'run_id' - 'itemset_id'"
            rows += self.stack.rows(
                f"SELECT (to_jsonb(t) - {dropped})::text FROM {table} t WHERE run_id = {run} ORDER BY place"
            )
        return [text for (text,) in rows]

    def is_the_same(self, run: int) -> bool:
        return self.row(run, "digest")[0] == self.digest and self.numbers(run) == self.numbers(self.whole)


@pytest.fixture(scope="module")
def house(postgres: servers.Postgres, redis: servers.Redis) -> Iterator[House]:
    with running(postgres.create("runs", postgres.migrated()), redis) as stack:
        house = House(stack)
        house.survey = int(house.shell(SEAL))
        house.whole = house.start()
        # In one piece, since that process knows nothing of shards.
        house.shell(WHOLE.format(run=house.whole))
        house.digest = str(house.row(house.whole, "digest")[0])
        stack.env["SHARD_RECORDS"] = "4000"
        yield house


@pytest.mark.release
def test_two_workers_and_the_one_that_is_left_come_to_the_same_digits(house: House) -> None:
    """A second run is disturbed: one of the workers is killed half-way."""
    _one, other = house.two_workers("config")
    run = house.start()
    house.wait_for(run, "done")
    assert len(house.numbers(house.whole)) > 100
    assert house.is_the_same(run)
    assert house.row(run, "attempts") == (1,)
    assert house.stack.rows("SELECT 1 FROM runs_shard") == []
    again = house.start()
    house.wait_for_level(again, 1)
    other.kill()
    house.wait_for(again, "done")
    assert house.is_the_same(again)


def test_a_run_that_is_cancelled_half_way_has_no_further_shard_counted(house: House) -> None:
    house.two_workers(SHORTSIGHTED)
    run = house.start()
    house.wait_for_level(run, 2)
    house.cancel(run)
    house.wait_for(run, "cancelled")
    level = house.row(run, "level")
    servers.wait(lambda: not house.stack.rows("SELECT 1 FROM runs_shard"), "its shards being gone")
    assert house.row(run, "level") == level
    assert house.row(run, "digest") == ("",)
    assert house.stack.rows(f"SELECT 1 FROM runs_itemset WHERE run_id = {run}") == []


def test_both_workers_killed_and_two_new_ones_cost_no_digit(house: House) -> None:
    first = house.two_workers(SHORTSIGHTED)
    run = house.start()
    house.wait_for_level(run, 2)
    for worker in first:
        worker.kill()
    house.two_workers(SHORTSIGHTED)
    house.wait_for(run, "done")
    assert house.is_the_same(run)


def test_postgresql_samples_no_pattern_of_answers(postgres: servers.Postgres) -> None:
    """ANALYZE would copy them to where they outlive their rows."""
    sampled = "SELECT attstattarget FROM pg_attribute WHERE attrelid = %s::regclass AND attname = %s"
    with psycopg.connect(postgres.create("runs_sampled", postgres.migrated())) as server:
        for column in (("runs_histogram", "data"), ("runs_shard", "counts")):
            assert server.execute(sampled, column).fetchall() == [(0,)]
