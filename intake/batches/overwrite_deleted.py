"""Overwrites the bytes of deleted rows, which otherwise stay in dead rows (PostgreSQL) or the write-ahead
file (SQLite).

The transaction that deletes rows also writes a `Sweep` row; the next sweep overwrites their bytes and removes
it. That may take several tries, since a transaction that began before the deletion still needs the old rows.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection
from django.db.models import Model

from intake.models import Sweep
from jobs import database as waits

PATIENCE = 2
"""Seconds that a sweep waits for other transactions; new records wait during that time."""

LARGEST_REWRITTEN_FILE = 256 << 20
"""Largest size in bytes of a SQLite database that is rewritten, which keeps others from writing for a second."""

MOST_COMPACTED = 32 << 20
"""Largest size in bytes of a table that is rewritten after changes."""

DEAD = re.compile(r"\d+")


def schedule_overwriting(*tables: type[Model]) -> None:
    """Marks these tables for overwriting; called in the transaction that deletes rows from them."""
    Sweep.objects.bulk_create([Sweep(table=table._meta.db_table) for table in tables])


def schedule_postgresql_table_rewrite(table: type[Model]) -> None:
    """Marks a PostgreSQL table to be rewritten, because an UPDATE leaves the old rows in its file.

    A large table is left to PostgreSQL, which reuses the space: rewriting would lock it for too long.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_total_relation_size(%s::regclass)", [table._meta.db_table])
            if cursor.fetchone()[0] <= MOST_COMPACTED:
                schedule_overwriting(table)


def overwrite_deleted_rows(patience: float = PATIENCE, *, rewrites_sqlite: bool = True) -> bool:
    """Overwrites the deleted rows of all marked tables; returns False if another try is needed.

    `rewrites_sqlite=False`: only empties SQLite's write-ahead file; the tables stay marked for the next tick.
    """
    scheduled = list(Sweep.objects.values_list("pk", "table"))
    if not scheduled:
        return True
    if connection.in_atomic_block:
        return False
    tables = {table for _pk, table in scheduled}
    if connection.vendor == "sqlite":
        # Deleted rows were overwritten where they stood (`secure_delete`). What is left are old pages in the -wal file,
        # and copies of rows that SQLite had moved to another page when it balanced a table or an index.
        if not rewrites_sqlite:
            return empty_write_ahead_file(patience)
        swept = tables if rewrite_sqlite_file() and empty_write_ahead_file(patience) else set()
    else:
        swept = {table for table in tables if rewrite_table_without_dead_rows(table, patience)}
    # By number, not up to one: a sealing that is under way has taken its number already.
    done = [pk for pk, table in scheduled if table in swept]
    for start in range(0, len(done), 500):
        Sweep.objects.filter(pk__in=done[start : start + 500]).delete()
    return swept == tables


def rewrite_sqlite_file() -> bool:
    """Writes all pages of SQLite's file anew, unless it is large; returns False if somebody else is writing."""
    with connection.cursor() as cursor:
        pages, page = (cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        if pages * page <= LARGEST_REWRITTEN_FILE:
            try:
                cursor.execute("VACUUM")
            except OperationalError:
                return False
    return True


def empty_write_ahead_file(patience: float) -> bool:
    """Empties SQLite's write-ahead file; returns False if a reader still needs part of it."""
    with connection.cursor() as cursor:
        usual = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {round(1000 * patience)}")
        try:
            blocked: int = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except OperationalError:
            return False
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")
    return not blocked


def rewrite_table_without_dead_rows(table: str, patience: float) -> bool:
    """Rewrites a PostgreSQL table; returns True if the new table has no dead rows."""
    with connection.cursor() as cursor, capture_server_details() as details:
        waits.set_timeouts(waits.LONG, lock=patience)
        try:
            cursor.execute(f"VACUUM (FULL, VERBOSE) {connection.ops.quote_name(table)}")
        except OperationalError:
            return False
        finally:
            waits.reset_timeouts()
    # "0 dead row versions cannot be removed yet", in whatever language the server speaks.
    matches = [DEAD.match(detail) for detail in details if detail]
    return [match[0] for match in matches if match] == ["0"]


@contextmanager
def capture_server_details() -> Iterator[list[str | None]]:
    """Collects the detail lines of PostgreSQL's messages while the block runs."""
    details: list[str | None] = []

    def collect_detail(diagnostic: Any) -> None:
        details.append(diagnostic.message_detail)

    connection.ensure_connection()
    server = connection.connection
    server.add_notice_handler(collect_detail)
    try:
        yield details
    finally:
        server.remove_notice_handler(collect_detail)
