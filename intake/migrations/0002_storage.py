from typing import Any

from django.db import migrations

# The key, the token and the record of one request: all three or none.
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
        END IF;
        INSERT INTO intake_inbox (id, survey_id, record) VALUES (a_id, a_survey, a_record);
        RETURN 'stored';
    END $$
"""

# ANALYZE copies a sample of every column into pg_statistic, where it outlives the rows.
UNSAMPLED = {
    "intake_inbox": ["id", "record"],
    "intake_token": ["hash"],
    "intake_freshkey": ["hash"],
    "intake_seenkey": ["hash"],
    "intake_batch": ["columns"],
}
# Django adds an index for LIKE to every text key; nobody looks for the beginning of a hash.
PATTERNS = (
    "SELECT indexname FROM pg_indexes WHERE tablename = %s AND schemaname = current_schema()"
    " AND indexdef LIKE '%%pattern_ops%%'"
)


def install(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION, None)


def prepare(apps: Any, schema_editor: Any) -> None:
    """What PostgreSQL would otherwise keep of what passes through these tables, or do to it for nothing."""
    if schema_editor.connection.vendor != "postgresql":
        return
    for table, columns in UNSAMPLED.items():
        for column in columns:
            schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(PATTERNS, [table])
            for (index,) in cursor.fetchall():
                cursor.execute(f"DROP INDEX {index}")
    # Shuffled bits do not compress; trying costs more than writing them.
    schema_editor.execute("ALTER TABLE intake_batch ALTER COLUMN columns SET STORAGE EXTERNAL")


class _Statements(migrations.RunPython):
    """They need no models; RunPython renders all of them first, which takes longer than most statements."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        no_apps: Any = None
        self.code(no_apps, schema_editor)


class Migration(migrations.Migration):
    # Apart from 0001, at whose very end Django makes the indexes that this removes.
    dependencies = [
        ("intake", "0001_intake"),
    ]

    operations = [
        _Statements(install, migrations.RunPython.noop, elidable=False),
        _Statements(prepare, migrations.RunPython.noop, elidable=False),
    ]
