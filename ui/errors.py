"""Error pages and API errors: advice on the next step, without internal details."""

import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.utils.encoding import iri_to_uri
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy as _

from ui import cookie_and_log_paths, request_number

log = logging.getLogger(__name__)
PROBLEM_JSON = "application/problem+json"


@dataclass(frozen=True)
class ErrorText:
    title: str | Promise
    advice: str | Promise


PROBLEMS = {
    400: ErrorText(
        _("That request could not be understood"),
        _("Go back, reload the page and try once more. Nothing was changed."),
    ),
    403: ErrorText(
        _("You do not have access to this page"),
        _("If you think you should have access, ask the survey owner or your administrator."),
    ),
    404: ErrorText(
        _("There is no such page"),
        _(
            "The address may be mistyped, or this page no longer exists. Check the address, or"
            " start from the home page."
        ),
    ),
    413: ErrorText(
        _("That is too large"),
        _("What you sent is larger than this page accepts. Send a smaller file, or split it in two."),
    ),
    500: ErrorText(
        _("Sorry, there is a problem with this site"),
        _("We have recorded the problem. Wait a minute, then try again."),
    ),
    503: ErrorText(
        _("This site is not ready at the moment"),
        _("A part of it does not answer. What was saved is safe. Wait a minute, then try again."),
    ),
}
FORGERY = ErrorText(
    _("This page has expired"),
    _(
        "For your safety nothing was done. Allow cookies for this site, go back, reload"
        " the page and send it again."
    ),
)
NOT_STORED = ErrorText(
    _("Nothing can be stored at the moment"),
    _(
        "A disk of this site is full or cannot be written. What was saved is safe; what you sent just now was not."
        " Tell the administrator, then send it again."
    ),
)


def problem_page(
    request: HttpRequest,
    status: int,
    title: str | Promise = "",
    advice: str | Promise = "",
) -> HttpResponse:
    """Returns the error page for `status` (a key of PROBLEMS), or for a path of the API an API error.

    `title` and `advice` replace the texts of the status.
    """
    problem = PROBLEMS[status]
    if request.path.startswith(cookie_and_log_paths.API):
        return problem_details(request, status, advice or problem.title)
    context = {
        "status": status,
        "problem": ErrorText(title or problem.title, advice or problem.advice),
        "home": home_address(request),
    }
    # Where no cookie comes, the frame's forms could not work.
    has_frame = cookie_and_log_paths.carries_cookies(request.path)
    template = f"{status}.html" if has_frame else "ui/problem-bare.html"
    return render(request, template, context, status=status)


def problem_details(
    request: HttpRequest, status: int, detail: str | Promise, /, **members: Any
) -> HttpResponse:
    """Returns an API error (RFC 9457).

    `detail` is for people, in their language; programs use `status`, `type` and `errors`.
    """
    content = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": str(detail),
        "instance": iri_to_uri(request.path),
        **members,
    }
    return JsonResponse(content, status=status, content_type=PROBLEM_JSON)


def home_address(request: HttpRequest) -> str:
    """Returns the address of the home page for an error page; empty for respondents, who have no use for it."""
    return (
        "" if (request.path + "/").startswith(cookie_and_log_paths.RESPONDENTS) else cookie_and_log_paths.HOME
    )


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return problem_page(request, 413 if isinstance(exception, RequestDataTooBig) else 400)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return problem_page(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return problem_page(request, 404)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return problem_page(request, 403, FORGERY.title, FORGERY.advice)


def server_error(request: HttpRequest, status: int = 500, problem: ErrorText | None = None) -> HttpResponse:
    """Returns the page of an internal error, without account, database or working templates; for a path of the API, an
    API error.

    `problem` replaces the texts of the status.
    """
    problem = problem or PROBLEMS[status]
    if request.path.startswith(cookie_and_log_paths.API):
        number = request_number.current()
        return problem_details(
            request, status, f"{problem.title}. {problem.advice}", **({"request": number} if number else {})
        )
    context = {
        "problem": problem,
        "status": status,
        "language": get_language() or "en",
        "home": home_address(request),
        # Of an outage the log has one line, however many requests met it.
        "number": request_number.current() if status == 500 else "",
    }
    page: str
    try:
        page = loader.render_to_string("500.html", context)
    except Exception:
        log.exception("the page for errors could not be made")
        page = LAST_RESORT.format(**context)
    return HttpResponse(page, status=status)


LAST_RESORT = """<!doctype html><html lang="{language}"><meta charset="utf-8"><title>{problem.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><h1>{problem.title}</h1><p>{problem.advice}</p>
<p>{number}</p></html>"""
