"""Reads and writes rows of PostgreSQL in the text format of COPY, as pg_dump does, so that every digit survives."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import connection, transaction

from config.backup.archive import BackupRefused
from config.backup.tables import BackupTable
from config.environment import APPLICATION
from config.start.preparing import MIGRATING

Reading = Callable[[], AbstractContextManager[None]]
LONGEST_WAIT = "10s"
"""The longest wait for locks of programs outside the product, such as psql."""


@contextmanager
def snapshot() -> Iterator[Reading]:
    """All reads inside `with reading():` see one snapshot; writers do not wait.

    One connection exports the snapshot and locks nothing. Each reading is a transaction of its own with that snapshot:
    the sweep locks a table as a whole, and records would wait behind a sweep that waits for a long backup.
    """
    exporting = connection.copy()
    try:
        with exporting.cursor() as cursor:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            (name,) = cursor.fetchone()
        if not re.fullmatch(r"[0-9A-F-]+", name):
            raise ValueError(name)

        @contextmanager
        def reading() -> Iterator[None]:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute(f"SET TRANSACTION SNAPSHOT '{name}'")
                yield

        yield reading
    finally:
        exporting.close()


def rows(table: BackupTable) -> Iterator[bytes]:
    name, key = _quoted(table.name), _quoted(table.key)
    select = f"SELECT {_list(table)} FROM {name} {table.where} ORDER BY {key}"  # noqa: S608
    row = bytearray()
    with connection.cursor() as cursor, cursor.copy(f"COPY ({select}) TO STDOUT") as copy:
        for data in copy:
            row += data
            # A line feed inside a value is written as \n.
            if row.endswith(b"\n"):
                yield bytes(row)
                row.clear()


def load(table: BackupTable, parts: Iterator[bytes]) -> None:
    into = f"COPY {_quoted(table.name)} ({_list(table)}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(into) as copy:
        for part in parts:
            copy.write(part)


def values(line: bytes) -> list[str]:
    """The values of a row, where none needs an escape, such as hashes and numbers."""
    return line.decode().split("\t")


def _list(table: BackupTable) -> str:
    return ", ".join(map(_quoted, table.columns))


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


# --- numbers that were given -------------------------------------------------------------------------------


def counter(table: BackupTable) -> int:
    """The highest number that a row of this table has had, also one that is gone."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT last_value, is_called FROM {_sequence(table)}")  # noqa: S608
        last, is_called = cursor.fetchone()
    return int(last) if is_called else int(last) - 1


def set_counter(table: BackupTable, number: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval(%s::regclass, %s, true)", [_sequence(table), number])


def _sequence(table: BackupTable) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [_quoted(table.name), table.key])
        return str(cursor.fetchone()[0])


# --- a restore --------------------------------------------------------------------------------------------


def prepare() -> None:
    pass


def begin() -> None:
    """Machines that start now wait until the database is whole."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{LONGEST_WAIT}'")
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [MIGRATING])
        if not cursor.fetchone()[0]:
            raise BackupRefused(
                "a Candor that starts, or another restore, works on this database; wait for it"
            )


def drop(names: list[str]) -> None:
    """Without CASCADE: what somebody else has built on these tables is not ours to remove."""
    if names:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {', '.join(map(_quoted, names))}")


def check() -> None:
    """Every reference leads to a row."""
    connection.check_constraints()


def others() -> str:
    """The machines from which other processes of the product use the database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT coalesce(host(client_addr), 'this machine') FROM pg_stat_activity WHERE datname ="
            " current_database() AND application_name = %s AND pid <> pg_backend_pid() ORDER BY 1",
            [APPLICATION],
        )
        return ", ".join(client for (client,) in cursor.fetchall())
