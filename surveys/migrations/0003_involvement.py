from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# Whoever owns or works on a survey now. Who was removed earlier is known by name alone, in the history.
REMEMBER = """
    INSERT INTO surveys_involvement (survey_id, person_id)
    SELECT id, owner_id FROM surveys_survey UNION SELECT survey_id, person_id FROM surveys_collaborator
"""


# As it was at this migration: what the code says today may name columns that are not there yet. A restore that drops the
# tables leaves the functions, so they are replaced.
FORBID_INVOLVEMENTS = {
    "sqlite": [
        (
            "CREATE TRIGGER surveys_involvement_no_update BEFORE UPDATE ON surveys_involvement"
            " BEGIN SELECT RAISE(ABORT, 'surveys_involvement is insert-only'); END"
        ),
        (
            "CREATE TRIGGER surveys_involvement_no_delete BEFORE DELETE ON surveys_involvement"
            " BEGIN SELECT RAISE(ABORT, 'surveys_involvement is insert-only'); END"
        ),
        (
            "CREATE TRIGGER surveys_involvement_no_insert BEFORE INSERT ON surveys_involvement"
            " WHEN EXISTS (SELECT 1 FROM surveys_involvement WHERE id = NEW.id OR rowid = NEW.rowid)"
            " BEGIN SELECT RAISE(ABORT, 'surveys_involvement is insert-only'); END"
        ),
    ],
    "postgresql": [
        """
        CREATE OR REPLACE FUNCTION surveys_involvement_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                IF NOT EXISTS (SELECT 1 FROM surveys_involvement) THEN RETURN NULL; END IF;
            END IF;
            RAISE EXCEPTION 'surveys_involvement is insert-only' USING ERRCODE = 'integrity_constraint_violation';
        END $$
        """,
        (
            "CREATE TRIGGER surveys_involvement_no_change BEFORE UPDATE OR DELETE ON surveys_involvement"
            " FOR EACH ROW EXECUTE FUNCTION surveys_involvement_insert_only()"
        ),
        (
            "CREATE TRIGGER surveys_involvement_no_truncate BEFORE TRUNCATE ON surveys_involvement"
            " FOR EACH STATEMENT EXECUTE FUNCTION surveys_involvement_insert_only()"
        ),
    ],
}
ALLOW_INVOLVEMENTS = {
    "sqlite": [
        "DROP TRIGGER surveys_involvement_no_update",
        "DROP TRIGGER surveys_involvement_no_delete",
        "DROP TRIGGER surveys_involvement_no_insert",
    ],
    "postgresql": [
        "DROP TRIGGER surveys_involvement_no_change ON surveys_involvement",
        "DROP TRIGGER surveys_involvement_no_truncate ON surveys_involvement",
        "DROP FUNCTION surveys_involvement_insert_only()",
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
        ("surveys", "0002_reviewers_look"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Involvement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="involvements",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("survey", "person"), name="involved_once")],
            },
        ),
        migrations.RunSQL(REMEMBER, migrations.RunSQL.noop),
        _Statements(execute(FORBID_INVOLVEMENTS), execute(ALLOW_INVOLVEMENTS), elidable=False),
    ]
