"""The API, version 1: its operations, which call what the pages call, and its errors as problem details (RFC 9457)."""

from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, Throttled, ValidationError
from ninja.operation import Operation

from api.endpoints import drafts, results, surveys
from importing.faults import FileRefused
from importing.isolated_reader import ReadersBusy
from surveys.models import DesignChanged
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from ui.errors import PROBLEMS, problem_details

Handler = Callable[[HttpRequest, Any], HttpResponse]


class Version1(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Programs are generated from these ids, so they do not depend on the module of an operation."""
        assert operation.tags
        return f"api_endpoints_{operation.tags[0].lower()}_{operation.view_func.__name__}"


def _problem_details(status: int, errors: Iterable[tuple[str, str]]) -> HttpResponse:
    """Problem details with a path and a reason for each error."""
    places = [{"path": path, "reason": reason} for path, reason in errors]
    detail = _("What you sent was refused, and nothing was changed. See “errors”.")
    return problem_details(status, detail, errors=places)


def _on_bad_token(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    detail = _("Send a token that is valid: “Authorization: Bearer …”. You make one in your account.")
    response = problem_details(401, detail)
    response["WWW-Authenticate"] = "Bearer"
    return response


def _on_throttled(request: HttpRequest, error: Throttled) -> HttpResponse:
    detail = _("This token has asked too often. Try again in %(seconds)s seconds.") % {"seconds": error.wait}
    response = problem_details(429, detail)
    response["Retry-After"] = str(error.wait)
    return response


def _on_invalid_request(request: HttpRequest, error: ValidationError) -> HttpResponse:
    # The messages do not repeat what was sent.
    places = [(".".join(map(str, fault["loc"][1:])), str(fault["msg"])) for fault in error.errors]
    return _problem_details(422, places)


def _on_readers_busy(request: HttpRequest, busy: ReadersBusy) -> HttpResponse:
    response = problem_details(503, str(busy))
    response["Retry-After"] = busy.RETRY_AFTER
    return response


HANDLERS: dict[type[Exception], Handler] = {
    AuthenticationError: _on_bad_token,
    Throttled: _on_throttled,
    HttpError: lambda _request, error: problem_details(error.status_code, str(error)),
    ValidationError: _on_invalid_request,
    # The same text whether there is no such thing or this person may not see it.
    Http404: lambda _request, _error: problem_details(
        404, _("There is no such thing, or you may not see it.")
    ),
    PermissionDenied: lambda _request, _error: problem_details(403, _("You may see this, but not do that.")),
    InputRefused: lambda _request, refusal: _problem_details(409, refusal.problems),
    NotAllowed: lambda _request, refusal: problem_details(409, str(refusal)),
    FileRefused: lambda _request, refusal: _problem_details(422, refusal.faults),
    ReadersBusy: _on_readers_busy,
    RequestDataTooBig: lambda _request, _error: problem_details(413, PROBLEMS[413].title),
    RawPostDataException: lambda _request, _error: problem_details(415, _("Send JSON.")),
    DesignChanged: lambda _request, _error: problem_details(
        500, _("The stored design is not the one that was opened")
    ),
}

api = Version1(
    title="Candor",
    version="1",
    description="Surveys on sensitive questions, for programs. It gives what the pages give to the person of the token,"
    " and never records.",
    urls_namespace="v1",
    openapi_url=None,
    docs_url=None,
)
for exception, handler in HANDLERS.items():
    api.add_exception_handler(exception, handler)
for module in (surveys, drafts, results):
    api.add_router("", module.router)
urlpatterns, _app_name, _namespace = api.urls
