"""Rows of earlier releases in today's tables: one walk through the migrations on each database, there and back."""

import json
from typing import Any

import pytest

from tests import servers

pytestmark = pytest.mark.server

# An opened survey from before it could be paused.
OPENED = """
from people.models import Person
from surveys import draft
from tests.surveys.drafts import complete
design = draft.frozen(complete())
owner = Person.objects.create(username="owner")
with connection.cursor() as cursor:
    cursor.execute("INSERT INTO surveys_design (fingerprint, json) VALUES (%s, %s)",
        [design.fingerprint, design.canonical])
    cursor.execute("INSERT INTO surveys_survey (owner_id, draft, design_id, state, invited, slug)"
        " VALUES (%s, '{}', %s, 'open', %s, 'there')", [owner.pk, design.fingerprint, False])
"""
# From before it was remembered who works on a survey. The models are those of that day: today's have columns that the
# tables did not have.
COLLABORATORS = """
from django.db.migrations.loader import MigrationLoader
state = MigrationLoader(connection).project_state([("surveys", "0002_reviewers_look")])
Then, Collaborator, Drafted = (state.apps.get_model(*name) for name in
    (("people", "Person"), ("surveys", "Collaborator"), ("surveys", "Survey")))
a, editor, other = Then.objects.bulk_create(Then(username=name, email=name + "@e.org") for name in "abc")
first, second = Drafted.objects.bulk_create([Drafted(owner=a, slug="one"), Drafted(owner=other, slug="two")])
Collaborator.objects.bulk_create([Collaborator(survey=first, person=editor), Collaborator(survey=first, person=a)])
"""
# From before runs had numbers.
RUNS = """
from surveys.models import Survey
surveys = [Survey.objects.create(owner=owner, draft={}).pk for _ in range(2)]
row = {
    "state": "queued", "attempts": 0, "created": "2026-01-01", "words": "{}", "error": "{}", "cancel_asked": False,
    "claim": "", "worker": "", "through": 1, "records": 1, "design": "", "parameters": "{}", "engine": "",
    "version": "",
    "levels": "[]", "findings": "{}", "digest": "", "level": 0, "missing": 0, "asked": b"",
}
with connection.cursor() as cursor:
    for pk, survey in ((1, 0), (2, 1), (35, 0), (36, 0), (70, 1)):
        values = {**row, "id": pk, "survey_id": surveys[survey]}
        places = ", ".join(["%s"] * len(values))
        cursor.execute(f"INSERT INTO mining_run ({', '.join(values)}) VALUES ({places})", list(values.values()))
"""
TODAY = """
import json
from django.db import IntegrityError, transaction
from django.utils import timezone
from mining.models import Run
from surveys import lifecycle
from surveys.models import Involvement
opened, frozen = Survey.objects.get(slug="there"), False
lifecycle.pause(opened, owner, timezone.now())
lifecycle.resume(opened, owner, timezone.now())
lifecycle.pause(opened, owner, timezone.now())
try:
    with transaction.atomic():
        Survey.objects.filter(slug="there").update(invited=True)
except IntegrityError:
    frozen = True
found = {
    "frozen": frozen,
    "paused": Survey.objects.get(slug="there").is_paused,
    "involved": sorted(Involvement.objects.exclude(survey__in=surveys).values_list("survey__slug", "person__username")),
    "numbers": list(Run.objects.order_by("pk").values_list("pk", "number")),
}
"""
WALK = f"""
from django.core.management import call_command
from django.db import connection

def migrate(*words):
    call_command("migrate", *words, verbosity=0, skip_checks=True)

def check():
    # Of the triggers above all.
    call_command("check", databases=["default"], stdout=open("/dev/null", "w"))

migrate("people")
migrate("surveys", "0002")
{OPENED}
{COLLABORATORS}
migrate("mining", "0001_runs")
migrate("surveys")
{RUNS}
migrate()
check()
{TODAY}
migrate("mining", "0001_runs")
migrate("surveys", "0002")
migrate()
check()
print(json.dumps(found))
"""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What became of the rows. Afterwards their migrations were undone and made again."""
    env = servers.environment(VAR=str(tmp_path_factory.mktemp("rows")))
    if request.param == "postgresql":
        server: servers.Postgres = request.getfixturevalue("postgres")
        env["DATABASE_URL"] = server.create("rows")
    return json.loads(servers.manage(env, "shell", "--verbosity=0", "-c", WALK))


def test_an_opened_survey_from_before_keeps_its_triggers_and_can_be_paused(found: Any) -> None:
    assert found["frozen"]
    assert found["paused"]


def test_who_works_on_a_survey_when_the_memory_of_that_is_introduced_is_remembered_too(found: Any) -> None:
    assert found["involved"] == [["one", "a"], ["one", "b"], ["there", "owner"], ["two", "c"]]


def test_runs_that_are_there_are_numbered_in_the_order_they_were_started(found: Any) -> None:
    assert found["numbers"] == [[1, 1], [2, 1], [35, 2], [36, 3], [70, 2]]
