"""Every app has one initial migration, which carries what it does, whatever code says now."""

import ast
import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from accounts.insert_only_tables import TRIGGERS, InsertOnly
from surveys import triggers
from tests import servers
from tests.rooms import ROOMS

# Django writes the models itself, and looks for them in the migration's state: the default and the choices of a field.
STAYS = {"accounts.models", "surveys.models", "accounts.initial_migration_base"}


def migrations() -> list[Path]:
    return sorted(path for room in ROOMS for path in (servers.ROOT / room).rglob("migrations/0*.py"))


def test_an_app_has_one_migration() -> None:
    assert {path.name for path in migrations()} == {"0001_initial.py"}


def test_a_migration_imports_nothing_of_ours_that_can_change() -> None:
    for path in migrations():
        nodes = list(ast.walk(ast.parse(path.read_text())))
        modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        assert {name for name in modules if name.split(".")[0] in ROOMS} <= STAYS, path


DJANGOS_WAY = """
from django.core.management import call_command
from accounts.initial_migration_base import FirstMigration
del FirstMigration.apply
call_command("migrate", verbosity=0)
"""


@pytest.mark.night
def test_tables_created_together_are_those_that_django_creates_one_by_one(tmp_path: Path) -> None:
    servers.manage(servers.environment(VAR=str(tmp_path)), "shell", "--verbosity=0", "-c", DJANGOS_WAY)

    def schema(file: Path) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(file)) as connection:
            return sorted(connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master"))

    assert schema(tmp_path / "candor.sqlite3") == schema(servers.migrated_file())


@pytest.mark.parametrize("vendor", ["sqlite", "postgresql"])
def test_the_triggers_of_the_migrations_are_those_that_are_restored(vendor: str) -> None:
    written: list[str] = []
    for path in migrations():
        name = ".".join(path.relative_to(servers.ROOT).with_suffix("").parts)
        written += getattr(import_module(name), "TRIGGERS", {vendor: []})[vendor]
    wanted = triggers.STATEMENTS[vendor]()
    for model in apps.get_models():
        if issubclass(model, InsertOnly):
            table, key = model._meta.db_table, str(model._meta.pk.column)
            wanted += TRIGGERS[vendor](table, key, model.goes_with_others)[0]
    assert sorted(written) == sorted(" ".join(statement.split()) for statement in wanted)
