from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.db import InterfaceError, OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django.fixtures import Settings

from jobs.models import Worker


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the queue lies."""
    queue = tmp_path / "queue"
    monkeypatch.setitem(current_app.conf.broker_transport_options, "data_folder_in", str(queue))
    return queue


@pytest.fixture
def house(db: None, folder: Path) -> Client:
    """Everything as it should be: a broker's folder and a warm worker heard just now."""
    Worker.objects.create(name="w", heard=datetime.now(UTC), warm=True)
    return Client()


def asked(client: Client, status: int) -> dict[str, Any]:
    answer = client.get("/healthz")
    assert answer.status_code == status, answer.content
    found: dict[str, Any] = answer.json()
    return found


def sick(found: dict[str, Any]) -> set[str]:
    return {name for name, part in found.items() if name != "ok" and not part["ok"]}


def test_a_healthy_house_says_so_part_by_part(house: Client) -> None:
    found = asked(house, 200)
    assert found.pop("ok") is True
    assert set(found) == {"database", "migrations", "broker", "worker"}
    assert sick(found) == set()


def test_a_worker_not_heard_lately_is_a_failure(house: Client) -> None:
    Worker.objects.update(heard=datetime.now(UTC) - timedelta(minutes=5))
    assert sick(asked(house, 503)) == {"worker"}


def test_a_worker_that_is_not_warm_is_a_failure(house: Client) -> None:
    Worker.objects.update(warm=False)
    assert sick(asked(house, 503)) == {"worker"}


def test_a_missing_migration_is_a_failure(house: Client) -> None:
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    found = asked(house, 503)
    assert sick(found) == {"migrations"}
    assert found["migrations"]["says"] == "1 to apply"


def test_a_broker_out_of_reach_is_a_failure(house: Client, folder: Path) -> None:
    folder.write_text("a file, where the queue's folder should be")
    assert sick(asked(house, 503)) == {"broker"}


def test_workers_are_heard_by_the_clock_that_they_speak_by(
    house: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database's, here an hour late."""
    late = datetime.now(UTC) - timedelta(hours=1)
    Worker.objects.update(heard=late)
    monkeypatch.setattr("jobs.clock.now", lambda: late)
    assert sick(asked(house, 200)) == set()


@pytest.mark.parametrize("cookies", [{}, {"session": "x" * 32, "csrf": "c" * 32, "language": "zh-hans"}])
@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_without_a_database_it_still_answers_and_repeats_none_of_its_words(
    house: Client, cookies: dict[str, str], error: type[Exception]
) -> None:
    def refuse(*args: object) -> None:
        raise error("password authentication failed for user candor")

    house.cookies.load(cookies)
    with connection.execute_wrapper(refuse):
        found = asked(house, 503)
    assert sick(found) == {"database", "migrations", "worker"}
    assert found["database"]["says"] == "does not answer"
    assert found["worker"]["says"] == "cannot be looked at without the database"
    assert "password" not in str(found)


def test_a_probe_needs_neither_https_nor_a_name_of_ours(house: Client, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answer = Client().get("/healthz", headers={"host": "10.0.0.7:8000"})
    assert answer.status_code == 200
    assert Client().get("/limits").status_code == 301


def test_only_reading_is_allowed(house: Client) -> None:
    assert house.post("/healthz").status_code == 405


def test_it_needs_no_one_to_sign_in_and_is_not_kept(house: Client) -> None:
    answer = house.get("/healthz")
    assert "no-store" in answer["Cache-Control"]
    assert not answer.cookies
