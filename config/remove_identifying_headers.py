"""WSGI wrapper: removes headers that identify the user, except for pages that may know them, and what the thread
remembers of the visitor before."""

from collections.abc import Callable, Iterable
from typing import Any

from django.utils import translation

from ui import cookie_and_log_paths

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
API = {"HTTP_AUTHORIZATION", "HTTP_IDEMPOTENCY_KEY", "HTTP_IF_MATCH"}
"""Further headers that are passed on to the API. Cookies are not, so sessions do not work there."""
METRICS = {"HTTP_AUTHORIZATION"}
"""Further header that is passed on to /metrics, which programs read."""
ASKED_TO_WAIT_HEADER = ("HTTP_CANDOR_AGAIN", "1")
"""Header and value with which a page says that it was asked to wait before (intake.endpoint.people_asked_to_wait); any
other value is removed."""

Headers = list[tuple[str, str]]
Start = Callable[..., Callable[[bytes], object]]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


def anonymize_application(application: Application, behind_proxy: bool) -> Application:
    """Wraps the WSGI application, so that headers which identify a visitor do not reach most pages."""

    def anonymous_application(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        if behind_proxy:
            environ["wsgi.url_scheme"] = (
                "https" if environ.get("HTTP_X_FORWARDED_PROTO") == "https" else "http"
            )
        path = environ.get("PATH_INFO", "")
        # A page for which no language is chosen, of an error for example, is not in that of the visitor before.
        translation.deactivate()

        def start(status: str, headers: Headers, exc_info: Any = None) -> Callable[[bytes], object]:
            return start_response(status, drop_forbidden_cookies(path, headers), exc_info)

        return application(
            environ if cookie_and_log_paths.carries_cookies(path) else remove_identifying_headers(environ),
            start,
        )

    return anonymous_application


def remove_identifying_headers(environ: dict[str, Any]) -> dict[str, Any]:
    path, allowed = environ.get("PATH_INFO", ""), ALLOWED
    if path == cookie_and_log_paths.METRICS:
        allowed = ALLOWED | METRICS
    elif cookie_and_log_paths.takes_tokens(path):
        allowed = ALLOWED | API
    kept = {
        k: v
        for k, v in environ.items()
        if k in allowed or k.startswith("wsgi.") or (k, v) == ASKED_TO_WAIT_HEADER
    }
    return {**kept, "REMOTE_ADDR": ""}


def drop_forbidden_cookies(path: str, headers: Headers) -> Headers:
    """Returns the response headers without Set-Cookie, for pages that must not get cookies.

    The home page may set cookies for other pages.
    """
    others = [(k, v) for k, v in headers if k.lower() != "set-cookie"]
    if path != cookie_and_log_paths.HOME and not cookie_and_log_paths.carries_cookies(path):
        return others
    cookies = [("Set-Cookie", confine_cookie(v)) for k, v in headers if k.lower() == "set-cookie"]
    return [*others, *cookies]


def confine_cookie(cookie: str) -> str:
    """Returns a Set-Cookie header restricted to the pages that may know the user, not those of respondents.

    A cookie with another path keeps it.
    """
    pieces = cookie.split("; ")
    if any(piece.lower().startswith("path=/") and piece[5:] != "/" for piece in pieces):
        return cookie
    return "; ".join(
        [*(piece for piece in pieces if piece.lower() != "path=/"), f"Path={cookie_and_log_paths.APP}"]
    )
