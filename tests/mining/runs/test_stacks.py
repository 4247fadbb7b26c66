"""A run in shards on PostgreSQL and Redis, two real workers, and what becomes of it when one of them is killed."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests import servers
from tests.jobs.stack import Stack, Worker, running

pytestmark = pytest.mark.server

SEAL = """
from people.models import Person
from tests.mining.runs import sealed
owner = Person.objects.create(username="owner")
print(sealed.survey(owner, sealed.large(), [20_000] * 8).pk)
"""
START = """
from django.conf import settings
from django.utils import timezone
from mining.parameters import Parameters
from mining.runs import starting
from people.models import Person
from surveys.models import Survey
from tests.mining.runs import working
wanted = Parameters(min_support=0.15, min_confidence=0.4)
run = starting.start(Survey.objects.get(), Person.objects.get(username="owner"), wanted, timezone.now())
"""


@dataclass
class House:
    stack: Stack
    digest: str
    rules: int

    def start(self) -> int:
        """A run that waits for the workers, which split it; everybody else may know nothing of that."""
        return int(self.shell(f"{START}print(run.pk)"))

    def shell(self, code: str) -> str:
        return servers.manage(self.stack.env, "shell", "--verbosity=0", "-c", code).strip()

    def row(self, run: int, columns: str = "state, level, missing") -> tuple[object, ...]:
        return self.stack.rows(f"SELECT {columns} FROM mining_run WHERE id = {run}")[0]

    def wait_for_level(self, run: int, level: int) -> None:
        def reached() -> bool:
            state, at, missing = self.row(run)
            assert state not in ("done", "failed"), f"too late to disturb it: {state}"
            return isinstance(at, int) and at >= level and isinstance(missing, int) and 0 < missing < 16

        servers.wait(reached, f"run {run} being half-way through level {level}")

    def wait_for(self, run: int, state: str) -> None:
        try:
            servers.wait(lambda: self.row(run)[0] == state, f"run {run} being {state}", 60)
        except TimeoutError as error:
            logs = "".join(worker.log.read_text()[-3000:] for worker in self.stack.workers)
            shards = self.stack.rows(
                f"SELECT level, state, count(*) FROM mining_shard WHERE run_id = {run} GROUP BY 1, 2"
            )
            raise AssertionError(f"{error}; {self.row(run, '*')} {shards}\n{logs}") from None

    def two_workers(self) -> list[Worker]:
        self.stack.no_workers()
        return [self.stack.start_worker(), self.stack.start_worker()]

    def is_the_same(self, run: int) -> bool:
        rows = self.stack.rows(f"SELECT count(*) FROM mining_rule WHERE run_id = {run}")
        return self.row(run, "digest")[0] == self.digest and rows == [(self.rules,)]


@pytest.fixture(scope="module")
def house(postgres: servers.Postgres, redis: servers.Redis) -> Iterator[House]:
    with running(postgres.create("runs"), redis) as stack:
        house = House(stack, "", 0)
        house.shell(SEAL)
        # In one piece, by nobody but this process.
        whole = json.loads(
            house.shell(
                f"{START}run = working.work(run); import json; print(json.dumps([run.digest, run.rule_count]))"
            )
        )
        house.digest, house.rules = whole
        stack.env["SHARD_RECORDS"] = "10000"
        yield house


def test_two_workers_come_to_the_same_digits(house: House) -> None:
    house.two_workers()
    run = house.start()
    house.wait_for(run, "done")
    assert house.rules > 10
    assert house.is_the_same(run)
    assert house.row(run, "level, attempts") == (5, 1)
    assert house.stack.rows("SELECT 1 FROM mining_shard") == []


def test_a_worker_that_is_killed_half_way_costs_no_digit(house: House) -> None:
    _one, other = house.two_workers()
    run = house.start()
    house.wait_for_level(run, 3)
    other.kill()
    house.wait_for(run, "done")
    assert house.is_the_same(run)


def test_both_workers_killed_and_two_new_ones_cost_no_digit(house: House) -> None:
    first = house.two_workers()
    run = house.start()
    house.wait_for_level(run, 2)
    for worker in first:
        worker.kill()
    house.two_workers()
    house.wait_for(run, "done")
    assert house.is_the_same(run)


def test_a_run_that_is_cancelled_half_way_has_no_further_shard_counted(house: House) -> None:
    house.two_workers()
    run = house.start()
    house.wait_for_level(run, 3)
    house.shell(
        f"from jobs import clock, transitions; from mining.models import Run; "
        f"transitions.cancel(Run.objects.get(pk={run}), clock.now())"
    )
    house.wait_for(run, "cancelled")
    level = house.row(run, "level")
    servers.wait(lambda: not house.stack.rows("SELECT 1 FROM mining_shard"), "its shards being gone")
    assert house.row(run, "level") == level
    assert house.row(run, "digest") == ("",)
    assert house.stack.rows(f"SELECT 1 FROM mining_itemset WHERE run_id = {run}") == []
