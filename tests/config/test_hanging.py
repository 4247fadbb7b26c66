"""A database that hangs: every thread waits for it, and /healthz answers."""

import http.client
import json
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests import servers
from tests.intake import asked
from tests.intake.live_survey import LiveSurvey, live_survey

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="config/test_health.py")]


@pytest.fixture
def postgres() -> Iterator[servers.Postgres]:
    """One of our own, since it is stopped."""
    with servers.postgres() as server:
        yield server


def ask(home: LiveSurvey, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", home.port, timeout=servers.PATIENCE)
    try:
        connection.request("GET", path, headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}={'s' * 32}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()


def asked_of_health(home: LiveSurvey) -> tuple[float, Any]:
    began = time.monotonic()
    _status, text = ask(home, "/healthz")
    return time.monotonic() - began, json.loads(text)


def test_health_answers_while_every_thread_waits_for_the_database(
    postgres: servers.Postgres, tmp_path: Path
) -> None:
    database = {"DATABASE_URL": postgres.create("hanging"), "DATABASE_CONNECT_SECONDS": "60"}
    with live_survey(tmp_path, asked.design(), database) as home, ThreadPoolExecutor(24) as people:
        page = "/app/surveys/"
        assert ask(home, page)[0] == 302
        postgres.freeze()
        try:
            # Two processes of eight threads each; more people wait.
            waiting: list[Future[tuple[int, str]]] = [people.submit(ask, home, page) for _ in range(24)]
            for _ in range(6):
                took, said = asked_of_health(home)
                # Two seconds, and what a busy machine adds; a thread that waits for the database takes sixty.
                assert took < 20, took
                assert not said["ok"]
                assert said["database"]["says"].startswith("does not answer")
                assert said["disk"]["ok"]
            assert len(wait(waiting, timeout=0).not_done) > 16, "all threads are taken still"
        finally:
            postgres.thaw()
        wait(waiting)
        servers.wait(lambda: ask(home, page)[0] == 302, "the page coming back")
        servers.wait(lambda: asked_of_health(home)[1]["database"]["ok"], "health noticing")
