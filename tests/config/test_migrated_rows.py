"""Rows of earlier releases in today's tables: one walk through the migrations on each database, there and back."""

import json
from typing import Any

import pytest

from tests import servers
from tests.config.schema import schema

pytestmark = pytest.mark.server

# An opened survey from before it could be paused, and people from before it was remembered who works on a survey.
COLLABORATORS = """
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
Then, Collaborator, Drafted = map(models(), ("people.Person", "surveys.Collaborator", "surveys.Survey"))
a, editor, other = Then.objects.bulk_create(Then(username=name, email=name + "@e.org") for name in "abc")
first, second = Drafted.objects.bulk_create([Drafted(owner=a, slug="one"), Drafted(owner=other, slug="two")])
Collaborator.objects.bulk_create([Collaborator(survey=first, person=editor), Collaborator(survey=first, person=a)])
"""
# What reviewers allowed before approvals had a table.
REVIEWED = """
from people.models import History
reviewer = Person.objects.create(username="reviewer")
DesignThen, Drafted = map(models(), ("surveys.Design", "surveys.Survey"))
DesignThen.objects.create(fingerprint="a" * 64, json="{}")
reviewed = Drafted.objects.create(owner_id=owner.pk, design_id="a" * 64, state="open", slug="reviewed")
for who, what, note in [
    (owner, "weak-asked", "a" * 64 + " A small clinic."),
    (reviewer, "weak-allowed", "a" * 64),
    (owner, "records-asked", "a" * 64),
    (reviewer, "records-refused", "a" * 64 + " Not yet."),
    (owner, "opened", "a" * 64),
]:
    History.objects.create(
        who=who, what=f"surveys.{what}", thing_app="surveys", thing_model="survey",
        thing_id=str(reviewed.pk), note=note,
    )
"""
# From before runs had numbers.
RUNS = """
Drafted = models()("surveys.Survey")
surveys = [Drafted.objects.create(owner_id=owner.pk, slug=f"run {n}").pk for n in range(2)]
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
ROWS = {
    "surveys.0002_reviewers_look": COLLABORATORS,
    "surveys.0004_pause": REVIEWED,
    "mining.0001_runs": RUNS,
}
TODAY = """
import json
from django.db import IntegrityError, transaction
from django.utils import timezone
from runs.models import Run
from surveys import lifecycle
from surveys.models import Approval, Involvement, Survey
from tests.config.schema import SCHEMA, texts
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
    "involved": sorted(Involvement.objects.exclude(survey__in=[*surveys, reviewed.pk])
                       .values_list("survey__slug", "person__username")),
    "approvals": list(Approval.objects.order_by("pk")
                      .values_list("what", "verdict", "by__username", "fingerprint", "note")),
    "numbers": list(Run.objects.order_by("pk").values_list("pk", "number")),
}
with connection.cursor() as cursor:
    cursor.execute(SCHEMA[connection.vendor])
    found["schema"] = texts(cursor.fetchall())
"""
WALK = f"""
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

def models():
    # Those of that day: today's have columns that the tables did not have.
    loader = MigrationLoader(connection)
    applied = [migration for migration in loader.applied_migrations if migration in loader.graph.nodes]
    return loader.project_state(applied).apps.get_model

def migrate(*words):
    call_command("migrate", *words, verbosity=0, skip_checks=True)

def check():
    # Of the triggers above all.
    call_command("check", databases=["default"], stdout=open("/dev/null", "w"))

wanted = MigrationExecutor(connection)
for migration, _backwards in wanted.migration_plan(wanted.loader.graph.leaf_nodes()):
    if not migration.__module__.startswith(("django.", "axes.")):
        migrate(migration.app_label, migration.name)
        exec({ROWS!r}.get(str(migration), ""))
migrate()
check()
{TODAY}
MigrationExecutor(connection).migrate([("mining", "0001_runs"), ("surveys", "0002_reviewers_look")])
migrate()
check()
print(json.dumps(found))
"""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def walked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What became of the rows of an install that stopped after each migration of ours, and `fresh`: the schema of one
    that was migrated at once. Afterwards the migrations of the rows were undone and made again."""
    env = servers.environment(VAR=str(tmp_path_factory.mktemp("rows")))
    fresh = f"sqlite://{servers.migrated_file()}"
    if request.param == "postgresql":
        server: servers.Postgres = request.getfixturevalue("postgres")
        env["DATABASE_URL"] = server.create("rows")
        fresh = server.create("rows_fresh", server.migrated())
    return json.loads(servers.manage(env, "shell", "--verbosity=0", "-c", WALK)) | {"fresh": schema(fresh)}


def test_an_install_that_stops_after_each_migration_ends_with_the_same_schema(walked: Any) -> None:
    assert walked["schema"] == walked["fresh"]


def test_an_opened_survey_from_before_keeps_its_triggers_and_can_be_paused(walked: Any) -> None:
    assert walked["frozen"]
    assert walked["paused"]


def test_who_works_on_a_survey_when_the_memory_of_that_is_introduced_is_remembered_too(walked: Any) -> None:
    assert walked["involved"] == [["one", "a"], ["one", "b"], ["there", "owner"], ["two", "c"]]


def test_what_reviewers_said_is_carried_over(walked: Any) -> None:
    assert walked["approvals"] == [
        ["weak", "asked", "owner", "a" * 64, "A small clinic."],
        ["weak", "allowed", "reviewer", "a" * 64, ""],
        ["records", "asked", "owner", "a" * 64, ""],
        ["records", "refused", "reviewer", "a" * 64, "Not yet."],
    ]


def test_runs_that_are_there_are_numbered_in_the_order_they_were_started(walked: Any) -> None:
    assert walked["numbers"] == [[1, 1], [2, 1], [35, 2], [36, 3], [70, 2]]
