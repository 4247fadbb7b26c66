"""Several people press the same button at the same moment, on both databases."""

import json
from pathlib import Path

import pytest

from tests import servers

AT_ONCE = """
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from django.db import connections
from django.utils import timezone
from accounts.models import History, Person
from surveys.lifecycle import opening
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Design, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.surveys.drafts import complete

CROWD = 8
owner = Person.objects.create(username="owner")
same = [Survey.objects.create(owner=owner, draft=complete()).pk for _ in range(CROWD)]

def all_at_once(act, keys):
    barrier = Barrier(len(keys))
    def one(pk):
        survey = Survey.objects.get(pk=pk)
        barrier.wait()
        try:
            act(survey, owner, timezone.now())
            return "done"
        except NotAllowed as refused:
            return "refused"
        finally:
            connections.close_all()
    with ThreadPoolExecutor(len(keys)) as pool:
        return sorted(pool.map(one, keys))

print(json.dumps({
    "twins opened": all_at_once(opening.open_survey_now, same),
    "designs": Design.objects.count(),
    "one opened again": all_at_once(opening.open_survey_now, same[:1] * CROWD),
    "one closed": all_at_once(lifecycle.close_survey, same[:1] * CROWD),
    "one destroyed": all_at_once(lifecycle.destroy_survey, same[:1] * CROWD),
    "acts": [act.what for act in History.objects.about(Survey.objects.get(pk=same[0])).order_by("pk")],
}))
"""


def assert_acts_once(env: dict[str, str]) -> None:
    found = json.loads(servers.manage(env, "shell", "--verbosity=0", "-c", AT_ONCE))
    one_of_eight = ["done", *["refused"] * 7]
    assert found == {
        "twins opened": ["done"] * 8,
        "designs": 1,
        "one opened again": ["refused"] * 8,
        "one closed": one_of_eight,
        "one destroyed": one_of_eight,
        "acts": ["surveys.opened", "surveys.closed", "surveys.destroyed"],
    }


@pytest.mark.night
@pytest.mark.page
def test_one_of_eight_simultaneous_calls_succeeds_on_sqlite(tmp_path: Path) -> None:
    env = servers.environment(VAR=str(tmp_path))
    servers.prepare(env)
    assert_acts_once(env)


@pytest.mark.server
def test_one_of_eight_simultaneous_calls_succeeds_on_postgresql(
    postgres: servers.Postgres, tmp_path: Path
) -> None:
    address = postgres.create("at_once", postgres.migrated())
    assert_acts_once(servers.environment(VAR=str(tmp_path), DATABASE_URL=address))
