"""What the outermost layer lets through to the respondents' side, and what no log may hold."""

import logging
from typing import Any

import pytest
from django.core.signing import get_cookie_signer
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import Resolver404, URLResolver, get_resolver, resolve
from django.utils import translation

from config.content_security_policy import EVERY_PAGE
from config.logs import RespondentRequestFilter
from config.remove_identifying_headers import anonymize_application, confine_cookie
from ui import cookie_and_log_paths

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
    "waitress.client_disconnected": "a method of a connection that knows its peer",
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


def call_anonymous_wsgi(
    environ: dict[str, Any], behind_proxy: bool = False
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    seen: dict[str, Any] = {}
    sent: list[tuple[str, str]] = []

    def inner_application(inner: dict[str, Any], start_response: Any) -> list[bytes]:
        seen.update(inner)
        start_response("200 OK", [("Set-Cookie", "a=b"), ("Content-Type", "text/plain")])
        return []

    def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        sent.extend(headers)

    anonymize_application(inner_application, behind_proxy)({**environ}, start)
    return seen, sent


# As a proxy, a person or a mistake may write the address of a respondent's page.
SIBLINGS = [
    *("//a/telltale", "///a//telltale", "/./a/telltale", "/x/../a/telltale", "/A/telltale", "/%61/telltale"),
    *("/app/surveys/../a/telltale", "/app/surveys//a/telltale", "/app/surveys/./../a/telltale"),
    *("/app/surveys/...", "/app/surveys/%2e%2e/a/telltale", "/app/surveys\\..\\a\\telltale", "\\a\\telltale"),
    *("/api/../a/telltale", "/api//a/telltale", "/apis/1/telltale", "/a/../surveys/telltale"),
    *("/ a/telltale", "/a;x/telltale", "/a\x00/telltale", "/\uff41/telltale", "/survey/a/telltale"),
    *("/http://candor.example/a/telltale", "a/telltale", "*", ""),
]


def test_request_does_not_begin_in_the_language_of_the_last_visitor() -> None:
    languages = list[str | None]()

    def inner_application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        languages.append(translation.get_language())
        translation.activate("zh-hans")
        return []

    start: Any = print
    for _ in range(2):
        anonymize_application(inner_application, False)({**NEEDED}, start)
    assert languages == ["en", "en"]


def test_anonymous_pages_get_nothing_that_identifies_the_visitor() -> None:
    for path in ("/a/x/record", "/a/", "/a", "/", "/healthz", "/static/a.js", *SIBLINGS):
        seen, _ = call_anonymous_wsgi({**NEEDED, **TELLTALE, "PATH_INFO": path})
        assert seen.pop("REMOTE_ADDR") == "", path
        assert set(seen) == set(NEEDED), path


def test_metrics_api_and_waiting_pages_get_only_what_they_need() -> None:
    """Programs get their token, no cookie comes or goes, and only one value says that a page has waited."""
    seen, _ = call_anonymous_wsgi({**NEEDED, **TELLTALE, "PATH_INFO": "/metrics"})
    assert set(seen) == {*NEEDED, "REMOTE_ADDR", "HTTP_AUTHORIZATION"}
    assert (
        "HTTP_AUTHORIZATION" not in call_anonymous_wsgi({**NEEDED, **TELLTALE, "PATH_INFO": "/metrics/"})[0]
    )
    theirs = {"HTTP_IF_MATCH": '"1"', "HTTP_IDEMPOTENCY_KEY": "k"}
    seen, sent = call_anonymous_wsgi({**NEEDED, **TELLTALE, "PATH_INFO": "/api/1/surveys", **theirs})
    learned = {**theirs, "HTTP_AUTHORIZATION": "Basic telltale", "REMOTE_ADDR": ""}
    assert {name: seen.pop(name) for name in learned} == learned
    assert set(seen) == set(NEEDED)
    assert sent == [("Content-Type", "text/plain")]
    assert call_anonymous_wsgi({**NEEDED, "HTTP_CANDOR_AGAIN": "1"})[0]["HTTP_CANDOR_AGAIN"] == "1"
    assert "HTTP_CANDOR_AGAIN" not in call_anonymous_wsgi({**NEEDED, "HTTP_CANDOR_AGAIN": "telltale"})[0]


def test_respondent_pages_set_no_cookie() -> None:
    for path in ("/a/x/record", "/a/", "/a", "/healthz", "/static/a.js", *SIBLINGS):
        _, sent = call_anonymous_wsgi({**NEEDED, **TELLTALE, "PATH_INFO": path, "HTTP_COOKIE": OLD})
        assert sent == [("Content-Type", "text/plain")], path


def test_other_pages_are_passed_unchanged() -> None:
    for path in ("account/sign-in", "limits", "surveys", "surveys/a/", "jobs/runs.run/7/"):
        environ = {**NEEDED, **TELLTALE, "PATH_INFO": f"/app/{path}"}
        seen, sent = call_anonymous_wsgi(environ)
        assert seen == environ, path
        assert ("Set-Cookie", "a=b; Path=/app") in sent, path


def test_scheme_header_is_trusted_only_from_our_proxy() -> None:
    for behind_proxy, header, scheme in (
        (True, "https", "https"),
        (True, "http", "http"),
        (False, "https", "http"),
    ):
        seen, _ = call_anonymous_wsgi({**NEEDED, "HTTP_X_FORWARDED_PROTO": header}, behind_proxy)
        assert seen["wsgi.url_scheme"] == scheme, (behind_proxy, header)


def record(path: str, failing: bool) -> logging.LogRecord:
    try:
        raise ValueError("the answer was telltale")
    except ValueError as error:
        info = (type(error), error, error.__traceback__) if failing else None
    made = logging.LogRecord("django.request", logging.ERROR, __file__, 1, "Not found: %s", (path,), info)
    made.request = RequestFactory().get(path)
    return made


def test_respondent_request_is_not_logged() -> None:
    for path in ("/a/telltale", "/a", *SIBLINGS):
        made = record(path, failing=False)
        made.request.path = path  # type: ignore[attr-defined]
        assert not RespondentRequestFilter().filter(made), path


def test_respondent_failure_is_logged_without_what_was_sent() -> None:
    made = record("/a/telltale", failing=True)
    assert RespondentRequestFilter().filter(made)
    line = logging.Formatter("%(message)s").format(made)
    assert "telltale" not in line
    assert "ValueError at " in line
    assert "test_anonymous_wsgi.py" in line


def test_other_requests_are_logged_unchanged() -> None:
    paths = ["/", "/healthz", "/api/1/surveys", "/app/surveys/", "/app/surveys"]
    for path in [*paths, "/app/admin/accounts/person/1/change/"]:
        made = record(path, failing=True)
        assert RespondentRequestFilter().filter(made), path
        assert made.getMessage() == f"Not found: {path}"
    # What no request caused, too; but the server of manage.py writes no access log.
    assert RespondentRequestFilter().filter(
        logging.LogRecord("jobs", logging.INFO, __file__, 1, "x", (), None)
    )
    assert logging.getLogger("django.server").getEffectiveLevel() > logging.ERROR


# --- which addresses there are ---------------------------------------------------------------------


def test_every_page_is_for_respondents_the_home_page_or_has_cookies() -> None:
    """By the first part of every address."""
    patterns = [str(each.pattern) for each in get_resolver().url_patterns]
    rooms = [each for each in get_resolver().url_patterns if isinstance(each, URLResolver)]
    patterns += [str(inner.pattern) for room in rooms if not str(room.pattern) for inner in room.url_patterns]
    first = {"/" + pattern.split("/")[0] for pattern in patterns}
    folders = (cookie_and_log_paths.RESPONDENTS, cookie_and_log_paths.PUBLIC, cookie_and_log_paths.API)
    known = {cookie_and_log_paths.APP, cookie_and_log_paths.HOME, *(folder.rstrip("/") for folder in folders)}
    assert {path for path in first if not path.startswith("/^")} == known


def test_cookie_path_covers_no_respondent_page() -> None:
    assert not cookie_and_log_paths.RESPONDENTS.startswith(f"{cookie_and_log_paths.APP}/")
    assert cookie_and_log_paths.APP.count("/") == 1


def test_short_address_redirects_to_the_page_and_no_other_is_short(client: Client) -> None:
    for path in ("/limits", "/account/home?next=/x", "/surveys/3/edit", "/admin/"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (301, f"/app{path}")
    for path in ("/app", "/app/"):
        assert client.get(path).headers["Location"] == "/app/account/home"
    for path in ("/surveysx", "/home", "/app/app/limits", "/apps"):
        with pytest.raises(Resolver404):
            resolve(path)


def test_path_carries_cookies_only_as_our_pages_are_written() -> None:
    ours = ["account/home", "surveys", "surveys/3/edit", "reports/1/pictures/error-keep.svg"]
    odd = ["account/..", "account/.", "account/.../x", "account//home", "../a/x"]
    others = ["/appx", "/surveys/", "/", "/a/account/home", *(f"/app/{path}" for path in odd)]
    assert [path for path in ours if not cookie_and_log_paths.carries_cookies(f"/app/{path}")] == []
    assert [path for path in others if cookie_and_log_paths.carries_cookies(path)] == []


# --- cookies ----------------------------------------------------------------------------------------

KEY = "x" * 32
MESSAGES = get_cookie_signer(salt="django.contrib.messages").sign_object(
    [["__json_message", 0, 25, "x" * 99]], compress=True
)
OLD = f"session={KEY}; csrf={KEY}; language=zh-hans; theme=dark; messages={MESSAGES}"


def test_cookie_gets_the_path_of_our_pages_unless_it_has_one() -> None:
    date = "expires=Thu, 01 Jan 2026 00:00:00 GMT"
    confined = {
        f"s=1; {date}; HttpOnly; Max-Age=43200; Path=/; SameSite=Lax; Secure": (
            f"s=1; {date}; HttpOnly; Max-Age=43200; SameSite=Lax; Secure; Path=/app"
        ),
        "s=1": "s=1; Path=/app",
        "s=1; Path=": "s=1; Path=; Path=/app",
        "s=1; Path=/app/jobs": "s=1; Path=/app/jobs",
    }
    assert {cookie: confine_cookie(cookie) for cookie in confined} == confined


def test_removing_a_cookie_removes_it_from_our_pages() -> None:
    response = HttpResponse()
    response.delete_cookie("__Secure-session", samesite="Lax")
    (line,) = (cookie.OutputString() for cookie in response.cookies.values())
    assert confine_cookie(line).endswith("; Path=/app")


def test_policy_allows_nothing_from_elsewhere_and_nothing_inline() -> None:
    rules = dict(rule.split(" ", 1) for rule in EVERY_PAGE.split("; "))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("img-src") == "'self' data:"
    assert set(rules.values()) <= {"'self'", "'none'"}
