from typing import Any

from django.db import migrations, models

# As it was at this migration: what the code says today may name columns that are not there yet. SQLite adds a column
# that may be null without rebuilding the table, so its other triggers stay.
FROZEN = ("draft", "opens", "invited")
SQLITE = """CREATE TRIGGER surveys_survey_opened BEFORE UPDATE ON surveys_survey\
 WHEN OLD.design_id IS NOT NULL AND ({changed})\
 BEGIN SELECT RAISE(ABORT, 'what an opened survey asks stays'); END"""
POSTGRESQL = """
        CREATE OR REPLACE FUNCTION surveys_survey_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.id IS DISTINCT FROM OLD.id OR NEW.slug IS DISTINCT FROM OLD.slug
                OR NEW.owner_id IS DISTINCT FROM OLD.owner_id THEN
                RAISE EXCEPTION 'whose a survey is and its address stay'
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            IF OLD.state = 'destroyed' THEN
                RAISE EXCEPTION 'a destroyed survey stays as it is' USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            IF OLD.design_id IS NOT NULL AND NEW.design_id IS DISTINCT FROM OLD.design_id THEN
                RAISE EXCEPTION 'a survey gets its design once' USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            IF OLD.design_id IS NOT NULL AND ({changed}) THEN
                RAISE EXCEPTION 'what an opened survey asks stays' USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            IF OLD.design_id IS NOT NULL AND OLD.destroy_on IS NOT NULL
                AND (NEW.destroy_on IS NULL OR NEW.destroy_on > OLD.destroy_on) THEN
                RAISE EXCEPTION 'destruction can be brought forward, never put back'
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NEW;
        END $$
        """


def freezing(*columns: str) -> dict[str, list[str]]:
    """By database what keeps these columns of an opened survey as they are."""

    def changed(differs: str) -> str:
        return " OR ".join(f"NEW.{column} {differs} OLD.{column}" for column in columns)

    return {
        "sqlite": [
            "DROP TRIGGER IF EXISTS surveys_survey_opened",
            SQLITE.format(changed=changed("IS NOT")),
        ],
        "postgresql": [POSTGRESQL.format(changed=changed("IS DISTINCT FROM"))],
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
    dependencies = [("surveys", "0006_invitations_counted")]

    operations = [
        migrations.AddField(
            model_name="survey",
            name="completion",
            field=models.CharField(
                blank=True, max_length=160, null=True, verbose_name="completion code or address"
            ),
        ),
        _Statements(execute(freezing(*FROZEN, "completion")), execute(freezing(*FROZEN)), elidable=False),
    ]
