"""What devices post is answered as Django's whole handler would answer it."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.db import connection
from pytest_django.fixtures import Settings

from config.posted_records import answer_posted_first
from config.remove_identifying_headers import Application
from intake.endpoint import endpoint
from intake.models import Inbox
from tests.intake import asked

pytestmark = [pytest.mark.page, pytest.mark.django_db]
ASKS = asked.design()
Answer = tuple[str, dict[str, str], bytes]


def answer(application: Application, path: str, body: str = "{}", **more: Any) -> Answer:
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": path,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(body.encode()),
    }
    heads: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        heads.append((status, headers))

    content = b"".join(application(environ | more, start))
    ((status, headers),) = heads
    assert len(dict(headers)) == len(headers)
    return status, dict(headers), content


def answer_of_both(path: str, *bodies: str, **more: Any) -> Answer:
    """Past most middleware and then by Django's whole handler, which answer alike; each gets a body of its own if there
    are two."""
    django = get_wsgi_application()
    applications: list[Application] = [answer_posted_first(django), django]
    first, whole = (
        answer(application, path, *bodies[index : index + 1], **more)
        for index, application in enumerate(applications)
    )
    assert first == whole, path
    return first


def test_stored_and_refused_records_get_answers_of_the_same_shape() -> None:
    path = f"/a/{asked.survey(ASKS).slug}/record"
    sent = [asked.envelope(ASKS).json for _ in range(2)]
    requests: list[tuple[str, tuple[str, ...], dict[str, str]]] = [
        ("201", tuple(sent), {}),
        ("200", tuple(sent), {}),
        ("422", (), {}),
        ("422", tuple(sent), {"CONTENT_TYPE": "text/plain"}),
        ("403", tuple(sent), {"HTTP_SEC_FETCH_SITE": "cross-site"}),
        ("413", (), {"CONTENT_LENGTH": "5000"}),
        ("405", (), {"REQUEST_METHOD": "GET"}),
    ]
    for status, bodies, more in requests:
        assert answer_of_both(path, *bodies, **more)[0].startswith(status)
    assert Inbox.objects.count() == 2
    _status, _headers, content = answer_of_both("/a/nothing-here/record")
    assert json.loads(content)["outcome"] == "no such survey"


def test_other_device_requests_are_answered_too() -> None:
    slug = asked.survey(ASKS).slug
    for name in ("exchange", "field/record", "field/device", "field/lot", "field/report"):
        _status, headers, _content = answer_of_both(f"/a/{slug}/{name}")
        assert headers["X-Content-Type-Options"] == "nosniff", name


def test_plain_http_record_is_redirected_to_https_with_hsts(settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 31_536_000
    path = f"/a/{asked.survey(ASKS).slug}/record"
    status, headers, _content = answer_of_both(path, HTTP_HOST="localhost")
    assert (status[:3], headers["Location"]) == ("301", f"https://localhost{path}")
    # A name that is not ours is refused before anybody is led to it.
    assert answer_of_both(path, HTTP_HOST="elsewhere.example")[0].startswith("400")
    _status, headers, _content = answer_of_both(path, **{"wsgi.url_scheme": "https"})
    assert headers["Strict-Transport-Security"].startswith("max-age=31536000")


def test_failing_record_request_gets_the_error_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_telltale_error(*_args: object) -> None:
        raise RuntimeError("telltale")

    monkeypatch.setattr(endpoint, "accept_request", raise_telltale_error)
    status, headers, content = answer_of_both(f"/a/{asked.survey(ASKS).slug}/record")
    assert status.startswith("500")
    assert "Content-Security-Policy" in headers
    assert b"telltale" not in content


def test_debug_query_log_is_cleared() -> None:
    connection.queries_log.append({"sql": "telltale"})
    answer(answer_posted_first(get_wsgi_application()), f"/a/{asked.survey(ASKS).slug}/record")
    assert not connection.queries_log


def test_record_request_is_counted_once_in_metrics(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[tuple[str, int]] = []

    class Times:
        def count_page_request(self, path: str, code: int, seconds: float) -> None:
            counted.append((path, code))

    monkeypatch.setattr("config.metrics.page.REQUEST_TIMES", Times())
    settings.MIDDLEWARE = ["config.metrics.page.MetricsMiddleware", *settings.MIDDLEWARE]
    path = f"/a/{asked.survey(ASKS).slug}/record"
    answer_of_both(path)
    assert counted == [(path, 422)] * 2


def test_other_addresses_go_to_django() -> None:
    passed: list[str] = []

    class Handler(WSGIHandler):
        def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
            passed.append(environ["PATH_INFO"])
            start_response("200 OK", [])
            return []

    application = answer_posted_first(Handler())
    paths = ["/", "/a/x", "/a/x/form", "/a/x/record/", "/a/x/records", "/app/a/x/record", "//a/x/record", ""]
    for path in paths:
        answer(application, path)
    assert passed == paths
