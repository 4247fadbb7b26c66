"""Every app has one initial migration, which carries what it does, whatever code says now."""

import ast
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from accounts.insert_only import TRIGGERS, InsertOnly
from surveys import triggers
from tests import servers
from tests.rooms import ROOMS

# Django writes these itself, and looks for them in the migration's state: the default and the choices of a field.
STATE = {"accounts.models", "surveys.models"}


def migrations() -> list[Path]:
    return sorted(path for room in ROOMS for path in (servers.ROOT / room).rglob("migrations/0*.py"))


def test_an_app_has_one_migration() -> None:
    assert {path.name for path in migrations()} == {"0001_initial.py"}


@pytest.mark.parametrize("path", migrations(), ids=lambda path: str(path.relative_to(servers.ROOT)))
def test_a_migration_imports_nothing_of_ours_that_can_change(path: Path) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name for name in modules if name.split(".")[0] in ROOMS} <= STATE


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
