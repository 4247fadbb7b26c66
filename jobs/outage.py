"""Database outages: told apart from refused statements, and retried."""

import errno
import logging
import sqlite3
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)
T = TypeVar("T")
FAILURES = (OperationalError, InterfaceError)
# For so long a statement is retried that the database answers but refuses.
REFUSED_SECONDS = 60
SHORTEST, LONGEST = 0.25, 5.0
# The file is locked by others, or the disk that holds it does not work just now.
AWAY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
DISK_FULL = "53100"  # as PostgreSQL calls it
# PostgreSQL's codes of a broken connection, a server that stops or starts, and too many connections.
AWAY_STATES = ("08", "57P", "53300")


def is_lost(error: Exception) -> bool:
    """Whether this thread's connection ended with `error`, as against one statement that was refused."""
    if connection.vendor == "postgresql":
        return connection.connection is None or bool(connection.connection.closed)
    return sqlite_code(error) in AWAY


def service_away(error: BaseException | None) -> str:
    """Which service does not answer, where this exception says so: the database or Redis. Nothing for a statement that
    was refused or took too long."""
    if isinstance(error, FAILURES):
        if type(error.__cause__).__module__.startswith("psycopg"):
            state = getattr(error.__cause__, "sqlstate", None)
            return "the database" if state is None or state.startswith(AWAY_STATES) else ""
        return "the database" if sqlite_code(error) in AWAY else ""
    # redis is not imported where nobody uses it.
    kinds = {f"{kind.__module__}.{kind.__name__}" for kind in type(error).__mro__}
    return "Redis" if kinds & {"redis.exceptions.ConnectionError", "redis.exceptions.TimeoutError"} else ""


def is_full(error: Exception) -> bool:
    """Whether there is no room where the database, or a file, is written."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if getattr(error.__cause__, "sqlstate", None) == DISK_FULL:
        return True
    return sqlite_code(error) == sqlite3.SQLITE_FULL


def sqlite_code(error: Exception) -> int:
    """The kind of the failure, without its finer distinctions; 0 where SQLite says none."""
    return int(getattr(error.__cause__, "sqlite_errorcode", 0)) & 0xFF


def retry(work: Callable[[], T], sleep: Callable[[float], object] | None = None) -> T:
    """Call `work`, again on a fresh connection for as long as the database is lost; where it refuses, for a minute.

    A worker can do nothing without a database, so there is no other limit.
    """
    pause, refused_for = SHORTEST, 0.0
    while True:
        try:
            return work()
        except FAILURES as error:
            if not is_lost(error):
                if refused_for >= REFUSED_SECONDS:
                    raise
                refused_for += pause
            logger.warning("the database failed (%s); trying again in %g s", type(error).__name__, pause)
            connection.close_if_unusable_or_obsolete()
        (sleep or time.sleep)(pause)
        pause = min(2 * pause, LONGEST)
