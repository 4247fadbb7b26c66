"""Overwrites the bytes of deleted rows, which stay in dead rows on PostgreSQL, in the write-ahead file on SQLite.

The transaction that deletes them writes a `Sweep` row; the next sweep overwrites the bytes and removes it. It
may take several tries: a transaction that began before the deletion still needs the old rows.
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
"""Seconds that a sweep waits for others, during which new records wait for it."""

DEAD = re.compile(r"\d+")


def schedule(*tables: type[Model]) -> None:
    """Schedule a sweep of these tables, in the transaction that deletes rows of them."""
    Sweep.objects.bulk_create([Sweep(table=table._meta.db_table) for table in tables])


def sweep(patience: float = PATIENCE) -> bool:
    """Overwrite what is scheduled; False where something is left, so that it must be tried again."""
    scheduled = list(Sweep.objects.values_list("pk", "table"))
    if not scheduled:
        return True
    if connection.in_atomic_block:
        return False
    tables = {table for _pk, table in scheduled}
    if connection.vendor == "sqlite":
        # Deleted rows were overwritten where they stood (`secure_delete`); old pages are left in the -wal file.
        swept = tables if checkpoint(patience) else set()
    else:
        swept = {table for table in tables if rewrite(table, patience)}
    # By number, not up to one: a sealing that is under way has taken its number already.
    done = [pk for pk, table in scheduled if table in swept]
    for start in range(0, len(done), 500):
        Sweep.objects.filter(pk__in=done[start : start + 500]).delete()
    return swept == tables


def checkpoint(patience: float) -> bool:
    """SQLite: whether all of the write-ahead file could be emptied."""
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


def rewrite(table: str, patience: float) -> bool:
    """PostgreSQL: whether the table was written anew without a dead row in it."""
    with connection.cursor() as cursor, server_details() as details:
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
def server_details() -> Iterator[list[str | None]]:
    """The details of what the server says meanwhile."""
    details: list[str | None] = []

    def hear(diagnostic: Any) -> None:
        details.append(diagnostic.message_detail)

    connection.ensure_connection()
    server = connection.connection
    server.add_notice_handler(hear)
    try:
        yield details
    finally:
        server.remove_notice_handler(hear)
