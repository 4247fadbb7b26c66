"""Shared parts of all API operations: tokens with scopes and request budgets, idempotency keys, errors, and paged
lists."""

from collections.abc import Callable, Collection
from datetime import date, datetime, time
from functools import wraps
from typing import Annotated, Any, TypedDict, TypeVar

from django.core.exceptions import RequestDataTooBig
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Query
from ninja.errors import AuthorizationError, HttpError, Throttled
from ninja.security import HttpBearer

from accounts.second_factor import factors
from api import idempotency, tokens
from api.models import Scope, Token
from api.schemas import Problem
from importing.faults import Fault, FileRefused
from importing.import_result import MOST_BYTES
from surveys.models import Survey, SurveyQuerySet
from surveys.signed_in_view import is_upload_too_long

ROWS = 50
ALWAYS = (400, 401, 403, 404, 422, 429, 500, 503)
OF_BODIES = (413, 415)
SCOPE = "x-scope"
JSON, FORM = "application/json", "multipart/form-data"
REF = "#/components/schemas/"
PageNumber = Annotated[int, Query(ge=1)]
Text = Annotated[str, Query(max_length=200, description="Part of the title.")]
Since = Annotated[
    date | None, Query(ge=date(2000, 1, 1), description="This day, by the time zone of the site, or later.")
]

M = TypeVar("M", bound=Model)
Q = TypeVar("Q", bound=QuerySet[Any])
T = TypeVar("T")


def operation_options(
    scope: Scope,
    answer: Any,
    *errors: int,
    status: int = 200,
    other_successes: Collection[int] = (),
    body_media_type: str = "",
    shown_once: Collection[str] = (),
    **extra: Any,
) -> dict[str, Any]:
    """Returns the keyword arguments of ninja's route decorators for one operation.

    `errors`: error statuses besides those of every operation; `other_successes`: further statuses of success;
    `body_media_type`: the media type of the body; `shown_once`: members of the response that are left out when it is
    repeated (`api.idempotency`).
    """
    problems = dict.fromkeys(sorted({*ALWAYS, *errors, *(OF_BODIES if body_media_type else ())}), Problem)
    return {
        "auth": Bearer(scope, body_media_type, shown_once),
        "response": {**dict.fromkeys((status, *other_successes), answer), **problems},
        "openapi_extra": {SCOPE: scope.value, **extra},
    }


def body_schema(name: str, media_type: str = JSON, **schema: Any) -> dict[str, Any]:
    """Returns the OpenAPI description of a request body that ninja does not parse.

    The schema is one of `api.schemas`, given by name, or an inline one.
    """
    return {"required": True, "content": {media_type: {"schema": schema or {"$ref": f"{REF}{name}"}}}}


class ListPage(TypedDict):
    items: list[Any]
    page: int
    pages: int
    next: str | None
    previous: str | None


def list_page(request: HttpRequest, rows: QuerySet[M], number: int, as_schema: Callable[[M], T]) -> ListPage:
    """Returns page `number` of these rows with the addresses of the neighbouring pages; raises 404 behind the
    last page."""
    pages = Paginator(rows, ROWS)
    if number > pages.num_pages:
        raise Http404

    def address(other: int) -> str | None:
        if not 1 <= other <= pages.num_pages:
            return None
        query = request.GET.copy()
        query["page"] = str(other)
        return f"{request.path}?{query.urlencode()}"

    return {
        "items": [as_schema(row) for row in pages.page(number)],
        "page": number,
        "pages": pages.num_pages,
        "next": address(number + 1),
        "previous": address(number - 1),
    }


def filter_by_title(rows: Q, text: str, title: Callable[[Any], str]) -> Q:
    """Returns the rows whose title contains the text, ignoring case.

    Compares in Python, since SQLite ignores case only for ASCII letters.
    """
    wanted = text.strip().casefold()
    return rows.filter(pk__in=[row.pk for row in rows if wanted in title(row).casefold()]) if wanted else rows


def start_of_day(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def existing_surveys() -> SurveyQuerySet:
    """Returns the surveys without deleted drafts, of which nothing is left."""
    return Survey.objects.exclude(state=Survey.State.DESTROYED, design=None)


# --- before and after each operation ---


class TokenRequest(HttpRequest):
    """Request of a program that acts for the person of its token."""

    auth: Token
    budget: tokens.Budget
    claim: idempotency.Claim


class Bearer(HttpBearer):
    """Authentication of an operation: requires an API token with the operation's scope.

    Operations check the person's permissions with `accounts.permission.get_permitted`.
    """

    def __init__(self, scope: Scope, takes: str, once: Collection[str]) -> None:
        super().__init__()
        self.scope, self.takes, self.once = scope, takes, once

    def __call__(self, request: HttpRequest) -> Any:
        # Not the inherited one, which may write the header to the log.
        scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
        return self.authenticate(request, secret.strip()) if scheme.lower() == "bearer" else None

    def authenticate(self, request: Any, token: str) -> Token | None:
        now = timezone.now()
        usable = tokens.find_usable_token(token, now)
        if usable is None:
            return None
        request.budget = tokens.count_request(usable, now)
        if not request.budget.is_allowed:
            raise Throttled(request.budget.reset)
        tokens.store_time_of_use(usable, now)
        if refusal := self._refusal(usable, now):
            raise AuthorizationError(message=refusal)
        if self.takes and request.content_type not in ("", self.takes):
            raise HttpError(415, _("Send %(media_type)s.") % {"media_type": self.takes})
        if self.takes == FORM and is_upload_too_long(request, MOST_BYTES):
            raise RequestDataTooBig
        key = request.headers.get(idempotency.HEADER, "")
        if request.method == "POST" and key:
            # By the draft the key is a string in quotes; most programs send none.
            key = key.removeprefix('"').removesuffix('"')
            if not idempotency.PATTERN.fullmatch(key):
                raise FileRefused([Fault(idempotency.HEADER, _("must be 1 to 255 letters, digits or signs"))])
            request.claim = idempotency.claim_key(request, usable, token, key, self.once, now)
        return usable

    def _refusal(self, token: Token, now: datetime) -> str:
        person = token.person
        if self.scope not in token.scopes:
            return _("This token lacks the scope %(scope)s.") % {"scope": self.scope}
        if factors.must_have_factor(person) and not factors.has_factor(person):
            return _("Your role needs a second factor: add one to your account.")
        if tokens.must_sign_in_again(person, now):
            words = _(
                "Sign in to your account again: a token works for %(days)s days after a sign-in by a provider."
            )
            return words % {"days": tokens.SIGN_ON_LASTS.days}
        return ""


def finish_response(run: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorator of every operation: stores the reply to a request with an idempotency key, and reports the
    remaining budget in headers (draft-ietf-httpapi-ratelimit-headers)."""

    @wraps(run)
    def finished(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = run(request, *args, **kwargs)
        except BaseException:
            if claim := getattr(request, "claim", None):
                claim.release()
            raise
        if claim := getattr(request, "claim", None):
            claim.store_or_release(response)
        if budget := getattr(request, "budget", None):
            response["RateLimit-Policy"] = f'"minute";q={tokens.PER_MINUTE};w={tokens.WINDOW}'
            response["RateLimit"] = f'"minute";r={budget.left};t={budget.reset}'
        return response

    return finished
