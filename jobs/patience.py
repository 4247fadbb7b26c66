"""How long this process waits for its database.

PostgreSQL itself ends what takes longer than the settings say. A server that hangs ends nothing, so the client stops
waiting two seconds later and gives the connection up.
"""

import weakref
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.backends.signals import connection_created

# What a job or a clean-up may take for one statement; nobody waits for it before a page.
LONG = 600
SLACK = 2


class Wait:
    """In the place of a connection's `wait`: the same, with an end."""

    def __init__(self, server: Any, seconds: float | None) -> None:
        # Without a circle the connection ends with its thread and not with the next collection.
        self._server = weakref.ref(server)
        self.seconds = seconds

    def __call__(self, generator: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        server: Any = self._server()  # whoever calls this holds it
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
        server.wait = Wait(server, seconds(settings.DATABASE_STATEMENT_SECONDS))


def limit_connections() -> None:
    connection_created.connect(limit, dispatch_uid="jobs.patience")


def allow(statement: float, lock: float) -> None:
    """How many seconds a statement, and its wait for a lock, may take on this thread's connection; 0: any."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        # This statement itself is short, and the first that a server which hangs would not answer.
        connection.connection.wait.seconds = seconds(settings.DATABASE_STATEMENT_SECONDS)
        names = "set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false)"
        cursor.execute(f"SELECT {names}", [f"{round(1000 * wait)}ms" for wait in (statement, lock)])
    connection.connection.wait.seconds = seconds(statement)


def as_usual() -> None:
    """Back to what the settings say; a lost connection comes back so by itself."""
    if connection.vendor == "postgresql" and connection.connection is not None:
        allow(settings.DATABASE_STATEMENT_SECONDS, settings.DATABASE_LOCK_SECONDS)
