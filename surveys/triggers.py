"""Triggers by which the database protects opened surveys from changes.

The current triggers are defined here: `restore_triggers` creates them again, and a system check reports
missing ones. Migrations carry the SQL of their own time, since older tables lack newer columns.

On SQLite, Django alters a table by rebuilding it and silently loses its triggers. So a migration that alters
the table, or changes what is frozen, ends with the SQL of the triggers (`manage.py restore_triggers --print`
writes it). No trigger here reads another table, since SQLite could then not rebuild that one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Error
from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from accounts.insert_only_tables import TRIGGERS, InsertOnly

SURVEY = "surveys_survey"
ROW_STAYS = "an opened survey leaves a row behind"


@dataclass(frozen=True)
class TriggerRule:
    """A rule for a survey's row: an UPDATE is refused if the SQL condition `broken` holds for OLD and NEW."""

    name: str
    broken: str
    reason: str


def rules_of_update_trigger(vendor: str) -> list[TriggerRule]:
    differs = "IS NOT" if vendor == "sqlite" else "IS DISTINCT FROM"

    def changed_condition(*columns: str) -> str:
        return " OR ".join(f"NEW.{column} {differs} OLD.{column}" for column in columns)

    return [
        # The address and key too, lest UPDATE OR REPLACE push another row out of the table.
        TriggerRule(
            "identity",
            changed_condition("id", "slug", "owner_id"),
            "whose a survey is and its address stay",
        ),
        TriggerRule("destroyed", "OLD.state = 'destroyed'", "a destroyed survey stays as it is"),
        TriggerRule(
            "design",
            f"OLD.design_id IS NOT NULL AND ({changed_condition('design_id')})",
            "a survey gets its design once",
        ),
        TriggerRule(
            "opened",
            f"OLD.design_id IS NOT NULL AND ({changed_condition('draft', 'opens', 'invited', 'completion')})",
            "what an opened survey asks stays",
        ),
        TriggerRule(
            "retention",
            "OLD.design_id IS NOT NULL AND OLD.destroy_on IS NOT NULL"
            " AND (NEW.destroy_on IS NULL OR NEW.destroy_on > OLD.destroy_on)",
            "destruction can be brought forward, never put back",
        ),
    ]


def sqlite_trigger_statements() -> list[str]:
    def create_trigger_sql(name: str, event: str, when: str, reason: str) -> str:
        return (
            f"CREATE TRIGGER {SURVEY}_{name} BEFORE {event} ON {SURVEY} WHEN {when} "
            f"BEGIN SELECT RAISE(ABORT, '{reason}'); END"
        )

    # INSERT OR REPLACE removes the old row without firing its DELETE trigger.
    there = f"EXISTS (SELECT 1 FROM {SURVEY} WHERE id = NEW.id OR slug = NEW.slug)"  # noqa: S608
    return [
        *(
            create_trigger_sql(rule.name, "UPDATE", rule.broken, rule.reason)
            for rule in rules_of_update_trigger("sqlite")
        ),
        create_trigger_sql("no_delete", "DELETE", "OLD.design_id IS NOT NULL", ROW_STAYS),
        create_trigger_sql("no_replace", "INSERT", there, "this survey is there already"),
    ]


def postgresql_trigger_statements() -> list[str]:
    def create_trigger_sql(name: str, event: str, level: str, body: str) -> list[str]:
        function = f"{SURVEY}_{name}"
        return [
            f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$",
            f"CREATE TRIGGER {function} BEFORE {event} ON {SURVEY} FOR EACH {level} EXECUTE FUNCTION {function}()",
        ]

    def refusal_sql(broken: str, reason: str) -> str:
        error = f"RAISE EXCEPTION '{reason}' USING ERRCODE = 'integrity_constraint_violation'"
        return f"IF {broken} THEN {error}; END IF;"

    checks = " ".join(refusal_sql(rule.broken, rule.reason) for rule in rules_of_update_trigger("postgresql"))
    opened = f"EXISTS (SELECT 1 FROM {SURVEY} WHERE design_id IS NOT NULL)"  # noqa: S608
    return [
        *create_trigger_sql("frozen", "UPDATE", "ROW", f"{checks} RETURN NEW;"),
        *create_trigger_sql(
            "no_delete", "DELETE", "ROW", f"{refusal_sql('OLD.design_id IS NOT NULL', ROW_STAYS)} RETURN OLD;"
        ),
        *create_trigger_sql(
            "no_truncate", "TRUNCATE", "STATEMENT", f"{refusal_sql(opened, ROW_STAYS)} RETURN NULL;"
        ),
    ]


