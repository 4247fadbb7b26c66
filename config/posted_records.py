"""WSGI wrapper: answers what respondents' devices post, without the middleware that only other pages need."""

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.db import close_old_connections, reset_queries
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string

from config.remove_identifying_headers import Application, Start
from intake.endpoint.endpoint import read_posted_path

LAST = "intake.endpoint.endpoint.RecordMiddleware"
LEFT_OUT = {
    "ui.request_number.RequestNumber",
    "config.content_security_policy.StaticFileHeadersMiddleware",
    "config.lazy_static_file_serving.LateStaticFiles",
}
"""Middleware before the last one that changes nothing of these answers."""


def answer_posted_first(django: WSGIHandler) -> Application:
    """Wraps Django's handler, so that what devices post passes only the middleware that changes its answer.

    Redirects, security headers, error pages and metrics are those of Django's handler. Of the signals of a request none
    is sent: of what they do, only forgetting statements (with DEBUG) and closing old connections matters here.
    """
    answer: Callable[[HttpRequest], Any] = django.get_response
    for name in reversed(settings.MIDDLEWARE[: settings.MIDDLEWARE.index(LAST) + 1]):
        if name not in LEFT_OUT:
            answer = convert_exception_to_response(import_string(name)(answer))

    def application(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        if not read_posted_path(environ.get("PATH_INFO", "")):
            return django(environ, start_response)
        reset_queries()
        close_old_connections()
        response: HttpResponse = answer(WSGIRequest(environ))
        start_response(f"{response.status_code} {response.reason_phrase}", list(response.items()))
        return [response.content]

    return application
