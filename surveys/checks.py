"""System checks of the triggers that protect tables."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from surveys import triggers

HINT = (
    "Run `manage.py restore_triggers` now. Django rebuilds a table on SQLite without its triggers: end the "
    "migration that altered it with the SQL that `manage.py restore_triggers --print` writes."
)


def triggers_are_there(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Name each trigger that is missing; `manage.py check --database default` asks."""
    messages: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        # A migration that is still to run may create it, so this must not be an error before.
        if not migrations_wait(connection):
            missing = triggers.missing_triggers(connection)
            messages += [
                Error(
                    f"Without its triggers {', '.join(names)}, {table} can be changed.",
                    HINT,
                    id="surveys.E001",
                )
                for table, names in missing.items()
            ]
    return messages


def migrations_wait(connection: BaseDatabaseWrapper) -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
