"""An operator (staff) and a stranger; wake-up messages; and who attempts jobs.

Who attempts them: a worker in the test's own process, or the processes of a whole stack, which a test may kill. Tests
that enqueue jobs in other rooms import `broker` from here.
"""

import os
import re
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, TypeVar

import psycopg
import pytest
from django.test import Client
from kombu import pools
from pytest_django import Settings

from accounts.models import Person
from config.celery import app
from jobs import database, job_attempt as attempts, job_state_changes
from jobs.models import Job, Trial
from tests import servers

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MakeTrial = Callable[..., Trial]
AnyJob = TypeVar("AnyJob", bound=Job)


def refresh(job: AnyJob) -> AnyJob:
    """As the database has it now."""
    job.refresh_from_db()
    return job


@pytest.fixture(autouse=True)
def pace(settings: Settings) -> None:
    settings.HEARTBEAT_SECONDS, settings.TICK_SECONDS = 5, 10


@pytest.fixture
def operator(db: None) -> Person:
    return Person.objects.create(username="operator", is_staff=True)


@pytest.fixture
def stranger(db: None) -> Person:
    return Person.objects.create(username="stranger")


@pytest.fixture
def as_operator(client: Client, operator: Person) -> Client:
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def make_trial(operator: Person) -> MakeTrial:
    usual = {"person": operator, "created": NOON, "queued": NOON, "steps": 3, "pause": 0}
    return lambda **more: Trial.objects.create(**{**usual, **more})


@pytest.fixture
def trial(make_trial: MakeTrial) -> Trial:
    """A trial that waits."""
    return make_trial()


@pytest.fixture
def running_trial(trial: Trial) -> Trial:
    """A trial that runs, since noon, for the worker w1."""
    job = job_state_changes.claim(trial.pk, token="a" * 32, worker="w1", now=NOON)
    assert isinstance(job, Trial)
    return job


# --- wake-up messages ---


@pytest.fixture(autouse=True)
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own."""
    folder = tmp_path / "broker"
    monkeypatch.setitem(app.conf.broker_transport_options, "data_folder_in", str(folder))
    pools.reset()
    monkeypatch.setattr(app.amqp, "_producer_pool", None)
    return folder


def messages(broker: Path) -> int:
    """How many lie in the queue."""
    return len(list(broker.glob("*.msg")))


# --- attempts: in this process, and by processes of their own ---


def attempt(job: Job, *, token: str = "", worker: str = "w1") -> bool:
    """Claim this job and attempt it; False, and nothing is done, where it does not wait."""
    token = token or secrets.token_hex(16)
    mine = database.retry_until_database_works(
        lambda: job_state_changes.claim(job.pk, token=token, worker=worker, now=database.now())
    )
    return mine is not None and attempts.perform_claimed_job(mine)


OPERATOR = """
from django.contrib.sessions.backends.db import SessionStore
from accounts.models import Person
person = Person.objects.create(username="operator", is_staff=True)
session = SessionStore()
session["_auth_user_id"] = str(person.pk)
session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
session["_auth_user_hash"] = person.get_session_auth_hash()
session.save()
print(session.session_key)
"""
OURS = """
from jobs import database, job_queue
from jobs.models import Trial
from accounts.models import Person
person = Person.objects.get(username="operator")
"""
MANY = """
for _ in range({n}):
    job_queue.enqueue(Trial(person=person, steps=1, pause=20))
"""
# As a version enqueues whose task has another name.
OF_ANOTHER_VERSION = """
from config.celery import app
now = database.now()
trial = Trial.objects.create(person=person, steps=1, pause=20, created=now, queued=now)
app.send_task("jobs.job_attempt", ("jobs.trial", str(trial.pk)), retry=False)
print(trial.pk)
"""
# One step that is longer than the silence after which a job is taken for dead, and than the ticks before and after it.
LONG_STEP = """
trial = Trial(person=person, steps=1, pause=8_500)
job_queue.enqueue(trial)
print(trial.pk)
"""
# Waits for its rival at a place both can see, so that they race from the first lease to the last.
RACER = """
import time
from datetime import UTC, datetime, timedelta
from jobs import tick
tick.take_lease("ready-{me}", "{me}", datetime(2026, 1, 1, tzinfo=UTC), timedelta(0))
while tick.Lease.objects.filter(name__startswith="ready").count() < 2:
    time.sleep(0.01)
