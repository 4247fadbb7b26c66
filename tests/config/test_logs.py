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
from tests.product import supervise
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
    *(
        path(f"{room}/{view.__name__}", view)
        for room in ("app/surveys", "a")
        for view in (fails, away, forbids)
    ),
    *ours,
]
__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


class Log:
    """What the product would write, by a clock that is moved, and what `logger` alone writes into it."""

    def __init__(self, formatter: logging.Formatter) -> None:
        self.now, self.stream = 0.0, StringIO()
        self.handler = RepeatCountingHandler(lambda: self.now, self.stream)
        self.handler.setFormatter(formatter)
        for kind in (logs.OutageFilter, logs.RefusalTracebackFilter, logs.RespondentRequestFilter):
            self.handler.addFilter(kind())
        self.logger = logging.Logger("jobs", logging.INFO)
        self.logger.addHandler(self.handler)

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@pytest.fixture
def log(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    made = Log(getattr(request, "param", logs.PlainTextFormatter)())
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


def test_log_lines_of_a_request_and_its_error_page_share_a_number(client: Client, log: Log) -> None:
    """Each request has another, and none remains."""
    numbers = [number_on(client.get("/app/surveys/fails").text) for _request in range(3)]
    assert len(set(numbers)) == 3
    # What repeats within a minute is counted.
    lines = [line for line in log.lines if "trouble" in line or "django.request" in line]
    assert len(lines) == 2
    assert all(f" [{numbers[0]}]: " in line for line in lines)
    assert request_number.current() == ""
    LOG.warning("between requests")
    assert log.text.endswith(" WARNING surveys.trouble: between requests\n")


def test_refusal_is_one_log_line_and_a_respondents_none(client: Client, log: Log) -> None:
    assert client.get("/app/surveys/forbids").status_code == 403
    client.get("/a/forbids")
    assert log.text.count("\n") == 1
    assert log.text.endswith("]: Forbidden (Permission denied): /app/surveys/forbids\n")


def test_unknown_host_is_a_warning_without_traceback_and_repeats_are_counted(
    client: Client, log: Log
) -> None:
    for number in range(3):
        assert client.get("/app/account/sign-in", headers={"Host": f"odd{number}.example"}).status_code == 400
    lines = log.text.splitlines()
    assert [line for line in lines if "WARNING django.security.DisallowedHost" in line] == lines[:1]
    assert lines[0].endswith(": a request was refused: DisallowedHost")
    assert "odd" not in log.text
    assert len(lines) == 1


def test_respondent_request_has_no_number_on_page_or_in_log(client: Client, log: Log) -> None:
    page = client.get("/a/fails").text
    assert "give this number" not in page
    assert "a respondent's page failed: RuntimeError at " in log.text
    assert not re.search(r"\[[0-9a-f]{8}\]", log.text)
    assert "its words" not in log.text


@pytest.mark.page
def test_outage_is_one_log_line_and_its_count_when_over(client: Client, log: Log) -> None:
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
    assert log.lines[1].endswith(" 959 times more: the database does not answer")
    assert "Traceback" not in log.text
    assert "away" not in log.text


@pytest.mark.parametrize("log", [logs.JsonFormatter], indirect=True)
def test_json_log_record_is_one_line(client: Client, log: Log) -> None:
    number = number_on(client.get("/app/surveys/fails").text)
    said, failed = map(json.loads, log.lines)
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


def test_text_log_line_has_its_time_in_utc() -> None:
    record = logging.makeLogRecord({"msg": "x", "created": 1_800_000_000.25, "msecs": 250})
    assert logs.PlainTextFormatter().format(record).startswith("2027-01-15 08:00:00,250Z ")


@pytest.mark.parametrize("kind", logs.FORMATTERS)
def test_supervisor_logs_in_the_same_format(
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


# --- complaints that repeat ---------------------------------------------------------------------------


BARE = pytest.mark.parametrize("log", [lambda: logging.Formatter("%(message)s")], indirect=True, ids=["bare"])


@BARE
def test_complaint_repeated_a_thousand_times_is_two_lines(log: Log) -> None:
    for _ in range(1000):
        log.logger.error("a record could not be stored: %s", "OperationalError")
    assert log.lines == ["a record could not be stored: OperationalError"]
    log.now = 60
    log.logger.info("something else")
    told = ["999 times more: a record could not be stored: OperationalError", "something else"]
    assert log.lines[1:] == told


@BARE
def test_repeated_complaint_is_logged_once_a_minute_and_counted_at_the_end(log: Log) -> None:
    log.logger.error("once")
    for second in range(180):
        log.now = second
        log.logger.warning("full")
    log.logger.error("once")
    log.handler.close()
    assert log.lines == ["once", *["full", "59 times more: full"] * 2, "full", "once", "59 times more: full"]


@BARE
def test_different_complaints_and_information_are_all_logged(log: Log) -> None:
    for reference in ("a", "b"):
        log.logger.error("failed, reference %s", reference)
    log.logger.warning("failed, reference a")
    other = logging.Logger("mining")
    other.addHandler(log.handler)
    other.error("failed, reference a")
    for cause in (ValueError(), KeyError()):
        log.logger.error("failed, reference a", exc_info=cause)
    assert sum("failed, reference" in line for line in log.lines) == 6
    for _ in range(3):
        log.logger.info("a batch was sealed")
    assert log.lines.count("a batch was sealed") == 3


@BARE
def test_remembered_complaints_are_limited(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_COUNTED", 2)
    for number in range(4):
        for _ in range(2):
            log.logger.error("failed %s", number)
    assert log.lines == ["failed 0", "failed 1", "failed 2", "failed 2", "failed 3", "failed 3"]


def test_product_log_counts_repeats() -> None:
    assert any(isinstance(handler, RepeatCountingHandler) for handler in logging.getLogger().handlers)


# --- a worker ---------------------------------------------------------------------------------------------


WARM = "from jobs.models import Worker; print(Worker.objects.filter(warm=True).exists())"
OF_ANOTHER_VERSION = (
    "from config.celery import app; app.send_task('jobs.job_attempt', ('jobs.trial', '1'), retry=False)"
)


@pytest.mark.night
@pytest.mark.server
def test_worker_logs_in_no_other_format(tmp_path: Path) -> None:
    env = {"SECRET_KEY": os.urandom(32).hex(), "ALLOWED_HOSTS": "127.0.0.1", "LOG_FORMAT": "json"}
    env |= {"TICK_SECONDS": "1", "DATABASE_URL": f"sqlite://{tmp_path}/candor.sqlite3"}
    servers.prepare({**servers.environment(VAR=str(tmp_path)), "VAR": str(tmp_path)})
    with supervise(tmp_path, ["serve", "--web", "0", "--workers", "1"], env) as serving:
        manage = {**serving.env, "PRODUCTION": "yes"}
        shell = (manage, "shell", "-v", "0", "-c")
        servers.wait(lambda: "True" in servers.manage(*shell, WARM), "a worker", pause=1)
        servers.manage(*shell, OF_ANOTHER_VERSION)
        serving.read_until("another version")
        serving.stop()
        assert serving.process.stdout
        text = "".join(serving.said) + serving.process.stdout.read()
    levels = {json.loads(line)["level"] for line in text.splitlines()}
    assert "WARNING" in levels
    assert "Traceback" not in text
