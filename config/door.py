"""The respondents' door: under /a/ nothing that tells who is asking comes through."""

from collections.abc import Callable, Iterable
from typing import Any

RESPONDENTS = "/a/"
# Whatever is not named here is dropped, so a proxy's or a server's newest header is dropped too.
KEPT = {
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
Start = Callable[..., Callable[[bytes], object]]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


def forgets_respondents(application: Application, behind_proxy: bool) -> Application:
    def scrubbed(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        if behind_proxy:
            environ["wsgi.url_scheme"] = (
                "https" if environ.get("HTTP_X_FORWARDED_PROTO") == "https" else "http"
            )
        if not (environ.get("PATH_INFO", "") + "/").startswith(RESPONDENTS):
            return application(environ, start_response)
        kept = {k: v for k, v in environ.items() if k in KEPT or k.startswith("wsgi.")}
        kept["REMOTE_ADDR"] = ""

        def start(
            status: str, headers: list[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], object]:
            headers = [(k, v) for k, v in headers if k.lower() != "set-cookie"]
            return start_response(status, headers, exc_info)

        return application(kept, start)

    return scrubbed