for n in range(100):
    if tick.take_lease(f"race-{{n}}", "{me}", datetime(2026, 1, 1, tzinfo=UTC), timedelta(minutes=1)):
        print(n)
"""


@dataclass
class Worker:
    """One `celery worker` of two children in a session of its own; `log` is what it says."""

    node: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def name(self) -> str:
        return f"{self.node}:{self.process.pid}"

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    @property
    def children(self) -> list[int]:
        return sorted(servers.children(self.process.pid))

    def kill(self) -> None:
        """The whole worker, children included, as the supervisor clears up after a dead one."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(servers.PATIENCE)


@dataclass
class Stack:
    env: dict[str, str]
    home: Path
    redis: servers.Redis | None = None
    port: int = 0
    session: str = ""
    workers: list[Worker] = field(default_factory=list)

    def popen(self, log: Path, *words: str, **more: str) -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=servers.ROOT,
                env={**self.env, **more},
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def start_worker(self, app: str = "tests.jobs.worker", *, unlike: str = "", **env: str) -> Worker:
        """`unlike` others: see `tests.jobs.worker`."""
        node, log = f"w{len(self.workers)}@test", self.home / f"w{len(self.workers)}.log"
        words = ["celery", "-A", app, "worker", "-c", "2", "-n", node]
        worker = Worker(node, self.popen(log, *words, UNLIKE=unlike, **env), log)
        self.workers.append(worker)
        ready = f"SELECT 1 FROM jobs_worker WHERE warm AND name = '{worker.name}'"
        servers.wait(lambda: bool(self.rows(ready)) and len(worker.children) == 2, f"{node} ready", pause=0.2)
        return worker

    def shell(self, code: str) -> str:
        """What a program with an operator prints."""
        return servers.manage(self.env, "shell", "--verbosity=0", "-c", f"{OURS}{code}")

    def one_worker(self) -> Worker:
        """The one that an earlier test left alive, if it did."""
        alive = [worker for worker in self.workers if worker.is_alive]
        if len(alive) == 1:
            return alive[0]
        self.no_workers()
        return self.start_worker()

    def no_workers(self) -> None:
        for worker in self.workers:
            if worker.is_alive:
                worker.kill()
        for table in ("jobs_worker", "jobs_lease"):
            self.rows(f"DELETE FROM {table}")

    # --- the database, as it is ---

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Numbers in statements are ours; there is nothing here to escape."""
        url = self.env["DATABASE_URL"]
        if url.startswith("postgres"):
            with psycopg.connect(url) as server:
                cursor = server.execute(statement.encode())
                return list(cursor) if cursor.description else []
        with closing(sqlite3.connect(url.removeprefix("sqlite://"), timeout=servers.PATIENCE)) as file, file:
            return list(file.execute(statement))

    def state(self, pk: int) -> str:
        return str(self.rows(f"SELECT state FROM jobs_job WHERE id = {pk}")[0][0])

    def marks_and_attempts(self, pk: int) -> tuple[int, int]:
        marks = f"SELECT count(*) FROM jobs_mark WHERE trial_id = {pk}"
        [found] = self.rows(f"SELECT ({marks}), attempts FROM jobs_job WHERE id = {pk}")
        return found[0], found[1]

    def is_row_unlocked(self, pk: int) -> bool:
        """Whether anybody else could write this row just now."""
        statement = f"UPDATE jobs_job SET attempts = attempts WHERE id = {pk}"
        try:
            if self.env["DATABASE_URL"].startswith("postgres"):
                self.rows(f"SET lock_timeout = 300; {statement}")
            else:
                with closing(sqlite3.connect(self.home / "candor.sqlite3", timeout=0.3)) as file, file:
                    file.execute(statement)
        except (sqlite3.OperationalError, psycopg.errors.LockNotAvailable):
            return False
        return True

    # --- the pages, as the operator's browser gets them ---

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[HTTPResponse, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=servers.PATIENCE)
        headers = {"Cookie": f"candor-session={self.session}; candor-csrf={'c' * 32}"}
        body = None
        if form is not None:
            body = urllib.parse.urlencode({**form, "csrfmiddlewaretoken": "c" * 32})
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response, text

    def page(self, path: str) -> str:
        response, text = self.ask("GET", path)
        assert response.status == 200, f"{path}: {response.status} {text[:2000]}"
        return text

    def progress(self, pk: int) -> str:
        return self.page(f"/app/jobs/jobs.trial/{pk}/progress")

    def start_trial(self, steps: int) -> int:
        response, text = self.ask("POST", "/app/jobs/", {"steps": str(steps)})
        assert response.status == 302, text[:2000]
        found = re.fullmatch(r"/app/jobs/jobs\.trial/(\d+)/progress", response.headers["Location"])
        assert found
        return int(found[1])

    def cancel(self, pk: int) -> None:
        response, text = self.ask("POST", f"/app/jobs/jobs.trial/{pk}/cancel", {})
        assert response.status == 302, text[:2000]

    def wait_for_words(self, pk: int, words: str) -> None:
        # What these wait for comes after seconds and stays for some.
        self.wait(pk, lambda: words in self.progress(pk), f"the page saying {words!r}", pause=0.4)

    def wait_for_progress(self, pk: int) -> None:
        """Any step after the first; not each of them is shown."""
        counted = re.compile(r"Step ([2-9]|\d\d+) of")
        self.wait(pk, lambda: bool(counted.search(self.progress(pk))), "the page counting")

    def wait_for(self, pk: int, state: str) -> None:
        self.wait(pk, lambda: self.state(pk) == state, f"trial {pk} being {state}")

    def wait(self, pk: int, until: Callable[[], bool], what: str, pause: float = 0.2) -> None:
        try:
            servers.wait(until, what, pause=pause)
        except TimeoutError as error:
            row = self.rows(f"SELECT * FROM jobs_job WHERE id = {pk}")
            logs = "".join(worker.log.read_text()[-3000:] for worker in self.workers)
            raise AssertionError(f"{error}; {row}\n{logs}") from None


@contextmanager
def running_stack(database_url: str, redis: servers.Redis | None, **more: str) -> Iterator[Stack]:
    """On this migrated PostgreSQL, or on an SQLite of its own."""
    with servers.folder() as home:
        servers.compile_kernels()
        if not database_url:
            shutil.copy(servers.migrated_file(), home)
        env = servers.environment(
            VAR=str(home),
            DATABASE_URL=database_url or f"sqlite://{home}/candor.sqlite3",
            REDIS_URL=redis.url if redis else "",
            SECRET_KEY=os.urandom(32).hex(),
            DEBUG="yes",
            # As the supervisor starts a worker, too.
            CELERY_SKIP_CHECKS="yes",
            # A job counts as dead after four heartbeats, and a busy machine may keep a worker waiting for seconds.
            **{"HEARTBEAT_SECONDS": "2", "TICK_SECONDS": "1"} | more,
        )
        stack = Stack(env, home, redis, servers.free_port())
        stack.session = servers.manage(env, "shell", "--verbosity=0", "-c", OPERATOR).strip()
        words = ["config.web_server", "--port", str(stack.port), "--processes", "1"]
        web = stack.popen(home / "web.log", *words)
        try:
            servers.wait(lambda: servers.is_port_listening(stack.port), "the web server answering")
            yield stack
        finally:
            stack.no_workers()
            os.killpg(web.pid, signal.SIGKILL)
            web.wait()
