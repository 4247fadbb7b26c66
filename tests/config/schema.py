"""The schema of a database as it says itself: tables, indexes, triggers, functions."""

import sqlite3
from contextlib import closing

import psycopg

SCHEMA = {
    "sqlite": "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY type, name",
    "postgresql": """
        SELECT 'column', table_name || '.' || column_name, data_type || is_nullable || coalesce(column_default, '')
        FROM information_schema.columns WHERE table_schema = current_schema()
        UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
        UNION ALL SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL SELECT 'function', proname, prosrc FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace
        UNION ALL SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = current_schema()::regnamespace
        UNION ALL SELECT 'statistics', attrelid::regclass || '.' || attname, attstattarget || ' ' || attstorage::text
        FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid IN
            (SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace)
        ORDER BY 1, 2, 3
    """,
}


def schema(url: str) -> list[list[str]]:
    """Of the database at this DATABASE_URL."""
    if url.startswith("sqlite://"):
        with closing(sqlite3.connect(url.removeprefix("sqlite://"))) as file:
            return texts(file.execute(SCHEMA["sqlite"]).fetchall())
    with psycopg.connect(url) as connection:
        return texts(connection.execute(SCHEMA["postgresql"].encode()).fetchall())


def texts(rows: list[tuple[object, ...]]) -> list[list[str]]:
    return [[str(value) for value in row] for row in rows]
