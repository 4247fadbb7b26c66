"""The folder that the processes of a run share: what takes seconds to make is made by the first that needs it."""

import atexit
import fcntl
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.backends.signals import connection_created

FOLDER = "CANDOR_TEST_RUN"
"""The environment variable that tells the processes of a run their common folder."""


def begin_run() -> Path:
    """The common folder; a process that another one of this run has started finds it made."""
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="candor-")
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)
    return Path(os.environ[FOLDER])


def is_first(name: str) -> bool:
    """Whether no process of this run has asked for this name before."""
    try:
        (begin_run() / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def make_once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name with what `make` puts into it. It is to be read and copied, never changed."""
    run = begin_run()
    made, part = run / name, run / f"{name}.part"
    with (run / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            make(part)
            part.rename(made)
    return made


@contextmanager
def migrate_once() -> Iterator[Callable[[], None]]:
    """The tables of tests that need no server: the first process migrates and calls what it is given; others begin with
    the tables that it made."""
    made = begin_run() / "migrated.sqlite3"
    with made.with_suffix(".lock").open("w") as lock:
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
