"""One format of the log, a number for each request of a person, and one line for an outage."""

import json
import logging
import os
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from pytest_django import Settings

from config import logs
from config.logs import RepeatCountingHandler
from config.start import process_supervisor
from config.start.process_supervisor import warn
from config.urls import handler400, handler403, handler404, handler500, urlpatterns as ours
from tests import servers
from tests.config.test_services_away import failure
from tests.product import supervised
from ui import request_number

LOG = logging.getLogger("surveys.trouble")


def fails(request: HttpRequest) -> HttpResponse:
    LOG.warning("before %s", "it")
    raise RuntimeError("its words")


def away(request: HttpRequest) -> HttpResponse:
    raise failure("psycopg", sqlstate="57P01")


def forbids(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


urlpatterns = [
    path("app/surveys/forbids", forbids),
    path("a/forbids", forbids),
    path("app/surveys/fails", fails),
    path("a/fails", fails),
    path("app/surveys/away", away),
    path("a/away", away),
    *ours,
]
__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


class Log:
    """What the product would write, by a clock that is moved."""

    def __init__(self, formatter: logging.Formatter) -> None:
        self.now, self.stream = 0.0, StringIO()
        self.handler = RepeatCountingHandler(lambda: self.now, self.stream)
        self.handler.setFormatter(formatter)
        self.handler.addFilter(logs.Outages())
        self.handler.addFilter(logs.Refusals())
        self.handler.addFilter(logs.NothingOfRespondents())

    @property
    def text(self) -> str:
        return self.stream.getvalue()


@pytest.fixture
def log(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    made = Log(getattr(request, "param", logs.Plain)())
    monkeypatch.setattr(logging.getLogger(), "handlers", [made.handler])
    yield made
    made.handler.close()


@pytest.fixture
def client(settings: Settings) -> Client:
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


def number_on(page: str) -> str:
    found = re.search(r"If you ask for help, give this number: ([0-9a-f]{8})<", page)
    assert found, page
    return found[1]


def test_the_lines_of_a_request_and_its_error_page_have_one_number(client: Client, log: Log) -> None:
    number = number_on(client.get("/app/surveys/fails").content.decode())
    lines = [line for line in log.text.splitlines() if "trouble" in line or "django.request" in line]
    assert len(lines) == 2
    assert all(f" [{number}]: " in line for line in lines)


def test_each_request_has_another_number_and_none_remains(client: Client, log: Log) -> None:
    numbers = {number_on(client.get("/app/surveys/fails").content.decode()) for _request in range(3)}
    assert len(numbers) == 3
    assert request_number.current() == ""
    LOG.warning("between requests")
    assert log.text.endswith(" WARNING surveys.trouble: between requests\n")


def test_a_refusal_is_one_line_and_of_a_respondent_none(client: Client, log: Log) -> None:
    assert client.get("/app/surveys/forbids").status_code == 403
    client.get("/a/forbids")
    assert log.text.count("\n") == 1
    assert log.text.endswith("]: Forbidden (Permission denied): /app/surveys/forbids\n")


def test_a_respondents_request_has_no_number_on_its_page_or_in_the_log(client: Client, log: Log) -> None:
    page = client.get("/a/fails").content.decode()
    assert "give this number" not in page
    assert "a respondent's page failed: RuntimeError at " in log.text
    assert not re.search(r"\[[0-9a-f]{8}\]", log.text)
    assert "its words" not in log.text


@pytest.mark.page
def test_an_outage_is_one_line_whatever_meets_it_and_its_count_once_it_is_over(
    client: Client, log: Log
) -> None:
    for second in range(480):
        log.now = second
        client.get("/a/away" if second % 3 else "/app/surveys/away")
        try:
            raise failure("psycopg")
        except Exception:
            LOG.warning("the tick lost the database", exc_info=True)
    assert log.text.endswith(" ERROR config.logs: the database does not answer\n")
    assert log.text.count("\n") == 1
    log.now += 60
    LOG.warning("later")
    assert log.text.splitlines()[1].endswith(" 959 times more: the database does not answer")
    assert "Traceback" not in log.text
    assert "away" not in log.text


@pytest.mark.parametrize("log", [logs.Json], indirect=True)
def test_in_json_each_record_is_one_line(client: Client, log: Log) -> None:
    number = number_on(client.get("/app/surveys/fails").content.decode())
    said, failed = map(json.loads, log.text.splitlines())
    assert {**said, "time": ""} == {
        "time": "",
        "level": "WARNING",
        "logger": "surveys.trouble",
        "message": "before it",
        "request": number,
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", said["time"])
    assert failed["exception"].startswith("Traceback")
    assert failed["request"] == number


def test_a_line_of_text_says_its_time_in_utc() -> None:
    record = logging.makeLogRecord({"msg": "x", "created": 1_800_000_000.25, "msecs": 250})
    assert logs.Plain().format(record).startswith("2027-01-15 08:00:00,250Z ")


@pytest.mark.parametrize("kind", logs.FORMATTERS)
def test_the_supervisor_writes_in_the_same_format(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(process_supervisor, "LOGS_JSON", kind == "json")
    warn("The worker ended")
    line = capsys.readouterr().err
    record = logging.LogRecord(
        "config.start.process_supervisor", logging.WARNING, "", 0, "The worker ended", (), None
    )
    digits = re.compile(r"\d")
    expected = logs.FORMATTERS[kind]().format(record) + "\n"
    assert digits.sub("0", line) == digits.sub("0", expected)


@pytest.mark.night
@pytest.mark.server
def test_a_worker_says_nothing_in_another_format(tmp_path: Path) -> None:
    env = {"SECRET_KEY": os.urandom(32).hex(), "ALLOWED_HOSTS": "127.0.0.1", "LOG_FORMAT": "json"}
    env |= {"TICK_SECONDS": "1", "DATABASE_URL": f"sqlite://{tmp_path}/candor.sqlite3"}
    servers.prepare({**servers.environment(VAR=str(tmp_path)), "VAR": str(tmp_path)})
    with supervised(tmp_path, ["serve", "--web", "0", "--workers", "1"], env) as serving:
        manage = {**serving.env, "PRODUCTION": "yes"}
        servers.wait(
            lambda: "True" in servers.manage(manage, "shell", "-v", "0", "-c", WARM), "a worker", pause=1
        )
        servers.manage(manage, "shell", "-v", "0", "-c", OF_ANOTHER_VERSION)
        serving.read_until("another version")
        serving.stop()
        assert serving.process.stdout
        text = "".join(serving.said) + serving.process.stdout.read()
    levels = {json.loads(line)["level"] for line in text.splitlines()}
    assert "WARNING" in levels
    assert "Traceback" not in text


WARM = "from jobs.models import Worker; print(Worker.objects.filter(warm=True).exists())"
OF_ANOTHER_VERSION = (
    "from config.celery import app; app.send_task('jobs.job_attempt', ('jobs.trial', '1'), retry=False)"
)
