"""Every migration carries what it does, whatever code says now."""

import ast
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests import servers
from tests.rooms import ROOMS

# Django writes these itself, and looks for them in the migration's state: the default and the choices of a field.
STATE = {"people.models", "surveys.models"}


def migrations() -> list[Path]:
    return sorted(path for room in ROOMS for path in (servers.ROOT / room).rglob("migrations/0*.py"))


@pytest.mark.parametrize("path", migrations(), ids=lambda path: str(path.relative_to(servers.ROOT)))
def test_a_migration_imports_nothing_of_ours_that_can_change(path: Path) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name for name in modules if name.split(".")[0] in ROOMS} <= STATE


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
    for room in (*ROOMS, "locale", "templates"):
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