STATEMENTS = {"sqlite": sqlite_trigger_statements, "postgresql": postgresql_trigger_statements}
PRESENT = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger"
    " WHERE NOT tgisinternal AND tgenabled <> 'D' AND pg_table_is_visible(tgrelid)",
}


def trigger_names_in(statements: list[str]) -> list[str]:
    return [words[2] for words in map(str.split, statements) if words[:2] == ["CREATE", "TRIGGER"]]


def existing_triggers(connection: BaseDatabaseWrapper) -> set[str]:
    """Returns the names of the enabled triggers in the database."""
    with connection.cursor() as cursor:
        cursor.execute(PRESENT[connection.vendor])
        return {row[0] for row in cursor.fetchall()}


def missing_triggers(connection: BaseDatabaseWrapper) -> dict[str, list[str]]:
    """Returns the names of missing triggers, by table."""
    existing = existing_triggers(connection)
    needed = {SURVEY: STATEMENTS[connection.vendor]()}
    needed |= {model._meta.db_table: do for model, do, _undo in insert_only_models_with_sql(connection)}
    missing = {
        table: [name for name in trigger_names_in(do) if name not in existing] for table, do in needed.items()
    }
    return {table: triggers for table, triggers in missing.items() if triggers}


def restore_triggers() -> None:
    """Creates every trigger again, those of other apps included."""
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in restore_trigger_statements(connection):
            cursor.execute(statement)


def restore_trigger_statements(connection: BaseDatabaseWrapper) -> list[str]:
    """Returns the SQL that drops and creates every trigger."""
    others = [
        statement
        for _model, do, undo in insert_only_models_with_sql(connection)
        for statement in [*undo, *do]
    ]
    own = STATEMENTS[connection.vendor]()
    on = f" ON {SURVEY}" if connection.vendor == "postgresql" else ""
    return [*others, *(f"DROP TRIGGER IF EXISTS {name}{on}" for name in trigger_names_in(own)), *own]


def insert_only_models_with_sql(
    connection: BaseDatabaseWrapper,
) -> Iterator[tuple[type[InsertOnly], list[str], list[str]]]:
    """Yields each insert-only model whose table exists, with the SQL that creates its triggers and the SQL that drops
    them."""
    statements, tables = TRIGGERS[connection.vendor], connection.introspection.table_names()
    for model in apps.get_models():
        meta = model._meta
        if issubclass(model, InsertOnly) and meta.db_table in tables:
            yield model, *statements(meta.db_table, str(meta.pk.column), model.goes_with_others)


# --- the system check

HINT = (
    "Run `manage.py restore_triggers` now. Django rebuilds a table on SQLite without its triggers: end the "
    "migration that altered it with the SQL that `manage.py restore_triggers --print` writes."
)


def check_triggers_exist(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Checks (as a system check) that no trigger is missing; `manage.py check --database default` runs it."""
    messages: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        executor = MigrationExecutor(connection)
        # A migration that is still to run may create it, so this must not be an error before.
        waits = executor.migration_plan(executor.loader.graph.leaf_nodes())
        for table, names in () if waits else missing_triggers(connection).items():
            text = f"Without its triggers {', '.join(names)}, {table} can be changed."
            messages.append(Error(text, HINT, id="surveys.E001"))
    return messages
