"""Shared code of the apps' first migrations: creates tables in one step, and runs SQL without an operation of
Django."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import migrations
from django.db.migrations.state import ProjectState


class FirstMigration(migrations.Migration):
    """Migration that creates an app's tables in their final form, then runs the migration's code.

    Django by itself creates a table, renders all related models again, adds a constraint, and so on: for the
    tables of Candor, which all refer to surveys and accounts, that took five of six seconds.
    """

    initial = True

    def apply(
        self, project_state: ProjectState, schema_editor: Any, collect_sql: bool = False
    ) -> ProjectState:
        if collect_sql:
            return super().apply(project_state, schema_editor, collect_sql)
        project_state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(self.app_label, project_state)
        for operation in self.operations:
            if isinstance(operation, (migrations.CreateModel, migrations.RunPython)):
                operation.database_forwards(self.app_label, schema_editor, project_state, project_state)
        return project_state


class Statements(migrations.RunPython):
    """Migration operation that executes SQL statements, given by database vendor.

    It needs no models, which RunPython would render first.
    """

    def __init__(self, statements: Mapping[str, Sequence[str]]) -> None:
        super().__init__(migrations.RunPython.noop, migrations.RunPython.noop)
        self.statements = statements

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for statement in self.statements.get(schema_editor.connection.vendor, ()):
            schema_editor.execute(statement, None)


def exclude_from_statistics(columns: Mapping[str, Sequence[str]]) -> Statements:
    """Returns a migration operation that keeps PostgreSQL's ANALYZE from sampling these columns, given by table.

    A sample in pg_statistic would outlive the rows.
    """
    statements = [
        f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0"
        for table, names in columns.items()
        for column in names
    ]
    return Statements({"postgresql": statements})


def grant(apps: Any, role: str, app_label: str, model: str, *actions: str) -> None:
    """Gives a role permission for actions on a model in the administration; `actions`: view, add, change or delete."""
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label=app_label, model=model
    )
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=role)
    for action in actions:
        # Django makes permissions only after the last migration, by these very names.
        permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
            content_type=kind, codename=f"{action}_{model}", defaults={"name": f"Can {action} {model}"}
        )
        group.permissions.add(permission)
