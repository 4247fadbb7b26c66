"""How long a process waits for a database: for a statement, for a lock, for one that hangs, and for a connection."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import connection

from config import environment
from jobs import database
from tests import servers

# Does what each line of its input says, and answers with how long that took and what came of it.
DOES = """
import json, sys, time
import django
django.setup()
from django.db import connection
from jobs import database
for line in sys.stdin:
    began, said = time.monotonic(), "done"
    try:
        exec(line)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps([time.monotonic() - began, said]), flush=True)
"""
SHOW = "said = [connection.cursor().execute('SHOW ' + name).fetchone()[0] for name in names]"


class Process:
    """One of the product's, that does what it is told."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def timed_answer(self, line: str) -> tuple[float, Any]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        took, said = json.loads(self.process.stdout.readline())
        return took, said

    def execute_sql(self, sql: str) -> tuple[float, Any]:
        return self.timed_answer(f"connection.cursor().execute({sql!r})")


@contextmanager
def process(url: str, **more: str) -> Iterator[Process]:
    env = servers.environment(DATABASE_URL=url, DJANGO_SETTINGS_MODULE="config.settings", **more)
    words = [sys.executable, "-c", DOES]
    with subprocess.Popen(words, cwd=servers.ROOT, env=env, stdin=-1, stdout=-1, text=True) as started:
        try:
            yield Process(started)
        finally:
            started.kill()


@pytest.fixture(scope="module")
def url(postgres: servers.Postgres) -> str:
    return postgres.create("patience")


@pytest.mark.night
@pytest.mark.server
def test_statement_and_lock_time_out(url: str) -> None:
    with (
        process(url, DATABASE_STATEMENT_SECONDS="2", DATABASE_LOCK_SECONDS="1") as ours,
        psycopg.connect(url) as other,
    ):
        took, said = ours.execute_sql("SELECT pg_sleep(600)")
        assert "statement timeout" in said
        assert took < 60
        other.execute("CREATE TABLE held ()")
        other.commit()
        other.execute("LOCK TABLE held")
        took, said = ours.execute_sql("SELECT * FROM held")
        assert "lock timeout" in said
        assert ours.execute_sql("SELECT 1")[1] == "done", "the connection is still good"


@pytest.mark.night
@pytest.mark.server
def test_hanging_server_is_abandoned(url: str, postgres: servers.Postgres) -> None:
    with process(url, DATABASE_STATEMENT_SECONDS="1", DATABASE_CONNECT_SECONDS="2") as ours:
        assert ours.execute_sql("SELECT 1")[1] == "done"
        postgres.freeze_processes()
        try:
            took, said = ours.execute_sql("SELECT 1")
            assert said.startswith("OperationalError: ")
            assert 2.5 < took < 60
            took, said = ours.timed_answer("connection.close(); connection.ensure_connection()")
            assert said.startswith("OperationalError: ")
            assert took < 60
        finally:
            postgres.resume_processes()
        assert ours.timed_answer("connection.close(); connection.cursor().execute('SELECT 1')")[1] == "done"


@pytest.mark.night
@pytest.mark.server
def test_background_statement_may_take_longer(url: str) -> None:
    with process(url) as ours:

        def timeouts() -> list[Any]:
            shown = ours.timed_answer("names = ['statement_timeout', 'lock_timeout']; " + SHOW)[1]
            return [*shown, ours.timed_answer("said = connection.connection.wait.seconds")[1]]

        assert timeouts() == ["30s", "20s", 32]
        assert ours.timed_answer("database.set_timeouts(600, lock=0.2)")[1] == "done"
        assert timeouts() == ["10min", "200ms", 602]
        assert ours.timed_answer("database.reset_timeouts()")[1] == "done"
        assert timeouts() == ["30s", "20s", 32]
        assert (
            ours.timed_answer("database.set_timeouts(0, 0); said = connection.connection.wait.seconds")[1]
            is None
        )


@pytest.mark.server
def test_management_command_has_no_statement_limit(url: str) -> None:
    code = "from django.db import connection as c; print(c.cursor().execute('SHOW statement_timeout').fetchone())"
    name = "DATABASE_STATEMENT_SECONDS"
    for given, limit in (({}, "0"), ({name: ""}, "0"), ({name: "7"}, "7s")):
        env = servers.environment(DATABASE_URL=url, **given)
        assert f"('{limit}',)" in servers.manage(env, "shell", "--verbosity=0", "-c", code)


@pytest.mark.django_db
def test_sqlite_waits_only_for_locks_and_connection_settings_apply() -> None:
    database.set_timeouts(1, 1)
    database.reset_timeouts()
    assert not hasattr(connection.connection, "wait")
    found = environment.parse_database("sqlite:///x")
    for lock, seconds in ((7, 7), (0, 86_400)):
        options = environment.with_timeouts(found, connect=5, statement=30, lock=lock)["OPTIONS"]
        assert options["timeout"] == seconds
    found = environment.parse_database("postgres://host/name?connect_timeout=77")
    options = environment.with_timeouts(found, connect=5, statement=30, lock=7)["OPTIONS"]
    assert options["connect_timeout"] == 77
    assert options["options"] == "-c statement_timeout=30000 -c lock_timeout=7000"


def test_wait_with_its_own_limit_is_kept() -> None:
    class Server:
        waited: list[object] = []

        def wait(self, generator: str, interval: float, timeout: float | None) -> str:
            self.waited.append((generator, interval, timeout))
            return "waited"

    server = Server()
    wait = database.TimedWait(server, 32)
    assert (wait("one"), wait("two", 0.5, 3)) == ("waited", "waited")
    assert server.waited == [("one", 0.1, 32), ("two", 0.5, 3)]
    del server
    assert wait._server() is None


# --- what COPY meets ---

INSERT = (
    "from runs.models import Itemset, Run; from runs import result_storage; "
    "result_storage._insert_rows(Itemset, Run(pk=1), {'place': ['no number']})"
)
LOAD = (
    "from accounts.models import Person; from config.backup import saved_tables, table_rows; "
    "table = saved_tables.BackupTable.from_model(Person); "
    "table_rows.PostgreSQL().load(table, [b'no row of this table\\n'])"
)


@pytest.mark.server
@pytest.mark.parametrize("copying", [INSERT, LOAD])
def test_copy_failure_is_a_django_error(postgres: servers.Postgres, copying: str) -> None:
    """A full disk was an unforeseen error of psycopg, and no outage."""
    with process(postgres.create(f"copying{len(copying)}", postgres.migrated())) as ours:
        assert ours.timed_answer(copying)[1].startswith("DataError: ")
