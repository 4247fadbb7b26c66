"""What PostgreSQL would otherwise keep of what passes through these tables, or do to it for nothing."""

from typing import Any

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


def prepare(apps: Any, schema_editor: Any) -> None:
    """For a migration: nothing to do on SQLite, which samples no values."""
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
