from typing import Any

from django.db import migrations


def grant(apps: Any, role: str, app_label: str, model: str, *actions: str) -> None:
    """Let a role view (add, change, delete) a model in the administration."""
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


def make_roles(apps: Any, schema_editor: Any) -> None:
    grant(apps, "Researchers", "people", "person")
    grant(apps, "Reviewers", "people", "person", "view")


# As it was at this migration: what the code says today may name columns that are not there yet. A restore that drops the
# tables leaves the functions, so they are replaced.
FORBID_HISTORY = {
    "sqlite": [
        (
            "CREATE TRIGGER people_history_no_update BEFORE UPDATE ON people_history"
            " BEGIN SELECT RAISE(ABORT, 'people_history is insert-only'); END"
        ),
        (
            "CREATE TRIGGER people_history_no_delete BEFORE DELETE ON people_history"
            " BEGIN SELECT RAISE(ABORT, 'people_history is insert-only'); END"
        ),
        (
            "CREATE TRIGGER people_history_no_insert BEFORE INSERT ON people_history"
            " WHEN EXISTS (SELECT 1 FROM people_history WHERE id = NEW.id OR rowid = NEW.rowid)"
            " BEGIN SELECT RAISE(ABORT, 'people_history is insert-only'); END"
        ),
    ],
    "postgresql": [
        """
        CREATE OR REPLACE FUNCTION people_history_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                IF NOT EXISTS (SELECT 1 FROM people_history) THEN RETURN NULL; END IF;
            END IF;
            RAISE EXCEPTION 'people_history is insert-only' USING ERRCODE = 'integrity_constraint_violation';
        END $$
        """,
        (
            "CREATE TRIGGER people_history_no_change BEFORE UPDATE OR DELETE ON people_history"
            " FOR EACH ROW EXECUTE FUNCTION people_history_insert_only()"
        ),
        (
            "CREATE TRIGGER people_history_no_truncate BEFORE TRUNCATE ON people_history"
            " FOR EACH STATEMENT EXECUTE FUNCTION people_history_insert_only()"
        ),
    ],
}
ALLOW_HISTORY = {
    "sqlite": [
        "DROP TRIGGER people_history_no_update",
        "DROP TRIGGER people_history_no_delete",
        "DROP TRIGGER people_history_no_insert",
    ],
    "postgresql": [
        "DROP TRIGGER people_history_no_change ON people_history",
        "DROP TRIGGER people_history_no_truncate ON people_history",
        "DROP FUNCTION people_history_insert_only()",
    ],
}


def execute(statements: dict[str, list[str]]) -> Any:
    def run(apps: Any, schema_editor: Any) -> None:
        for statement in statements[schema_editor.connection.vendor]:
            schema_editor.execute(statement, None)

    return run


class _Statements(migrations.RunPython):
    """They need no models; RunPython renders all of them first, which takes longer than most statements."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        no_apps: Any = None
        self.code(no_apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0001_people"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        _Statements(execute(FORBID_HISTORY), execute(ALLOW_HISTORY), elidable=False),
        migrations.RunPython(make_roles, migrations.RunPython.noop, elidable=False),
    ]
