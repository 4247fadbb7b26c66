"""The database's half of `AppendOnly`: what was decided and published is never rewritten.

Deleting is not refused, since destruction takes both away with their run. On SQLite a later migration that alters
either table rebuilds it without its triggers: repeat the operation after it.
"""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


def on_sqlite(table: str) -> tuple[list[str], list[str]]:
    def trigger(event: str, when: str) -> str:
        return (
            f"CREATE TRIGGER {table}_no_{event} BEFORE {event} ON {table} {when} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )

    # INSERT OR REPLACE removes the old row without firing a trigger.
    there = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)"  # noqa: S608
    do = [trigger("update", ""), trigger("insert", there)]
    return do, [f"DROP TRIGGER IF EXISTS {table}_no_{event}" for event in ("update", "insert")]


def on_postgresql(table: str) -> tuple[list[str], list[str]]:
    function = f"""
        CREATE OR REPLACE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '{table} is append-only' USING ERRCODE = 'integrity_constraint_violation';
        END $$"""
    trigger = (
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_append_only()"
    )
    undo = [
        f"DROP TRIGGER IF EXISTS {table}_no_update ON {table}",
        f"DROP FUNCTION IF EXISTS {table}_append_only()",
    ]
    return [function, trigger], undo


TRIGGERS = {"sqlite": on_sqlite, "postgresql": on_postgresql}


class ForbidUpdates(Operation):
    reversible = True
    reduces_to_sql = True

    def __init__(self, table: str) -> None:
        self.table = table

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        pass

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        do, undo = TRIGGERS[schema_editor.connection.vendor](self.table)
        for statement in [*undo, *do]:
            schema_editor.execute(statement, None)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for statement in TRIGGERS[schema_editor.connection.vendor](self.table)[1]:
            schema_editor.execute(statement, None)

    def describe(self) -> str:
        return f"Let the database refuse to rewrite {self.table}"
