"""A survey is destroyed at the very moment at which something of it is stored, on PostgreSQL."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.utils import timezone

from jobs import job_state_changes
from jobs.models import Job
from runs.models import Histogram, Itemset, Rule, Run
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests import servers
from tests.conftest import Migrated

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="reports/test_on_postgresql.py")]

BLOCKED = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def destroyed_meanwhile(survey: Survey, act: Callable[[], object]) -> list[str]:
    """What became of the act, of the destruction, and which rows are left."""
    stored = Event()

    def act_and_hold_lock() -> None:
        with transaction.atomic():
            act()
            stored.set()
            wait_until_somebody_waits()

    def destroying() -> None:
        stored.wait(servers.PATIENCE)
        lifecycle.destroy_survey(survey, survey.owner, timezone.now())

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(outcome, (act_and_hold_lock, destroying)))
    left = [row._meta.label for row in (Histogram, Itemset, Rule, Run) if row._base_manager.exists()]
    return [*said, *left]


def outcome(of: Callable[[], None]) -> str:
    try:
        of()
    except DatabaseError as error:
        return type(error).__name__
    finally:
        connections.close_all()
    return "done"


def wait_until_somebody_waits() -> None:
    end = time.monotonic() + servers.PATIENCE
    with connection.cursor() as cursor:
        while time.monotonic() < end:
            # Within one transaction the statistics stand still unless they are told not to.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(BLOCKED)
            if cursor.fetchone():
                return
            time.sleep(0.02)
    raise TimeoutError("the destruction waited for nothing")


def compute_without_storing(job: Job) -> Callable[[], object]:
    """A job that a worker has done but for storing its result; how it stores it."""
    held = job_state_changes.claim(job.pk, token="c", worker="w", now=timezone.now())
    assert held
    write = held.perform(lambda *_said, **_values: None)

    def store() -> None:
        assert job_state_changes.finish(held, write, timezone.now())

    return store


BEGUN = """
from django.utils import timezone
from mining.parameters import Parameters
from runs import run_start
from accounts.models import Person
from tests.runs import sealed
from tests.runs.test_at_once import compute_without_storing, destroyed_meanwhile
owner = Person.objects.create(username="owner")
survey = sealed.survey(owner, sealed.{design}(), [150, 150])
run = run_start.start_mining_run(survey, owner, Parameters(0.2, 0.4, max_size=2), timezone.now())
"""
DESTROY = """
act = compute_without_storing(run)
print(destroyed_meanwhile(survey, act))
"""


@pytest.mark.parametrize(
    "design", ["small_design", "large_design"], ids=["a run that keeps a histogram", "a run that keeps none"]
)
def test_a_survey_is_destroyed_while_results_are_stored(migrate: Migrated, design: str) -> None:
    env = migrate(f"stored_{design}")
    said = servers.manage(env, "shell", "--verbosity=0", "-c", BEGUN.format(design=design) + DESTROY)
    assert said.splitlines()[-1] == "['done', 'done']"
