"""The schema of a database as it says itself: tables, indexes, triggers, functions."""

import json

from tests import servers

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
SAY = f"""
import json
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute({SCHEMA!r}[connection.vendor])
    print(json.dumps([[str(value) for value in row] for row in cursor.fetchall()]))
"""


def schema(env: dict[str, str]) -> list[list[str]]:
    rows: list[list[str]] = json.loads(servers.manage(env, "shell", "-v", "0", "-c", SAY))
    return rows
