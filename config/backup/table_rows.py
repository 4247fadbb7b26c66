"""Reads and writes table rows as lines: JSON for SQLite, the text format of COPY for PostgreSQL, as pg_dump does."""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from django.db import connection, transaction

from config.backup.archive import BackupRefused
from config.backup.saved_tables import BackupTable
from config.start.start_preparation import MIGRATING

Reading = Callable[[], AbstractContextManager[None]]
"""Context manager factory: all reads inside the block see the same snapshot."""
LONGEST_WAIT = "10s"
"""Longest wait for locks held by programs outside the product, such as psql."""


def row_storage() -> "SQLite | PostgreSQL":
    """Returns the reader and writer of table rows for the database in use."""
    return PostgreSQL() if connection.vendor == "postgresql" else SQLite()


def quote_names(*names: str) -> str:
    """Returns these names quoted for SQL, separated by commas."""
    return ", ".join(map(connection.ops.quote_name, names))


class SQLite:
    """Reads and writes SQLite rows as JSON lists of the stored values; bytes are encoded as an object with
    base64 text."""

    @contextmanager
    def snapshot(self) -> Iterator[Reading]:
        """Context manager: all reads in the block see one snapshot of the database; writers do not wait."""
        with connection.cursor() as cursor:
            # Not `atomic`, which would lock the database for writing.
            cursor.execute("BEGIN DEFERRED")
            try:
                cursor.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
                yield nullcontext
            finally:
                cursor.execute("ROLLBACK")

    def rows(self, table: BackupTable) -> Iterator[bytes]:
        """Yields the rows of a table as lines, sorted by primary key."""

        def as_base64(value: object) -> dict[str, str]:
            if not isinstance(value, bytes):
                raise TypeError(type(value))
            return {"base64": b64encode(value).decode()}

        # A bare column would be converted by what its type is called; with a sign before it, which does nothing to
        # any value, it comes as it is.
        columns = ", ".join(
            table.replacement_expression(column) or f"+{quote_names(column)}" for column in table.columns
        )
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {columns} FROM {quote_names(table.name)} {table.where_clause} "  # noqa: S608
                f"ORDER BY {quote_names(*table.key)}"
            )
            for row in cursor:
                yield json.dumps(row, default=as_base64, ensure_ascii=False).encode() + b"\n"

    def load(self, table: BackupTable, parts: Iterator[bytes]) -> None:
        """Inserts rows into a table; `parts`: lines of whole rows."""
        marks = ", ".join(["%s"] * len(table.columns))
        insert = f"INSERT INTO {quote_names(table.name)} ({quote_names(*table.columns)}) VALUES ({marks})"  # noqa: S608
        with connection.cursor() as cursor:
            for part in parts:
                cursor.executemany(insert, [self.parse_row(line) for line in part.split(b"\n")[:-1]])

    def parse_row(self, line: bytes) -> list[Any]:
        """Returns the values of a row from its JSON line."""
        values: list[Any] = json.loads(line, object_hook=lambda value: b64decode(value["base64"]))
        return values

    def last_sequence_value(self, table: BackupTable) -> int:
        """Returns the current value of the table's id sequence, which is at least the id of every row,
        deleted ones included."""
        with connection.cursor() as cursor:
            row = cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table.name]).fetchone()
        return int(row[0]) if row else 0

    def set_sequence_value(self, table: BackupTable, number: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table.name])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table.name, number])

    def lock(self) -> None:
        """Does nothing, since on SQLite a writing transaction locks the file from its start."""

    def drop(self, names: list[str]) -> None:
        with connection.cursor() as cursor:
            for name in names:
                cursor.execute(f"DROP TABLE {quote_names(name)}")


class PostgreSQL:
    """Reads and writes PostgreSQL rows as lines in the text format of COPY."""

    @contextmanager
    def snapshot(self) -> Iterator[Reading]:
        """Context manager: all reads inside `with reading():` see one snapshot; writers do not wait.

        One connection exports the snapshot and locks nothing. Each reading is a transaction of its own with
        that snapshot: the sweep locks a table as a whole, and records would wait behind a sweep that waits
        for a long backup.
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
            def use_snapshot() -> Iterator[None]:
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    cursor.execute(f"SET TRANSACTION SNAPSHOT '{name}'")
                    yield

            yield use_snapshot
        finally:
            exporting.close()

    def rows(self, table: BackupTable) -> Iterator[bytes]:
        """Yields the rows of a table as lines, sorted by primary key."""
        columns = ", ".join(
            table.replacement_expression(column) or quote_names(column) for column in table.columns
        )
        name, key = quote_names(table.name), quote_names(*table.key)
        select = f"SELECT {columns} FROM {name} {table.where_clause} ORDER BY {key}"  # noqa: S608
        row = bytearray()
        copying = f"COPY ({select}) TO STDOUT"
        with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(copying) as copy:
            for data in copy:
                row += data
                # A line feed inside a value is written as \n.
                if row.endswith(b"\n"):
                    yield bytes(row)
                    row.clear()

    def load(self, table: BackupTable, parts: Iterator[bytes]) -> None:
        """Inserts rows into a table; `parts`: lines of whole rows."""
        into = f"COPY {quote_names(table.name)} ({quote_names(*table.columns)}) FROM STDIN"
        with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(into) as copy:
            for part in parts:
                copy.write(part)

    def parse_row(self, line: bytes) -> list[Any]:
        """Splits a line into the values of a row, as bytes; values with escapes come out wrong."""
        fields = line.decode().split("\t")
        return [bytes.fromhex(text[3:]) if text.startswith(r"\\x") else text for text in fields]

    def last_sequence_value(self, table: BackupTable) -> int:
        """Returns the current value of the table's id sequence, which is at least the id of every row,
        deleted ones included."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT last_value, is_called FROM {self._sequence_name(table)}")  # noqa: S608
            last, is_called = cursor.fetchone()
        return int(last) if is_called else int(last) - 1

    def set_sequence_value(self, table: BackupTable, number: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT setval(%s::regclass, %s, true)", [self._sequence_name(table), number])

    def _sequence_name(self, table: BackupTable) -> str:
        """Returns the name of the table's id sequence."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [quote_names(table.name), *table.key])
            return str(cursor.fetchone()[0])

    def lock(self) -> None:
        """Locks the database, so that machines that start now wait until it is restored.

        Raises `BackupRefused` if a starting Candor or another restore holds the lock.
        """
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{LONGEST_WAIT}'")
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [MIGRATING])
            if not cursor.fetchone()[0]:
                raise BackupRefused(
                    "a Candor that starts, or another restore, works on this database; wait for it"
                )

    def drop(self, names: list[str]) -> None:
        """Drops the tables with these names, without CASCADE: objects that others built on them are kept."""
        if names:
            with connection.cursor() as cursor:
                cursor.execute(f"DROP TABLE {quote_names(*names)}")
