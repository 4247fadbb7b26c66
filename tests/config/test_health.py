"""/healthz: what is looked at, what each part says, and that nothing that hangs or fails keeps it from answering."""

import errno
import http.client
import json
import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.conf import settings as ours
from django.db import InterfaceError, OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django.fixtures import Settings

from config import health
from config.backup.models import Backup
from config.celery import app
from intake.endpoint.last_store_failure import StoreFailures
from jobs.health import HealthFinding
from jobs.models import Worker
from tests import servers
from tests.config.conftest import Say
from tests.intake import asked as asks
from tests.intake.conftest import LiveSurvey, live_survey

pytestmark = pytest.mark.page
PARTS = {"database", "migrations", "broker", "worker", "jobs", "disk"}
PARTS |= {"records", "waiting", "drill", "engines"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the queue lies."""
    queue = tmp_path / "queue"
    monkeypatch.setitem(app.conf.broker_transport_options, "data_folder_in", str(queue))
    return queue


class Here(Thread):
    """A thread that is none: what a test has not committed is seen in its own only."""

    def start(self) -> None:
        self.run()


@pytest.fixture
def healthy(
    db: None, folder: Path, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Client:
    """Everything as it should be: a broker's folder, room on the disk and a warm worker heard just now."""
    settings.VAR = tmp_path
    settings.LEAST_FREE_MEGABYTES = 0
    monkeypatch.setattr(health, "Thread", Here)
    # An earlier test of the same process may have been refused a record.
    monkeypatch.setattr(health, "UNSTORED", StoreFailures())
    Worker.objects.create(name="w", heard=datetime.now(UTC), warm=True)
    return Client()


def health_answer(client: Client, status: int) -> dict[str, Any]:
    answer = client.get("/healthz")
    assert answer.status_code == status, answer.content
    found: dict[str, Any] = answer.json()
    return found


def failed_parts(found: dict[str, Any]) -> set[str]:
    return {name for name, part in found.items() if name != "ok" and not part["ok"]}


def test_healthy_instance_reports_each_part_to_anybody(healthy: Client, settings: Settings) -> None:
    found = health_answer(healthy, 200)
    assert found.pop("ok") is True
    assert set(found) == PARTS
    assert failed_parts(found) == set()
    assert healthy.post("/healthz").status_code == 405
    answer = healthy.get("/healthz")
    assert "no-store" in answer["Cache-Control"]
    assert not answer.cookies
    # A probe needs neither HTTPS nor a name of ours.
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/healthz", headers={"host": "10.0.0.7:8000"}).status_code == 200
    assert Client().get("/app/limits").status_code == 301


def test_health_reports_the_last_backup_check(healthy: Client) -> None:
    assert health_answer(healthy, 200)["drill"]["says"] == "no backup was checked yet"
    now = datetime.now(UTC)
    for hours, ago in ((30, "30 hours"), (5, "5 hours"), (1, "1 hour")):
        Backup.objects.create(made=now, checked=now - timedelta(hours=hours, minutes=20))
        assert health_answer(healthy, 200)["drill"] == {"ok": True, "says": f"a backup was checked {ago} ago"}


def test_silent_worker_by_the_database_clock_is_a_failure(
    healthy: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = datetime.now(UTC) - timedelta(hours=1)
    Worker.objects.update(heard=late)
    assert failed_parts(health_answer(healthy, 503)) == {"worker"}
    monkeypatch.setattr("jobs.database.now", lambda: late)
    assert failed_parts(health_answer(healthy, 200)) == set()


def test_missing_migration_or_unreachable_broker_is_a_failure(healthy: Client, folder: Path) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("sessions", "0001_initial")
    found = health_answer(healthy, 503)
    assert (failed_parts(found), found["migrations"]["says"]) == ({"migrations"}, "1 to apply")
    recorder.record_applied("sessions", "0001_initial")
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("a file, where the queue's folder should be")
    assert failed_parts(health_answer(healthy, 503)) == {"broker"}


@pytest.mark.parametrize(
    "cookies", [{}, {"candor-session": "x" * 32, "candor-csrf": "c" * 32, "candor-language": "zh-hans"}]
)
@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_health_answers_without_a_database_and_repeats_no_error_text(
    healthy: Client, cookies: dict[str, str], error: type[Exception]
) -> None:
    def refuse(*args: object) -> None:
        raise error("password authentication failed for user candor")

    healthy.cookies.load(cookies)
    with connection.execute_wrapper(refuse):
        found = health_answer(healthy, 503)
    assert failed_parts(found) == PARTS - {"broker", "disk", "records"}
    assert found["database"]["says"] == "does not answer"
    assert found["worker"]["says"] == "cannot be looked at without the database"
    assert "password" not in str(found)


# --- whatever hangs ---------------------------------------------------------------------------------


class Hanging:
    """A look that takes until it is let go; `begun` counts how often it was begun."""

    def __init__(self) -> None:
        self.let_go, self.begun = Event(), 0

    def __call__(self) -> HealthFinding:
        self.begun += 1
        assert self.let_go.wait(servers.PATIENCE)
        return HealthFinding(True, "after all")


@pytest.fixture
def hanging_health_looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    """Of three looks the second hangs, and a fourth is made beside them."""
    found = Hanging()
    well = HealthFinding(True, "well")
    looks = health.RoundRunner(first=lambda: well, second=found, third=lambda: well)
    monkeypatch.setattr(health, "ROUND_RUNNERS", [looks, health.RoundRunner(fourth=lambda: well)])
    monkeypatch.setattr(health, "PATIENCE", 0.2)
    yield found
    found.let_go.set()


def test_hanging_check_is_a_failure_runs_once_and_the_rest_is_reported(
    client: Client, hanging_health_looks: Hanging
) -> None:
    for _ in range(5):
        found = health_answer(client, 503)
        assert failed_parts(found) == {"second", "third"}
        assert {found[name]["says"] for name in ("second", "third")} == {"does not answer in time"}
    assert hanging_health_looks.begun == 1
    hanging_health_looks.let_go.set()
    servers.wait(lambda: client.get("/healthz").status_code == 200, "health noticing")
    servers.wait(
        lambda: client.get("/healthz").status_code == 200 and hanging_health_looks.begun > 1, "another look"
    )


def test_health_check_waits_less_than_two_seconds() -> None:
    assert health.PATIENCE < 2


def ask(home: LiveSurvey, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", home.port, timeout=servers.PATIENCE)
    try:
        connection.request("GET", path, headers={"Cookie": f"{ours.SESSION_COOKIE_NAME}={'s' * 32}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()


@pytest.mark.night
@pytest.mark.server
def test_health_answers_while_every_thread_waits_for_the_database(tmp_path: Path) -> None:
    """On a server of its own, since it is stopped. Two processes of eight threads each; more people wait."""
    page = "/app/surveys/"
    with servers.postgres() as postgres:
        database = {"DATABASE_URL": postgres.create("hanging"), "DATABASE_CONNECT_SECONDS": "60"}
        with live_survey(tmp_path, asks.design(), database) as home, ThreadPoolExecutor(24) as people:
            assert ask(home, page)[0] == 302
            postgres.freeze_processes()
            try:
                waiting = [people.submit(ask, home, page) for _ in range(24)]
                for _ in range(6):
                    began = time.monotonic()
                    said = json.loads(ask(home, "/healthz")[1])
                    # Two seconds, and what a busy machine adds; a thread that waits for the database takes sixty.
                    assert time.monotonic() - began < 20
                    assert (said["ok"], said["disk"]["ok"]) == (False, True)
                    assert said["database"]["says"].startswith("does not answer")
                assert len(wait(waiting, timeout=0).not_done) > 16, "all threads are taken still"
            finally:
                postgres.resume_processes()
            wait(waiting)
            servers.wait(lambda: ask(home, page)[0] == 302, "the page coming back")
            healthy = '"database": {"ok": true'
            servers.wait(lambda: healthy in ask(home, "/healthz")[1], "health noticing")


# --- a full disk ------------------------------------------------------------------------------------


def test_full_or_unwritable_disk_is_a_failure(
    healthy: Client, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking at it leaves nothing behind."""

    def raise_disk_full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = sorted(tmp_path.iterdir())
    assert health.check_disk() == HealthFinding(True, "can be written")
    assert sorted(tmp_path.iterdir()) == before
    settings.LEAST_FREE_MEGABYTES = 10**9
    assert health_answer(healthy, 503)["disk"] == {"ok": False, "says": "nearly full"}
    monkeypatch.setattr(os, "fsync", raise_disk_full)
    found = health_answer(healthy, 503)
    assert (failed_parts(found), found["disk"]["says"]) == ({"disk"}, "cannot be written")


def test_health_checks_the_databases_folder(tmp_path: Path, settings: Settings, say_of_database: Say) -> None:
    settings.VAR = tmp_path
    (tmp_path / "other").mkdir()
    say_of_database(NAME=tmp_path / "other" / "candor.sqlite3")
    assert health.folders_to_check() == {tmp_path, tmp_path / "other"}
    say_of_database(ENGINE="django.db.backends.postgresql")
    assert health.folders_to_check() == {tmp_path}


def test_unstored_records_are_a_failure_until_one_is_stored(
    healthy: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    memory = StoreFailures(lambda: now[0])
    monkeypatch.setattr(health, "UNSTORED", memory)
    health_answer(healthy, 200)
    memory.record_failure()
    assert failed_parts(health_answer(healthy, 503)) == {"records"}
    memory.record_success()
    health_answer(healthy, 200)
    memory.record_failure()
    now[0] = 60.0
    health_answer(healthy, 200)
