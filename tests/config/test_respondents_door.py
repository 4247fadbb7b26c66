"""What the outermost layer lets through to the respondents' side, and what no log may hold."""

import logging
from typing import Any

import pytest
from django.test import RequestFactory

from config.door import forgets_respondents
from config.logs import NothingOfRespondents
from config.policy import EVERY_PAGE

TELLTALE = {
    "REMOTE_ADDR": "198.51.100.7",
    "REMOTE_PORT": "40000",
    "REMOTE_HOST": "home.example",
    "HTTP_USER_AGENT": "telltale",
    "HTTP_REFERER": "https://telltale.example/",
    "HTTP_COOKIE": "session=telltale",
    "HTTP_X_FORWARDED_FOR": "198.51.100.7",
    "HTTP_X_REAL_IP": "198.51.100.7",
    "HTTP_FORWARDED": "for=198.51.100.7",
    "HTTP_TRUE_CLIENT_IP": "198.51.100.7",
    "HTTP_CF_CONNECTING_IP": "198.51.100.7",
    "HTTP_VIA": "telltale",
    "HTTP_FROM": "telltale@example.org",
    "HTTP_AUTHORIZATION": "Basic telltale",
    "HTTP_SEC_CH_UA": "telltale",
    "HTTP_A_HEADER_INVENTED_TOMORROW": "telltale",
    "gunicorn.socket": "a socket that knows its peer",
}
NEEDED = {
    "REQUEST_METHOD": "POST",
    "PATH_INFO": "/a/x/record",
    "QUERY_STRING": "",
    "CONTENT_TYPE": "application/json",
    "CONTENT_LENGTH": "2",
    "HTTP_HOST": "candor.example",
    "HTTP_ACCEPT_LANGUAGE": "de",
    "HTTP_SEC_FETCH_SITE": "same-origin",
    "wsgi.url_scheme": "http",
    "wsgi.input": object(),
}


def through(
    environ: dict[str, Any], behind_proxy: bool = False
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    seen: dict[str, Any] = {}
    sent: list[tuple[str, str]] = []

    def inside(inner: dict[str, Any], start_response: Any) -> list[bytes]:
        seen.update(inner)
        start_response("200 OK", [("Set-Cookie", "a=b"), ("Content-Type", "text/plain")])
        return []

    def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        sent.extend(headers)

    forgets_respondents(inside, behind_proxy)({**environ}, start)
    return seen, sent


@pytest.mark.parametrize("path", ["/a/x/record", "/a/", "/a"])
def test_nothing_that_tells_who_asks_comes_through_to_the_respondents_side(path: str) -> None:
    seen, _ = through({**NEEDED, **TELLTALE, "PATH_INFO": path})
    assert seen.pop("REMOTE_ADDR") == ""
    assert set(seen) == set(NEEDED)


def test_no_cookie_is_set_on_the_respondents_side() -> None:
    _, sent = through({**NEEDED, **TELLTALE})
    assert sent == [("Content-Type", "text/plain")]


@pytest.mark.parametrize("path", ["/", "/account/sign-in", "/about/", "/surveys/a/"])
def test_other_pages_are_left_as_they_came(path: str) -> None:
    environ = {**NEEDED, **TELLTALE, "PATH_INFO": path}
    seen, sent = through(environ)
    assert seen == environ
    assert ("Set-Cookie", "a=b") in sent


@pytest.mark.parametrize(
    ("behind_proxy", "header", "scheme"),
    [(True, "https", "https"), (True, "http", "http"), (False, "https", "http")],
)
def test_the_scheme_is_believed_only_from_a_proxy_of_ours(
    behind_proxy: bool, header: str, scheme: str
) -> None:
    seen, _ = through({**NEEDED, "HTTP_X_FORWARDED_PROTO": header}, behind_proxy)
    assert seen["wsgi.url_scheme"] == scheme


def record(path: str, failing: bool) -> logging.LogRecord:
    try:
        raise ValueError("the answer was telltale")
    except ValueError as error:
        info = (type(error), error, error.__traceback__) if failing else None
    made = logging.LogRecord("django.request", logging.ERROR, __file__, 1, "Not found: %s", (path,), info)
    made.request = RequestFactory().get(path)
    return made


def test_a_respondents_request_is_not_logged() -> None:
    assert not NothingOfRespondents().filter(record("/a/telltale", failing=False))


def test_a_respondents_failure_is_logged_without_what_was_sent() -> None:
    made = record("/a/telltale", failing=True)
    assert NothingOfRespondents().filter(made)
    line = logging.Formatter("%(message)s").format(made)
    assert "telltale" not in line
    assert "ValueError at " in line
    assert "test_respondents_door.py" in line


def test_what_others_do_is_logged_as_it_is() -> None:
    made = record("/surveys/", failing=True)
    assert NothingOfRespondents().filter(made)
    assert made.getMessage() == "Not found: /surveys/"


def test_the_policy_allows_nothing_from_elsewhere_and_nothing_inline() -> None:
    rules = dict(rule.split(" ", 1) for rule in EVERY_PAGE.split("; "))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("img-src") == "'self' data:"
    assert set(rules.values()) <= {"'self'", "'none'"}
