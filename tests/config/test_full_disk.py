"""A disk without room or that can only be read: 503 in words for everybody, one line of log, and nothing half written.

In process the database is a real SQLite, which PRAGMAs let run full or make read-only, and files meet the limit of
their size. At night the disks are file systems of their own (tests/config/test_small_disks.py).
"""

import errno
import json
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management.base import CommandError
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from kombu.exceptions import ChannelError
from pytest_django.fixtures import Settings
from waitress.adjustments import Adjustments

from accounts.models import Person
from config import health, server_error_handler, web_server
from config.metrics import capacity_benchmark_result, request_times
from config.start import start_preparation
from config.urls import handler400, handler403, handler404, handler500, urlpatterns as ours
from intake.endpoint import endpoint
from intake.endpoint.last_store_failure import StoreFailures
from intake.recordfiles import as_spss_and_stata, download
from jobs.celery_file_transport import FolderChannel
from jobs.health import HealthFinding
from proof.management.commands import prove
from tests.api.conftest import program
from tests.config.test_logs import Log, log
from tests.importing.conftest import read_here
from tests.intake import asked
from tests.surveys import drafts

__all__ = ["handler400", "handler403", "handler404", "handler500", "log", "read_here", "urlpatterns"]
pytestmark = pytest.mark.page
MOST = 500
"""Rows that find room where no page can be added."""
SENTENCE = "A disk of this site is full or cannot be written."


def is_full(request: HttpRequest) -> HttpResponse:
    raise OSError(errno.ENOSPC, "No space left on device")


def can_only_be_read(request: HttpRequest) -> HttpResponse:
    raise OSError(errno.EROFS, "Read-only file system")


OWN = {"a/full": is_full, "a/read-only": can_only_be_read, "app/surveys/full": is_full}
urlpatterns = [*(path(place, view) for place, view in OWN.items()), *ours]


@contextmanager
def pragma(name: str, value: int) -> Iterator[None]:
    run = connection.connection.execute
    usual = run(f"PRAGMA {name}").fetchone()[0]
    run(f"PRAGMA {name} = {value}")
    try:
        yield
    finally:
        run(f"PRAGMA {name} = {usual}")


def full_database() -> AbstractContextManager[None]:
    """No page can be added to the database, and those that it has are nearly full."""
    return pragma("max_page_count", connection.connection.execute("PRAGMA page_count").fetchone()[0])


def read_only() -> AbstractContextManager[None]:
    return pragma("query_only", 1)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file of this process can be longer, as if the disk were full."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def until_refused(ask: Callable[[], Any]) -> Any:
    for _ in range(MOST):
        with transaction.atomic():
            answer = ask()
        if answer.status_code >= 400:
            break
    return answer


def warnings(log: Log) -> list[str]:
    return [line for line in log.text.splitlines() if " INFO " not in line]


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> StoreFailures:
    made = StoreFailures()
    monkeypatch.setattr(server_error_handler, "UNWRITABLE", made)
    monkeypatch.setattr(health, "UNWRITABLE", made)
    monkeypatch.setattr(endpoint, "UNSTORED", StoreFailures())
    return made


DISKS = pytest.mark.parametrize(
    ("disk", "words"),
    [(full_database, "the disk of the database is full"), (read_only, "the database can only be read")],
)


# --- the database ---------------------------------------------------------------------------------------------------


