"""Timeouts of database statements and locks.

PostgreSQL itself ends what takes longer than the settings say. A server that hangs ends nothing, so the client stops
waiting two seconds later and drops the connection.
"""

import weakref
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.backends.signals import connection_created

# Seconds for one statement of a job or a clean-up; no page waits for it.
LONG = 600
SLACK = 2


class TimedWait:
    """Replaces a connection's `wait` by one with a timeout in seconds."""

    def __init__(self, server: Any, seconds: float | None) -> None:
        # Without a reference cycle the connection ends with its thread, not with the next garbage collection.
        self._server = weakref.ref(server)
        self.seconds = seconds

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


def seconds(statement: float) -> float | None:
    return statement + SLACK if statement else None


def limit(sender: object, connection: Any, **kwargs: Any) -> None:
    """When a connection has been made."""
    if connection.vendor == "postgresql":
        server = connection.connection
        server.wait = TimedWait(server, seconds(settings.DATABASE_STATEMENT_SECONDS))


def limit_connections() -> None:
    connection_created.connect(limit, dispatch_uid="jobs.db_timeouts")


def set_timeouts(statement: float, lock: float) -> None:
    """Seconds that a statement, and its wait for a lock, may take on this thread's connection; 0: no limit."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        # This statement itself is short, and the first that a server which hangs would not answer.
        connection.connection.wait.seconds = seconds(settings.DATABASE_STATEMENT_SECONDS)
        names = "set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false)"
        cursor.execute(f"SELECT {names}", [f"{round(1000 * wait)}ms" for wait in (statement, lock)])
    connection.connection.wait.seconds = seconds(statement)


def reset_timeouts() -> None:
    """Back to the settings; a new connection starts with them anyway."""
    if connection.vendor == "postgresql" and connection.connection is not None:
        set_timeouts(settings.DATABASE_STATEMENT_SECONDS, settings.DATABASE_LOCK_SECONDS)
