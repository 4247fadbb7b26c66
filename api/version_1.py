"""The API, version 1: its operations, which call the same functions as the pages, and its errors as problem
details (RFC 9457)."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, Throttled, ValidationError
from ninja.operation import Operation
from ninja.parser import Parser

from accounts import site_address
from api.endpoints import (
    drafts,
    file_downloads,
    questionnaire_imports,
    rehearsals_and_invitations,
    runs_and_reports,
    surveys,
)
from api.endpoints.operation_base import finish_response
from api.idempotency import KeyInUse, KeyReused, Replayed
from importing.faults import FileRefused
from importing.isolated_reader import ReadersBusy, busy_response
from privacy.grammar.json_text import parse_json
from surveys.models import DesignChanged
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from surveys.signed_in_view import tampered_design_text
from ui.errors import PROBLEMS, problem_details, server_error

Handler = Callable[[HttpRequest, Any], HttpResponse]
log = logging.getLogger(__name__)


class BoundedParser(Parser):
    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        members: dict[str, Any] = parse_json(request.body, "body")
        return members


class Version1(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Returns the operation's name in camel case, such as listSurveys for list_surveys: client programs
        are generated from it."""
        verb, *nouns = operation.view_func.__name__.split("_")
        return verb + "".join(map(str.capitalize, nouns))


def _refusal_response(request: HttpRequest, status: int, errors: Iterable[tuple[str, str]]) -> HttpResponse:
    """Returns an error response (problem details) with a path and a reason for each error."""
    places = [{"path": path, "reason": reason} for path, reason in errors]
    detail = _("What you sent was refused, and nothing was changed. See “errors”.")
    return problem_details(request, status, detail, errors=places)


def _on_bad_token(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    detail = _("Send a token that is valid: “Authorization: Bearer …”. You make one in your account.")
    response = problem_details(request, 401, detail)
    response["WWW-Authenticate"] = "Bearer"
    return response


def _on_throttled(request: HttpRequest, error: Throttled) -> HttpResponse:
    detail = _("This token has asked too often. Try again in %(seconds)s seconds.") % {"seconds": error.wait}
    response = problem_details(request, 429, detail)
    response["Retry-After"] = str(error.wait)
    return response


def _on_invalid_request(request: HttpRequest, error: ValidationError) -> HttpResponse:
    # The messages do not repeat what was sent.
    places = [(".".join(map(str, fault["loc"][1:])), str(fault["msg"])) for fault in error.errors]
    return _refusal_response(request, 422, places)


def _on_readers_busy(request: HttpRequest, busy: ReadersBusy) -> HttpResponse:
    return busy_response(problem_details(request, 503, str(busy)), busy)


def _on_changed_design(request: HttpRequest, changed: DesignChanged) -> HttpResponse:
    log.critical("%s", changed)
    return server_error(request, problem=tampered_design_text(changed))


def _on_missing(request: HttpRequest, _error: Exception) -> HttpResponse:
    """Returns the same 404 text whether the object never existed, this person may not see it, or it has just
    been deleted."""
    return problem_details(request, 404, _("There is no such thing, or you may not see it."))


def _on_key_reused(request: HttpRequest, _error: KeyReused) -> HttpResponse:
    detail = _("Another request was sent with this Idempotency-Key. Send this one with a new key.")
    return problem_details(request, 422, detail, type=f"{reverse('api:reference')}#key-reused")


def _on_key_in_use(request: HttpRequest, _error: KeyInUse) -> HttpResponse:
    detail = _("The first request with this Idempotency-Key runs, or was cut off. Look whether it was done.")
    return problem_details(request, 409, detail, type=f"{reverse('api:reference')}#key-in-use")


HANDLERS: dict[type[Exception], Handler] = {
    AuthenticationError: _on_bad_token,
    Throttled: _on_throttled,
    HttpError: lambda request, error: problem_details(request, error.status_code, str(error)),
    ValidationError: _on_invalid_request,
    Http404: _on_missing,
    ObjectDoesNotExist: _on_missing,
    PermissionDenied: lambda request, _error: problem_details(
        request, 403, _("You may see this, but not do that.")
    ),
    InputRefused: lambda request, refusal: _refusal_response(request, 409, refusal.problems),
    NotAllowed: lambda request, refusal: problem_details(request, 409, str(refusal)),
    FileRefused: lambda request, refusal: _refusal_response(request, 422, refusal.faults),
    ReadersBusy: _on_readers_busy,
    RequestDataTooBig: lambda request, _error: problem_details(request, 413, PROBLEMS[413].title),
    DesignChanged: _on_changed_design,
    KeyReused: _on_key_reused,
    KeyInUse: _on_key_in_use,
    Replayed: lambda _request, replayed: replayed.response,
}

api = Version1(
    title="Candor",
    version="1",
    description="Surveys on sensitive questions, for programs. It gives what the pages give to the person of the token:"
    " records only in a file that a reviewer has allowed.",
    urls_namespace="v1",
    openapi_url=None,
    docs_url=None,
    parser=BoundedParser(),
    servers=[{"url": site_address.site_url()}],
)
api.add_decorator(finish_response, mode="view")
for exception, handler in HANDLERS.items():
    api.add_exception_handler(exception, handler)
for module in (
    surveys,
    drafts,
    questionnaire_imports,
    rehearsals_and_invitations,
    runs_and_reports,
    file_downloads,
):
    api.add_router("", module.router)
urlpatterns, _app_name, _namespace = api.urls
