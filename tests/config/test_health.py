from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django.fixtures import Settings

from config import health
from jobs.health import Finding
from jobs.models import Worker


@pytest.fixture
def house(db: None, settings: Settings, tmp_path: Path) -> Client:
    """Everything as it should be: a broker's folder and a warm worker heard just now."""
    folders = {
        "data_folder_in": tmp_path,
        "data_folder_out": tmp_path,
        "control_folder": tmp_path / "control",
    }
    settings.CELERY = {**settings.CELERY, "broker_transport_options": {k: str(v) for k, v in folders.items()}}
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


def test_a_broker_out_of_reach_is_a_failure(house: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.queue.hints", lambda: None)
    assert sick(asked(house, 503)) == {"broker"}


def test_a_database_that_does_not_answer_is_told_without_its_words(
    house: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> Finding:
        raise DatabaseError("password authentication failed for user candor")

    monkeypatch.setitem(health.LOOKS, "worker", refuse)
    found = asked(house, 503)
    assert found["worker"] == {"ok": False, "says": "cannot be looked at without the database"}


def test_only_reading_is_allowed(house: Client) -> None:
    assert house.post("/healthz").status_code == 405


def test_it_needs_no_one_to_sign_in_and_is_not_kept(house: Client) -> None:
    answer = house.get("/healthz")
    assert "no-store" in answer["Cache-Control"]
    assert not answer.cookies