@DISKS
@pytest.mark.django_db
def test_staff_page_on_a_full_disk_says_nothing_was_stored_and_logs_one_line(
    disk: Any, words: str, owner: Person, log: Log, memory: StoreFailures
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(owner, "django.contrib.auth.backends.ModelBackend")
    form = {"title": "Work and health", "language": "en"}
    with disk():
        answers = [until_refused(lambda: client.post("/app/surveys/new", form)) for _ in range(3)]
        assert client.get("/app/surveys/").status_code == 200, "what is stored can be read"
        assert health.check_database() == HealthFinding(False, "cannot be written")
    for answer in answers:
        assert (answer.status_code, answer["Retry-After"]) == (503, "10")
        page = answer.text
        assert "<h1>Nothing can be stored at the moment</h1>" in page
        assert SENTENCE in page
        assert "give this number" not in page
    (line,) = warnings(log)
    assert line.endswith(f"ERROR config.logs: {words}")
    assert health.check_database() == HealthFinding(False, "cannot be written")
    assert client.post("/app/surveys/new", form).status_code == 302
    assert health.check_database() == HealthFinding(True, "answers"), "what was stored says so at once"


@DISKS
@pytest.mark.django_db
def test_api_on_a_full_disk_answers_problem_details(
    disk: Any, words: str, owner: Person, log: Log, memory: StoreFailures, read_here: None
) -> None:
    client = program(owner)
    cache.clear()
    draft = json.dumps(drafts.complete(intro={"en": "words " * 2000}))
    with disk():
        answer = until_refused(lambda: client.post("/api/1/surveys", draft, content_type="application/json"))
    assert (answer.status_code, answer["Retry-After"]) == (503, "10"), answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert SENTENCE in answer.json()["detail"]
    assert len(warnings(log)) == 1


@pytest.mark.django_db
def test_sign_in_on_a_full_disk_blames_no_guessing(owner: Person, memory: StoreFailures) -> None:
    cache.clear()
    client = Client(raise_request_exception=False)
    with read_only():
        answer = client.post("/app/account/sign-in", {"username": "nobody", "password": "guess"})
    assert answer.status_code == 503
    assert SENTENCE in answer.text


@DISKS
@pytest.mark.django_db
def test_record_on_a_full_disk_is_to_be_sent_again(
    disk: Any, words: str, log: Log, memory: StoreFailures
) -> None:
    asks = asked.design()
    survey = asked.survey(asks)
    with disk():
        answer = until_refused(lambda: asked.post(survey, asked.envelope(asks)))
    assert (answer.status_code, json.loads(answer.content)["outcome"]) == (503, "cannot be stored now")
    (line,) = warnings(log)
    # In the transaction of a test SQLite takes back all of it, and Django refuses the next statement.
    cause = words if disk is read_only else "TransactionManagementError"
    assert line.endswith(f"a record could not be stored: {cause}")


def test_respondent_form_on_a_full_disk_says_so(log: Log, memory: StoreFailures, settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__
    for place, lines in (("/a/full", 1), ("/a/read-only", 2), ("/app/surveys/full", 2)):
        answer = Client(raise_request_exception=False).get(place, headers={"accept-language": "en"})
        assert (answer.status_code, answer["Retry-After"]) == (503, "10")
        assert SENTENCE in answer.text
        assert log.text.count("\n") == lines
    assert not memory.failed_recently(), "the database was written"


# --- files ----------------------------------------------------------------------------------------------------------


def test_unstorable_upload_is_refused_after_it_was_received(log: Log) -> None:
    """Of a long body and of what comes after it on the same connection."""
    size = 2_000_000
    parser = web_server.Parser(Adjustments(inbuf_overflow=524_288))  # type: ignore[no-untyped-call]
    parser.received(f"POST /app/surveys/import HTTP/1.1\r\nContent-Length: {size}\r\n\r\n".encode())
    taken = 0
    with files_of_at_most(1_000_000):
        while taken < size:
            assert not parser.completed
            taken += parser.received(b"x" * 65_536)
    assert (taken, parser.completed) == (size, True)
    status, headers, body = parser.error.to_response()
    assert status == "503 Service Unavailable"
    assert ("Retry-After", "10") in headers
    assert body.startswith(b"The disk of this site is full, and what you sent was not saved.")
    assert log.text.splitlines()[0].endswith("an upload cannot be kept while it arrives: the disk is full")
    parser.close()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_record_file_without_room_is_no_server_error(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The library says it in words that we know."""
    import pandas as pd
    import pyreadstat

    rows = pd.DataFrame({"a": range(20_000)})
    with files_of_at_most(20_000), pytest.raises(pyreadstat.ReadstatError, match=f"^{download.UNWRITTEN}$"):
        pyreadstat.write_sav(rows, tmp_path / "a.sav")
    for words, raised in ((download.UNWRITTEN, OSError), ("another", pyreadstat.ReadstatError)):

        def refuse(*args: object, words: str = words) -> None:
            raise pyreadstat.ReadstatError(words)

        monkeypatch.setattr(as_spss_and_stata, f"write_{kind}", refuse)
        with pytest.raises(raised) as failed:
            download._write_record_file(None, kind, "en")  # type: ignore[arg-type]
        assert (getattr(failed.value, "errno", None) == errno.ENOSPC) == (raised is OSError)


def test_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    first, second = (SimpleNamespace(isoformat=lambda day=day: f"2026-11-{day}") for day in (28, 29))
    write: list[Callable[[str, Any], None]] = [
        lambda text, _day: start_preparation.write_atomically(tmp_path / "known", text),
        lambda text, day: capacity_benchmark_result.store_capacity(tmp_path, len(text), day),
    ]
    for function in write:
        function("before", first)
    was = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert was.keys() == {capacity_benchmark_result.FILE, "known"}
    for function in write:
        with files_of_at_most(10), pytest.raises(OSError, match="File too large"):
            function("after" * 9, second)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == was


def test_queue_message_without_room_leaves_nothing(tmp_path: Path) -> None:
    channel, options = FolderChannel.__new__(FolderChannel), {"data_folder_in": str(tmp_path)}
    channel.connection = SimpleNamespace(client=SimpleNamespace(transport_options=options))  # type: ignore[assignment]
    with files_of_at_most(100), pytest.raises(ChannelError, match="File too large"):
        channel._put("candor", {"body": "x" * 1000})
    assert list(tmp_path.iterdir()) == []


def test_incompletely_collected_static_files_are_collected_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where an earlier version, whose digest is known, starts again."""
    digests, collected = iter(["old", "new", "old"]), list[str]()

    def collect(*args: object, **options: object) -> None:
        collected.append("")
        if len(collected) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(start_preparation, "static_digest", lambda: next(digests))
    monkeypatch.setattr("django.core.management.call_command", collect)
    start_preparation.collect_static(tmp_path, with_brotli=False)
    with pytest.raises(OSError, match="No space"):
        start_preparation.collect_static(tmp_path, with_brotli=False)
    start_preparation.collect_static(tmp_path, with_brotli=False)
    assert len(collected) == 3


def test_unwritable_proof_is_refused_in_one_line(tmp_path: Path, db: None) -> None:
    words = r"cannot be written \(File too large\); --out"
    options: dict[str, Any] = {"survey": "none", "address": "http://127.0.0.1", "logs": []}
    with files_of_at_most(10), pytest.raises(CommandError, match=words):
        prove.Command().handle(**options, source=tmp_path, out=tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_requests_without_room_for_counts_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with holes would end the process: the kernel finds no room for what is written through memory."""
    monkeypatch.setenv(request_times.FOLDER, str(tmp_path))
    request_times._reserve_counts_file.cache_clear()
    file = tmp_path / f"histogram_{os.getpid()}.db"
    with files_of_at_most(1000):
        assert not request_times.reserve_counts_space()
    assert request_times.reserve_counts_space()
    assert file.stat().st_blocks * 512 >= request_times.COUNTS_BYTES
    request_times._reserve_counts_file.cache_clear()
