"""The client `candor.client`, against the application behind a small server."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from candor.client import Candor, ProblemError
from intake.rehearsal.models import Simulation
from reports.models import Review
from reports.review import report_state_changes
from surveys.models import Survey
from tests.api.conftest import as_served, secret_of
from tests.api.test_imports import DICTIONARY
from tests.jobs.conftest import attempt
from tests.reports import made
from tests.reports.conftest import accept
from tests.servers import ROOT
from tests.surveys import drafts
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]


class Silent(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


def ask_running_server(ask: Callable[[str], Any]) -> Any:
    """What `ask` returns, which runs beside a server that has this test's transaction; it is told the address."""
    with (
        make_server("127.0.0.1", 0, as_served(), handler_class=Silent) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        server.timeout = 0.05
        asked = pool.submit(ask, f"http://127.0.0.1:{server.server_port}")
        while not asked.done():
            server.handle_request()
    return asked.result()


def test_client_makes_a_survey_from_a_draft_and_opens_it(owner: Person) -> None:
    token = secret_of(owner)

    def create_and_open(site: str) -> tuple[int, bool, str]:
        candor = Candor(site, token)
        survey = candor.create_survey(drafts.complete(contact=""))
        with pytest.raises(ProblemError, match="contact: required"):
            candor.open_survey(survey)
        candor.change_draft(survey, contact="council@example.org")
        return survey, candor.checks(survey)["ready"], candor.open_survey(survey)

    pk, ready, address = ask_running_server(create_and_open)
    survey = Survey.objects.get(owner=owner, state=Survey.State.OPEN)
    assert (pk, ready, address) == (survey.pk, True, f"http://testserver{survey.address}")


def test_client_imports_lists_rehearses_and_deletes(owner: Person, tmp_path: Path) -> None:
    token, file = secret_of(owner), tmp_path / "dictionary.csv"
    file.write_bytes(DICTIONARY)

    def import_and_rehearse(site: str) -> tuple[int, int, list[str]]:
        candor = Candor(site, token)
        assert candor.import_questionnaire(file)["survey"] is None
        ends = {"debt": {"low": 100, "high": 600}}
        brought = candor.import_questionnaire(file, draft=True, plain=["sex"], ends=ends)["survey"]["id"]
        ready = candor.create_survey(drafts.complete(expected=300))
        rehearsal = candor.start_rehearsal(ready)["survey"]
        assert candor.rehearsal(rehearsal)["state"] == "queued"
        candor.delete_draft(brought)
        states = [survey["state"] for survey in candor.surveys(kind="survey")]
        with pytest.raises(ProblemError) as refused:
            candor.delete_draft(rehearsal)
        assert refused.value.status == 409
        return brought, rehearsal, states

    brought, rehearsal, states = ask_running_server(import_and_rehearse)
    assert Survey.objects.get(pk=brought).draft == {}
    assert states == ["draft"]
    assert attempt(Simulation.objects.get(survey=rehearsal))


def test_client_fetches_a_published_report(owner: Person, reviewer: Person) -> None:
    run = made.run(made.survey(owner))
    report_state_changes.create_reviews_of_finished_runs(timezone.now())
    review, token = Review.objects.get(run=run), secret_of(owner)
    with pytest.raises(ProblemError) as refused:
        ask_running_server(lambda site: Candor(site, token).report(review.pk))
    assert refused.value.status == 403
    accept(review, reviewer, 1)
    report_state_changes.publish(review, reviewer, ["age"], "", NOW)
    report = ask_running_server(lambda site: Candor(site, token).report(review.pk))
    reader = Client()
    reader.force_login(owner, "django.contrib.auth.backends.ModelBackend")
    assert report == json.loads(reader.get(f"/app/reports/{review.pk}/files/json").content)
    zipped = ask_running_server(
        lambda site: Candor(site, token).deposit(review.pk, "OSF", contact="olga@example.org")
    )
    assert zipped.startswith(b"PK")


class Flaky(Candor):
    """Loses the first answer to each request, after the site has done it."""

    def __init__(self, site: str, token: str, lost: type[OSError]) -> None:
        super().__init__(site, token)
        self.lost = set[str]()
        opened = self.opener.open

        def lose_answer(request: Any, **options: Any) -> Any:
            answer, key = opened(request, **options), request.get_header("Idempotency-key", "")
            if key not in self.lost:
                self.lost.add(key)
                raise lost
            return answer

        self.opener.open = lose_answer  # type: ignore[method-assign,assignment]


@pytest.mark.parametrize("lost", [TimeoutError, ConnectionResetError])
def test_client_retry_after_a_lost_answer_makes_no_second_survey(owner: Person, lost: type[OSError]) -> None:
    token = secret_of(owner)
    pk = ask_running_server(lambda site: Flaky(site, token, lost).create_survey(drafts.complete()))
    assert [survey.pk for survey in Survey.objects.all()] == [pk]


def refused_with(monkeypatch: pytest.MonkeyPatch, status: int, reason: str, **headers: str) -> str:
    """What the client says of a site that answers every request like this, without a problem in JSON."""
    candor, head = Candor("https://survey.example.org", "candor_token"), Message()
    for name, value in headers.items():
        head[name.replace("_", "-")] = value

    def refuse(request: Any, **_options: Any) -> Any:
        raise HTTPError(request.full_url, status, reason, head, BytesIO())

    monkeypatch.setattr(candor.opener, "open", refuse)
    with pytest.raises(ProblemError) as refused:
        candor.report(7)
    return str(refused.value)


def test_client_error_without_problem_details_has_the_words_of_its_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert refused_with(monkeypatch, 301, "Moved Permanently") == "301 Moved Permanently"
    assert refused_with(monkeypatch, 502, "Bad Gateway", Content_Type="text/html") == "502 Bad Gateway"


def test_client_waits_as_long_as_the_site_says_or_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    refused_with(monkeypatch, 503, "Busy", Retry_After="Wed, 21 Oct 2026 07:28:00 GMT")
    refused_with(monkeypatch, 503, "Busy", Retry_After="2")
    refused_with(monkeypatch, 503, "Busy")
    assert waited == [5, 5, 2, 2, 5, 5]


def test_client_program_names_missing_arguments() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{closed.getsockname()[1]}"
        for words, token, said in (
            ((), "x", "python -m candor.client https://survey.example.org create draft.json"),
            (("--help",), "x", "python -m candor.client https://survey.example.org create draft.json"),
            ((nowhere, "report", "7"), "", "CANDOR_TOKEN is not set"),
            ((nowhere, "report", "7"), "x", "Connection refused"),
            ((nowhere, "create", "/none.json"), "x", "No such file or directory: '/none.json'"),
            (("survey.example.org", "report", "7"), "x", "unknown url type"),
        ):
            command = [sys.executable, "-m", "candor.client", *words]
            env = os.environ | {"CANDOR_TOKEN": token}
            done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
            assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (1, True, False), (
                words
            )
