"""The tables that tests in one process use: migrated once for all processes of a run, which takes seconds each."""

import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.backends.signals import connection_created


@contextmanager
def migrated_by_one(folder: Path) -> Iterator[Callable[[], None]]:
    """The first process that comes here migrates and calls what it is given; others begin with the tables it made."""
    made = folder / "migrated.sqlite3"
    with (folder / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():
            fcntl.flock(lock, fcntl.LOCK_UN)
            connection_created.connect(_Fill(made), weak=False, dispatch_uid="migrated")
            yield lambda: None
            return

        def keep() -> None:
            if _is_in_memory(connection):
                _copy(made)
            fcntl.flock(lock, fcntl.LOCK_UN)

        yield keep


def _is_in_memory(of: Any) -> bool:
    """No file and no server, which would not be the tests' alone."""
    return bool(of.vendor == "sqlite" and of.is_in_memory_db())


def _copy(made: Path) -> None:
    part = made.with_suffix(".part")
    with closing(sqlite3.connect(part)) as copy:
        connection.connection.backup(copy)
    part.rename(made)


class _Fill:
    """Puts the tables into the database when it is first opened: then nothing is left to migrate."""

    def __init__(self, made: Path) -> None:
        self.made = made

    def __call__(self, connection: Any, **more: Any) -> None:
        connection_created.disconnect(dispatch_uid="migrated")
        if _is_in_memory(connection):
            with closing(sqlite3.connect(self.made)) as copy:
                copy.backup(connection.connection)
