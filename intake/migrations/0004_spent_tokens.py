from typing import Any

import django.db.models.deletion
from django.db import migrations, models

# As intake.endpoint.store_record calls it from here on. Each statement of such a function sees what was committed before it
# began. So the seen keys are asked after the key was taken: while that waited, a sealing may have moved the key to them.
FUNCTION = """
    CREATE OR REPLACE FUNCTION intake_take(
        a_survey bigint, a_key varchar, a_token varchar, a_id uuid, a_record bytea
    ) RETURNS varchar LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
        INSERT INTO intake_freshkey (hash, survey_id) VALUES (a_key, a_survey) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RETURN 'known';
        END IF;
        IF EXISTS (SELECT 1 FROM intake_seenkey WHERE hash = a_key) THEN
            DELETE FROM intake_freshkey WHERE hash = a_key;
            RETURN 'known';
        END IF;
        IF a_token <> '' THEN
            DELETE FROM intake_token WHERE hash = a_token AND survey_id = a_survey;
            IF NOT FOUND THEN
                DELETE FROM intake_freshkey WHERE hash = a_key;
                RETURN 'uninvited';
            END IF;
            INSERT INTO intake_spenttoken (hash, survey_id) VALUES (a_token, a_survey) ON CONFLICT DO NOTHING;
        END IF;
        INSERT INTO intake_inbox (id, survey_id, record) VALUES (a_id, a_survey, a_record);
        RETURN 'stored';
    END $$
"""
PATTERNS = (
    "SELECT indexname FROM pg_indexes WHERE tablename = 'intake_spenttoken' AND schemaname = current_schema()"
    " AND indexdef LIKE '%pattern_ops%'"
)


def prepare(apps: Any, schema_editor: Any) -> None:
    """The function, no sample of the hashes in the statistics, and no index for LIKE: only on PostgreSQL."""
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute(FUNCTION, None)
    schema_editor.execute("ALTER TABLE intake_spenttoken ALTER COLUMN hash SET STATISTICS 0", None)
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(PATTERNS)
        for (index,) in cursor.fetchall():
            cursor.execute(f"DROP INDEX {index}")


class _Statements(migrations.RunPython):
    """They need no models; RunPython renders all of them first, which takes longer than most statements."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        no_apps: Any = None
        self.code(no_apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [
        ("intake", "0003_simulation"),
    ]

    operations = [
        migrations.CreateModel(
            name="SpentToken",
            fields=[
                ("hash", models.CharField(max_length=64, primary_key=True, serialize=False)),
                (
                    "survey",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="surveys.survey",
                    ),
                ),
            ],
        ),
        _Statements(prepare, migrations.RunPython.noop, elidable=False),
    ]
