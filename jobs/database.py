"""The database as jobs need it: its clock, timeouts of statements and locks, and outages.

PostgreSQL itself ends statements that take longer than the settings allow. A server that hangs ends nothing,
so the client stops waiting two seconds later and drops the connection.
"""

import errno
import logging
import sqlite3
import time
import weakref
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError, connection
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.utils import timezone

logger = logging.getLogger(__name__)
T = TypeVar("T")

# --- its clock, which all machines share and which may be set back ---


def now() -> datetime:
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


def latest_plausible_time(now: datetime) -> datetime:
    """Returns the latest time that a stored row can have, three ticks after `now`.

    Later times were written before the clock was set back, and are ignored.
    """
    return now + timedelta(seconds=3 * settings.TICK_SECONDS)


# --- timeouts ---

LONG = 600  # seconds for one statement of a job or a clean-up; no page waits for it
SLACK = 2  # seconds that the client waits longer than the server may take


class TimedWait:
    """Replacement of a connection's `wait` function that times out after some seconds; None: no limit."""

    def __init__(self, server: Any, seconds: float | None) -> None:
        # Without a reference cycle the connection ends with its thread, not with the next garbage collection.
        self._server = weakref.ref(server)
        self.seconds = seconds

    def set_timeout(self, statement_seconds: float) -> None:
        self.seconds = statement_seconds + SLACK if statement_seconds else None

    def __call__(self, generator: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        server: Any = self._server()  # the caller has a reference
        try:
            return type(server).wait(
                server, generator, interval, self.seconds if timeout is None else timeout
            )
        except Exception as error:
            # psycopg is not imported where the database is SQLite.
            if timeout is None and type(error).__name__ == "_WaitTimeout":
                server.close()
            raise


@receiver(connection_created, dispatch_uid="jobs.database")
def set_timeout_of_new_connection(sender: object, connection: Any, **kwargs: Any) -> None:
    if connection.vendor == "postgresql":
        server = connection.connection
        server.wait = TimedWait(server, None)
        server.wait.set_timeout(settings.DATABASE_STATEMENT_SECONDS)


def set_timeouts(statement: float, lock: float) -> None:
    """Limits the seconds of a statement, and of its wait for a lock, on this thread's connection; 0: no limit."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        # This statement itself is short, and the first that a server which hangs would not answer.
        connection.connection.wait.set_timeout(settings.DATABASE_STATEMENT_SECONDS)
        names = "set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false)"
        cursor.execute(f"SELECT {names}", [f"{round(1000 * wait)}ms" for wait in (statement, lock)])
    connection.connection.wait.set_timeout(statement)


def reset_timeouts() -> None:
    """Restores the settings' timeouts, with which a new connection starts anyway."""
    if connection.vendor == "postgresql" and connection.connection is not None:
        set_timeouts(settings.DATABASE_STATEMENT_SECONDS, settings.DATABASE_LOCK_SECONDS)


# --- outages ---

FAILURES = (OperationalError, InterfaceError, InternalError)
REFUSED_SECONDS = 60  # how long a statement is retried that the database answers but refuses
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0
# SQLite's codes of a file that others have locked, and of a disk that does not work just now.
AWAY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
# PostgreSQL's codes of a broken connection, a server that stops or starts, too many connections, too little memory, and
# a disk that does not work.
AWAY_STATES = ("08", "57P", "53", "58030")
DATABASE, REDIS = "the database does not answer", "Redis does not answer"
FULL, READ_ONLY = "the disk of the database is full", "the database can only be read"
UNWRITABLE: dict[object, str] = {
    sqlite3.SQLITE_FULL: FULL,
    "53100": FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    "25006": READ_ONLY,
}
UNWRITABLE_FILE: dict[object, str] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "the disk is full"),
    errno.EROFS: "the disk can only be read",
}


def is_connection_lost(error: Exception) -> bool:
    """Returns True if `error` means that the database is away; False if it only refused a statement."""
    if connection.vendor == "postgresql":
        return connection.connection is None or bool(connection.connection.closed)
    return sqlite_code(error) in AWAY


def outage_text(error: BaseException | None) -> str:
    """Returns which part does not work, as text: the database, Redis or a disk. Empty if the exception shows no
    outage."""
    if words := unwritable_text(error):
        return words
    if isinstance(error, FAILURES):
        if type(error.__cause__).__module__.startswith("psycopg"):
            state = getattr(error.__cause__, "sqlstate", None)
            return DATABASE if state is None or state.startswith(AWAY_STATES) else ""
        return DATABASE if sqlite_code(error) in AWAY else ""
    # redis is not imported where nobody uses it.
    kinds = {f"{kind.__module__}.{kind.__name__}" for kind in type(error).__mro__}
    return REDIS if kinds & {"redis.exceptions.ConnectionError", "redis.exceptions.TimeoutError"} else ""


def unwritable_text(error: BaseException | None) -> str:
    """Returns the reason why the database or a file cannot be written (full, or read-only); empty for other errors."""
    if isinstance(error, FAILURES):
        return UNWRITABLE.get(getattr(error.__cause__, "sqlstate", None) or sqlite_code(error), "")
    return UNWRITABLE_FILE.get(error.errno, "") if isinstance(error, OSError) else ""


def sqlite_code(error: Exception) -> int:
    """Returns SQLite's primary result code; 0 if there is none."""
    return int(getattr(error.__cause__, "sqlite_errorcode", 0)) & 0xFF


def retry_until_database_works(work: Callable[[], T], sleep: Callable[[float], object] | None = None) -> T:
    """Returns the result of `work`, called again until the database works; if it answers but refuses, only for a
    minute.

    Without a database a worker can do nothing, so there is no limit for an outage.
    """
    pause, refused_for = FIRST_PAUSE, 0.0
    while True:
        try:
            return work()
        except FAILURES as error:
            if not is_connection_lost(error):
                if refused_for >= REFUSED_SECONDS:
                    raise
                refused_for += pause
            logger.warning("the database failed (%s); trying again in %g s", type(error).__name__, pause)
            connection.close_if_unusable_or_obsolete()
        (sleep or time.sleep)(pause)
        # Soon after the database works again, a job that waits here would count as dead.
        pause = min(2 * pause, LONGEST_PAUSE, settings.HEARTBEAT_SECONDS)
