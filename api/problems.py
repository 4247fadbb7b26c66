"""Every error of the API as problem details (RFC 9457)."""

from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, Throttled, ValidationError

from importing.faults import FileRefused
from importing.isolated import ReadersBusy
from surveys.models import DesignChanged
from surveys.questionnaire.problems import InputRefused, NotAllowed
from ui.errors import PROBLEMS, problem_details

Handler = Callable[[HttpRequest, Any], HttpResponse]


def register(api: NinjaAPI) -> None:
    for kind, handler in HANDLERS.items():
        api.add_exception_handler(kind, handler)


def refused(
    status: int, errors: Iterable[tuple[str, str]], detail: str = "", *, headers: dict[str, str] | None = None
) -> HttpResponse:
    """Each error is a place and a reason."""
    places = [{"path": path, "reason": reason} for path, reason in errors]
    detail = detail or _("What you sent was refused, and nothing was changed. See “errors”.")
    response = problem_details(status, detail, errors=places)
    for name, value in (headers or {}).items():
        response[name] = value
    return response


def _no_token(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    detail = _("Send a token that is valid: “Authorization: Bearer …”. You make one in your account.")
    response = problem_details(401, detail)
    response["WWW-Authenticate"] = "Bearer"
    return response


def _too_many(request: HttpRequest, error: Throttled) -> HttpResponse:
    detail = _("This token has asked too often. Try again in %(seconds)s seconds.") % {"seconds": error.wait}
    response = problem_details(429, detail)
    response["Retry-After"] = str(error.wait)
    return response


def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Without what was sent."""
    places = ((".".join(map(str, each["loc"][1:])), str(each["msg"])) for each in error.errors)
    return refused(422, places)


def _busy(request: HttpRequest, busy: ReadersBusy) -> HttpResponse:
    response = problem_details(503, str(busy))
    response["Retry-After"] = busy.RETRY_AFTER
    return response


HANDLERS: dict[type[Exception], Handler] = {
    AuthenticationError: _no_token,
    Throttled: _too_many,
    HttpError: lambda _request, error: problem_details(error.status_code, str(error)),
    ValidationError: _invalid,
    # The same whether there is no such thing or it is not this person's.
    Http404: lambda _request, _error: problem_details(
        404, _("There is no such thing, or you may not see it.")
    ),
    PermissionDenied: lambda _request, _error: problem_details(403, _("You may see this, but not do that.")),
    InputRefused: lambda _request, refusal: refused(409, refusal.problems),
    NotAllowed: lambda _request, refusal: problem_details(409, str(refusal)),
    FileRefused: lambda _request, refusal: refused(422, refusal.faults),
    ReadersBusy: _busy,
    RequestDataTooBig: lambda _request, _error: problem_details(413, PROBLEMS[413].title),
    RawPostDataException: lambda _request, _error: problem_details(415, _("Send JSON.")),
    DesignChanged: lambda _request, _error: problem_details(
        500, _("The stored design is not the one that was opened")
    ),
}
