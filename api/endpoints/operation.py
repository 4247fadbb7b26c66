"""What every operation has: a token with its scope and budget, the errors that it may answer, and pages of lists."""

from collections.abc import Callable
from typing import Annotated, Any, TypedDict, TypeVar

from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Query
from ninja.errors import AuthorizationError, Throttled
from ninja.security import HttpBearer

from accounts.second_factor import factors
from api import tokens
from api.models import Scope, Token
from api.schemas import Problem

ROWS = 50
ALWAYS = (401, 403, 404, 422, 429, 500, 503)
SCOPE = "x-scope"
PageNumber = Annotated[int, Query(ge=1)]

M = TypeVar("M", bound=Model)
T = TypeVar("T")


def operation(scope: Scope, answer: Any, *errors: int, status: int = 200, **extra: Any) -> dict[str, Any]:
    """Returns arguments for ninja's route decorators. `errors`: statuses besides those of every operation."""
    problems = dict.fromkeys(sorted({*ALWAYS, *errors}), Problem)
    return {
        "auth": Bearer(scope),
        "response": {status: answer, **problems},
        "openapi_extra": {SCOPE: scope.value, **extra},
    }


class ListPage(TypedDict):
    items: list[Any]
    page: int
    pages: int


def list_page(rows: QuerySet[M], number: int, as_schema: Callable[[M], T]) -> ListPage:
    """Returns page `number` of these rows; the last page if there are fewer."""
    page = Paginator(rows, ROWS).get_page(number)
    return {"items": [as_schema(row) for row in page], "page": page.number, "pages": page.paginator.num_pages}


# --- authentication ---


class TokenRequest(HttpRequest):
    """A request of a program in the name of its token's person."""

    auth: Token


class Bearer(HttpBearer):
    """Requires a token with this scope. Operations ask `accounts.permission.get_permitted` what its person may do."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> Any:
        # Not the inherited one, which may write the header to the log.
        scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
        return self.authenticate(request, secret.strip()) if scheme.lower() == "bearer" else None

    def authenticate(self, request: HttpRequest, token: str) -> Token | None:
        now = timezone.now()
        usable = tokens.find_usable(token, now)
        if usable is None:
            return None
        if seconds := tokens.seconds_to_wait(usable, now):
            raise Throttled(seconds)
        tokens.store_use(usable, now)
        person, refusal = usable.person, ""
        if self.scope not in usable.scopes:
            refusal = _("This token lacks the scope %(scope)s.") % {"scope": self.scope}
        elif factors.must_have_factor(person) and not factors.has_factor(person):
            refusal = _("Your role needs a second factor: add one to your account.")
        elif tokens.needs_sign_on(person, now):
            words = _(
                "Sign in to your account again: a token works for %(days)s days after a sign-in by a provider."
            )
            refusal = words % {"days": tokens.SIGN_ON_LASTS.days}
        if refusal:
            raise AuthorizationError(message=refusal)
        return usable
