"""Gives each request a random number, in its log lines and on its error page, so that a person can name it to
the operator.

Requests of respondents have none: it would tie a line of a log to one of them.
"""

import secrets
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from ui import cookie_and_log_paths

_number: ContextVar[str] = ContextVar("request number", default="")
current = _number.get


class RequestNumber:
    """Middleware, before all others: gives each request a random number for the log, except requests of respondents."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        numbered = cookie_and_log_paths.carries_cookies(path) or cookie_and_log_paths.takes_tokens(path)
        before = _number.set(secrets.token_hex(4) if numbered else "")
        try:
            return self.get_response(request)
        finally:
            _number.reset(before)
