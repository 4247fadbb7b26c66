"""Every migration carries what it does: an install from any state ends with the same schema, whatever code says now."""

import ast
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests import servers
from tests.config.schema import schema

OURS = ("config", "jobs", "look", "mining", "papers", "people", "privacy", "releases", "surveys")
# Django writes these itself, and looks for them in the migration's state: the default and the choices of a field.
STATE = {"people.models", "surveys.models"}

ONE_BY_ONE = """
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
wanted = MigrationExecutor(connection)
plan = wanted.migration_plan(wanted.loader.graph.leaf_nodes())
for migration, _backwards in plan:
    call_command("migrate", migration.app_label, migration.name, verbosity=0)
"""


def migrations() -> list[Path]:
    return sorted(path for room in OURS for path in (servers.ROOT / room).rglob("migrations/0*.py"))


@pytest.mark.parametrize("path", migrations(), ids=lambda path: str(path.relative_to(servers.ROOT)))
def test_a_migration_imports_nothing_of_ours_that_can_change(path: Path) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name for name in modules if name.split(".")[0] in OURS} <= STATE


def stops_at_each(env: dict[str, str], fresh: dict[str, str]) -> None:
    """`fresh` was migrated at once."""
    servers.manage(env, "shell", "-v", "0", "-c", ONE_BY_ONE)
    assert schema(env) == schema(fresh)


@pytest.mark.slow
def test_an_install_that_stops_after_each_migration_ends_with_the_same_schema(tmp_path: Path) -> None:
    shutil.copy(servers.migrated_file(), tmp_path / "b")
    stops_at_each(
        *(servers.environment(VAR=str(tmp_path), DATABASE_URL=f"sqlite://{tmp_path}/{name}") for name in "ab")
    )


@pytest.mark.server
def test_it_does_so_on_postgresql(tmp_path: Path, postgres: servers.Postgres) -> None:
    first, second = (
        servers.environment(VAR=str(tmp_path), DATABASE_URL=postgres.create(name, template))
        for name, template in (("migrations_a", "template1"), ("migrations_b", postgres.migrated()))
    )
    stops_at_each(first, second)


# --- what reviewers allowed before approvals had a table ------------------------------------------------------

BEFORE = """
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from people.models import History, Person
then = MigrationLoader(connection).project_state([("surveys", "0004_pause")]).apps
Design, Survey = then.get_model("surveys", "Design"), then.get_model("surveys", "Survey")
people = {name: Person.objects.create(username=name) for name in ("owner", "reviewer")}
Design.objects.create(fingerprint="a" * 64, json="{}")
survey = Survey.objects.create(owner_id=people["owner"].pk, design_id="a" * 64, state="open")
for who, what, note in [
    ("owner", "weak-asked", "a" * 64 + " A small clinic."),
    ("reviewer", "weak-allowed", "a" * 64),
    ("owner", "records-asked", "a" * 64),
    ("reviewer", "records-refused", "a" * 64 + " Not yet."),
    ("owner", "opened", "a" * 64),
]:
    History.objects.create(
        who=people[who], what=f"surveys.{what}", thing_app="surveys", thing_model="survey",
        thing_id=str(survey.pk), note=note,
    )
"""
AFTER = """
import json
from surveys.models import Approval
rows = Approval.objects.order_by("pk").values_list("what", "verdict", "by__username", "fingerprint", "note")
print(json.dumps([list(row) for row in rows]))
"""


def carries_over(env: dict[str, str]) -> None:
    servers.manage(env, "migrate", "-v", "0", "surveys", "0004")
    servers.manage(env, "migrate", "-v", "0", "people")
    servers.manage(env, "shell", "-v", "0", "-c", BEFORE)
    servers.manage(env, "migrate", "-v", "0")
    assert json.loads(servers.manage(env, "shell", "-v", "0", "-c", AFTER)) == [
        ["weak", "asked", "owner", "a" * 64, "A small clinic."],
        ["weak", "allowed", "reviewer", "a" * 64, ""],
        ["records", "asked", "owner", "a" * 64, ""],
        ["records", "refused", "reviewer", "a" * 64, "Not yet."],
    ]


@pytest.mark.slow
def test_what_reviewers_said_is_carried_over(tmp_path: Path) -> None:
    carries_over(servers.environment(VAR=str(tmp_path)))


@pytest.mark.server
def test_it_is_carried_over_on_postgresql(tmp_path: Path, postgres: servers.Postgres) -> None:
    carries_over(servers.environment(VAR=str(tmp_path), DATABASE_URL=postgres.create("approvals")))


# --- a column that is frozen tomorrow -----------------------------------------------------------------------

LATER = """
from django.db import migrations, models

OPENED = {
    "sqlite": [
        "DROP TRIGGER IF EXISTS surveys_survey_opened",
        "CREATE TRIGGER surveys_survey_opened BEFORE UPDATE ON surveys_survey"
        " WHEN OLD.design_id IS NOT NULL AND NEW.colour IS NOT OLD.colour"
        " BEGIN SELECT RAISE(ABORT, 'the colour stays'); END",
    ],
    "postgresql": [],
}


def freeze(apps, schema_editor):
    for statement in OPENED[schema_editor.connection.vendor]:
        schema_editor.execute(statement, None)


class Migration(migrations.Migration):
    dependencies = [("surveys", "%s")]
    operations = [
        migrations.AddField("survey", "colour", models.CharField(max_length=9, blank=True, default="")),
        migrations.RunPython(freeze, migrations.RunPython.noop),
    ]
"""

COLOUR = "SELECT count(*) FROM surveys_survey WHERE colour = 'red'"


@pytest.fixture
def tomorrow(tmp_path: Path) -> Path:
    """A copy of the product in which opened surveys keep one more column as it is."""
    root = tmp_path / "copy"
    for room in (*OURS, "locale", "templates"):
        shutil.copytree(
            servers.ROOT / room, root / room, ignore=shutil.ignore_patterns("__pycache__", "static")
        )
    shutil.copy(servers.ROOT / "manage.py", root)
    models, triggers = root / "surveys" / "models.py", root / "surveys" / "triggers.py"
    field = '    colour = models.CharField(max_length=9, blank=True, default="")\n'
    models.write_text(once(models.read_text(), "    draft = models", f"{field}    draft = models"))
    triggers.write_text(once(triggers.read_text(), "changed('draft', ", "changed('colour', 'draft', "))
    folder = root / "surveys" / "migrations"
    last = max(path.stem for path in folder.glob("0*.py"))
    (folder / "9999_colour.py").write_text(LATER % last)
    return root


def once(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.slow
def test_a_column_frozen_by_a_later_migration_breaks_no_fresh_install(tomorrow: Path, tmp_path: Path) -> None:
    env = servers.environment(VAR=str(tmp_path))
    servers.manage(env, "migrate", "-v", "0", root=tomorrow)
    with closing(sqlite3.connect(tmp_path / "candor.sqlite3")) as database:
        assert database.execute(COLOUR).fetchone() == (0,)


@pytest.mark.server
def test_nor_does_it_on_postgresql(tomorrow: Path, tmp_path: Path, postgres: servers.Postgres) -> None:
    env = servers.environment(VAR=str(tmp_path), DATABASE_URL=postgres.create("tomorrow"))
    servers.manage(env, "migrate", "-v", "0", root=tomorrow)
    with psycopg.connect(env["DATABASE_URL"]) as database:
        assert database.execute(COLOUR).fetchone() == (0,)
