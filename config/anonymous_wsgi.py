"""The outermost WSGI layer: removes what tells who is asking, except for pages that may know it."""

from collections.abc import Callable, Iterable
from typing import Any

from config import cookies
from ui import addresses

# All other headers are dropped, and so are new ones of proxies and servers.
ALLOWED = {
    "REQUEST_METHOD",
    "SCRIPT_NAME",
    "PATH_INFO",
    "QUERY_STRING",
    "CONTENT_TYPE",
    "CONTENT_LENGTH",
    "SERVER_NAME",
    "SERVER_PORT",
    "SERVER_PROTOCOL",
    "HTTP_HOST",
    "HTTP_ACCEPT",
    "HTTP_ACCEPT_ENCODING",
    "HTTP_ACCEPT_LANGUAGE",
    "HTTP_IF_NONE_MATCH",
    "HTTP_SEC_FETCH_SITE",
    "HTTP_SEC_FETCH_MODE",
}
OF_PROGRAMS = {"HTTP_AUTHORIZATION", "HTTP_IF_MATCH"}
"""What comes through to the API besides; a cookie does not, so no session is of any use there."""
AGAIN = "HTTP_CANDOR_AGAIN"
"""Says that a page was asked to wait before, and comes through as "1" alone (intake.endpoint.waiting)."""

SCRAPE = "HTTP_AUTHORIZATION"
"""Comes through to /metrics alone, which no person asks for."""

Headers = list[tuple[str, str]]
Start = Callable[..., Callable[[bytes], object]]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


def anonymized(application: Application, behind_proxy: bool) -> Application:
    def scrubbed(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        if behind_proxy:
            environ["wsgi.url_scheme"] = (
                "https" if environ.get("HTTP_X_FORWARDED_PROTO") == "https" else "http"
            )
        path = environ.get("PATH_INFO", "")

        def start(status: str, headers: Headers, exc_info: Any = None) -> Callable[[bytes], object]:
            return start_response(status, _with_cookies(path, headers), exc_info)

        return application(environ if addresses.carries_cookies(path) else _bare(environ), start)

    return scrubbed


def _bare(environ: dict[str, Any]) -> dict[str, Any]:
    allowed = {
        k: v for k, v in environ.items() if k in ALLOWED or k.startswith("wsgi.") or (k, v) == (AGAIN, "1")
    }
    if environ.get("PATH_INFO") == addresses.METRICS and SCRAPE in environ:
        allowed[SCRAPE] = environ[SCRAPE]
    if addresses.takes_tokens(environ.get("PATH_INFO", "")):
        allowed |= {k: v for k, v in environ.items() if k in OF_PROGRAMS}
    return {**allowed, "REMOTE_ADDR": ""}


def _with_cookies(path: str, headers: Headers) -> Headers:
    """Cookies may be set by pages that get cookies, and by the home page for those; a respondent's page sets none."""
    others = [(k, v) for k, v in headers if k.lower() != "set-cookie"]
    if path != addresses.HOME and not addresses.carries_cookies(path):
        return others
    lines = [line for k, v in headers if k.lower() == "set-cookie" for line in cookies.for_each_path(v)]
    return [*others, *(("Set-Cookie", line) for line in lines)]
