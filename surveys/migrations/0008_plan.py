from typing import Any

import django.db.models.deletion
from django.db import migrations, models

# As it was at this migration: what the code says today may name columns that are not there yet. A restore that drops the
# tables leaves the functions, so they are replaced.
FORBID_PLANS = {
    "sqlite": [
        (
            "CREATE TRIGGER surveys_plan_no_update BEFORE UPDATE ON surveys_plan"
            " BEGIN SELECT RAISE(ABORT, 'surveys_plan is insert-only'); END"
        ),
        (
            "CREATE TRIGGER surveys_plan_no_delete BEFORE DELETE ON surveys_plan"
            " BEGIN SELECT RAISE(ABORT, 'surveys_plan is insert-only'); END"
        ),
        (
            "CREATE TRIGGER surveys_plan_no_insert BEFORE INSERT ON surveys_plan"
            " WHEN EXISTS (SELECT 1 FROM surveys_plan WHERE survey_id = NEW.survey_id OR rowid = NEW.rowid)"
            " BEGIN SELECT RAISE(ABORT, 'surveys_plan is insert-only'); END"
        ),
    ],
    "postgresql": [
        """
        CREATE OR REPLACE FUNCTION surveys_plan_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                IF NOT EXISTS (SELECT 1 FROM surveys_plan) THEN RETURN NULL; END IF;
            END IF;
            RAISE EXCEPTION 'surveys_plan is insert-only' USING ERRCODE = 'integrity_constraint_violation';
        END $$
        """,
        (
            "CREATE TRIGGER surveys_plan_no_change BEFORE UPDATE OR DELETE ON surveys_plan"
            " FOR EACH ROW EXECUTE FUNCTION surveys_plan_insert_only()"
        ),
        (
            "CREATE TRIGGER surveys_plan_no_truncate BEFORE TRUNCATE ON surveys_plan"
            " FOR EACH STATEMENT EXECUTE FUNCTION surveys_plan_insert_only()"
        ),
    ],
}
ALLOW_PLANS = {
    "sqlite": [
        "DROP TRIGGER surveys_plan_no_update",
        "DROP TRIGGER surveys_plan_no_delete",
        "DROP TRIGGER surveys_plan_no_insert",
    ],
    "postgresql": [
        "DROP TRIGGER surveys_plan_no_change ON surveys_plan",
        "DROP TRIGGER surveys_plan_no_truncate ON surveys_plan",
        "DROP FUNCTION surveys_plan_insert_only()",
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
    dependencies = [("surveys", "0007_completion")]

    operations = [
        migrations.CreateModel(
            name="Plan",
            fields=[
                (
                    "survey",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="plan",
                        serialize=False,
                        to="surveys.survey",
                        verbose_name="survey",
                    ),
                ),
                ("json", models.TextField()),
            ],
            options={
                "verbose_name": "plan of hypotheses",
                "verbose_name_plural": "plans of hypotheses",
            },
        ),
        _Statements(execute(FORBID_PLANS), execute(ALLOW_PLANS), elidable=False),
    ]
