from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# Until now the history was asked: the note of an entry begins with the 64 digits of the fingerprint.
CARRY_OVER = """
    INSERT INTO surveys_approval (survey_id, what, fingerprint, by_id, verdict, note, "when")
    SELECT surveys_survey.id,
        CASE WHEN people_history.what LIKE 'surveys.weak-%' THEN 'weak' ELSE 'records' END,
        substr(people_history.note, 1, 64),
        people_history.who_id,
        CASE WHEN people_history.what LIKE '%-asked' THEN 'asked'
            WHEN people_history.what LIKE '%-allowed' THEN 'allowed' ELSE 'refused' END,
        trim(substr(people_history.note, 65)),
        people_history."when"
    FROM people_history JOIN surveys_survey ON CAST(surveys_survey.id AS varchar(64)) = people_history.thing_id
    WHERE people_history.thing_app = 'surveys' AND people_history.thing_model = 'survey'
        AND people_history.who_id IS NOT NULL AND people_history.what IN (
            'surveys.weak-asked', 'surveys.weak-allowed', 'surveys.weak-refused',
            'surveys.records-asked', 'surveys.records-allowed', 'surveys.records-refused')
    ORDER BY people_history.id
"""
# As it was at this migration: what the code says today may name columns that are not there yet. A restore that drops the
# tables leaves the functions, so they are replaced.
FORBID_APPROVALS = {
    "sqlite": [
        (
            "CREATE TRIGGER surveys_approval_no_update BEFORE UPDATE ON surveys_approval"
            " BEGIN SELECT RAISE(ABORT, 'surveys_approval is insert-only'); END"
        ),
        (
            "CREATE TRIGGER surveys_approval_no_delete BEFORE DELETE ON surveys_approval"
            " BEGIN SELECT RAISE(ABORT, 'surveys_approval is insert-only'); END"
        ),
        (
            "CREATE TRIGGER surveys_approval_no_insert BEFORE INSERT ON surveys_approval"
            " WHEN EXISTS (SELECT 1 FROM surveys_approval WHERE id = NEW.id OR rowid = NEW.rowid)"
            " BEGIN SELECT RAISE(ABORT, 'surveys_approval is insert-only'); END"
        ),
    ],
    "postgresql": [
        """
        CREATE OR REPLACE FUNCTION surveys_approval_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                IF NOT EXISTS (SELECT 1 FROM surveys_approval) THEN RETURN NULL; END IF;
            END IF;
            RAISE EXCEPTION 'surveys_approval is insert-only' USING ERRCODE = 'integrity_constraint_violation';
        END $$
        """,
        (
            "CREATE TRIGGER surveys_approval_no_change BEFORE UPDATE OR DELETE ON surveys_approval"
            " FOR EACH ROW EXECUTE FUNCTION surveys_approval_insert_only()"
        ),
        (
            "CREATE TRIGGER surveys_approval_no_truncate BEFORE TRUNCATE ON surveys_approval"
            " FOR EACH STATEMENT EXECUTE FUNCTION surveys_approval_insert_only()"
        ),
    ],
}
ALLOW_APPROVALS = {
    "sqlite": [
        "DROP TRIGGER surveys_approval_no_update",
        "DROP TRIGGER surveys_approval_no_delete",
        "DROP TRIGGER surveys_approval_no_insert",
    ],
    "postgresql": [
        "DROP TRIGGER surveys_approval_no_change ON surveys_approval",
        "DROP TRIGGER surveys_approval_no_truncate ON surveys_approval",
        "DROP FUNCTION surveys_approval_insert_only()",
    ],
}


def execute(statements: dict[str, list[str]]) -> Any:
    def run(apps: Any, schema_editor: Any) -> None:
        for statement in statements[schema_editor.connection.vendor]:
            schema_editor.execute(statement, None)

    return run


def carry_over(apps: Any, schema_editor: Any) -> None:
    schema_editor.execute(CARRY_OVER, None)


class _Statements(migrations.RunPython):
    """They need no models; RunPython renders all of them first, which takes longer than most statements."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        no_apps: Any = None
        self.code(no_apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0004_pause"),
        ("people", "0002_roles_and_triggers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Approval",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "what",
                    models.CharField(
                        choices=[("weak", "weak settings"), ("records", "record files")],
                        max_length=10,
                        verbose_name="what",
                    ),
                ),
                ("fingerprint", models.CharField(max_length=64, verbose_name="fingerprint")),
                (
                    "verdict",
                    models.CharField(
                        choices=[("asked", "asked"), ("allowed", "allowed"), ("refused", "refused")],
                        max_length=10,
                        verbose_name="verdict",
                    ),
                ),
                ("note", models.TextField(blank=True, verbose_name="note")),
                ("when", models.DateTimeField(verbose_name="when")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="approvals",
                        to="surveys.survey",
                        verbose_name="survey",
                    ),
                ),
            ],
            options={
                "verbose_name": "approval",
                "verbose_name_plural": "approvals",
            },
        ),
        _Statements(carry_over, migrations.RunPython.noop, elidable=False),
        _Statements(execute(FORBID_APPROVALS), execute(ALLOW_APPROVALS), elidable=False),
    ]
