"""Reads and writes rows of SQLite: each is a line of JSON with its values as SQLite stores them, bytes in base64."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from django.db import connection

from config.backup.tables import BackupTable

Reading = Callable[[], AbstractContextManager[None]]


@contextmanager
def snapshot() -> Iterator[Reading]:
    """All reads inside see one snapshot; writers do not wait."""
    with connection.cursor() as cursor:
        # Not `atomic`, which would lock the database for writing.
        cursor.execute("BEGIN DEFERRED")
        try:
            cursor.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            yield nullcontext
        finally:
            cursor.execute("ROLLBACK")


def rows(table: BackupTable) -> Iterator[bytes]:
    # A bare column would be converted by what its type is called; with a sign before it, which does nothing to any
    # value, it comes as it is.
    columns = ", ".join(f"+{_quoted(column)}" for column in table.columns)
    with connection.cursor() as cursor:
        name, key = _quoted(table.name), _quoted(table.key)
        cursor.execute(f"SELECT {columns} FROM {name} {table.where} ORDER BY {key}")  # noqa: S608
        for row in cursor:
            yield json.dumps(row, default=_as_text, ensure_ascii=False).encode() + b"\n"


def load(table: BackupTable, parts: Iterator[bytes]) -> None:
    columns = ", ".join(map(_quoted, table.columns))
    places = ", ".join(["%s"] * len(table.columns))
    insert = f"INSERT INTO {_quoted(table.name)} ({columns}) VALUES ({places})"  # noqa: S608
    with connection.cursor() as cursor:
        for part in parts:
            cursor.executemany(insert, [json.loads(line, object_hook=_as_bytes) for line in _lines(part)])


def values(line: bytes) -> list[Any]:
    values: list[Any] = json.loads(line, object_hook=_as_bytes)
    return values


def _lines(part: bytes) -> list[bytes]:
    return part.split(b"\n")[:-1]


def _as_text(value: object) -> dict[str, str]:
    if not isinstance(value, bytes):
        raise TypeError(type(value))
    return {"base64": b64encode(value).decode()}


def _as_bytes(value: dict[str, str]) -> bytes:
    return b64decode(value["base64"])


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


# --- numbers that were given -------------------------------------------------------------------------------


def counter(table: BackupTable) -> int:
    """The highest number that a row of this table has had, also one that is gone."""
    with connection.cursor() as cursor:
        row = cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table.name]).fetchone()
    return int(row[0]) if row else 0


def set_counter(table: BackupTable, number: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table.name])
        cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table.name, number])


# --- a restore --------------------------------------------------------------------------------------------


def prepare() -> None:
    """Before the transaction: inside it, nobody can turn the checks off, and tables are dropped one by one."""
    connection.disable_constraint_checking()


def begin() -> None:
    pass


def drop(names: list[str]) -> None:
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP TABLE {_quoted(name)}")


def check() -> None:
    """Every reference leads to a row."""
    connection.check_constraints()


def others() -> str:
    """Always empty: SQLite serves one machine, where the lock excludes others."""
    return ""
