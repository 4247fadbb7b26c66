"""What every operation has: a scope, the errors that it may answer, and pages of lists."""

from collections.abc import Callable
from typing import Annotated, Any, TypedDict, TypeVar

from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from ninja import Query

from api.bearer import Bearer
from api.models import Scope
from api.schemas import Problem

ROWS = 50
ALWAYS = (401, 403, 404, 422, 429, 500, 503)
SCOPE = "x-scope"
PageNumber = Annotated[int, Query(ge=1)]

M = TypeVar("M", bound=Model)
T = TypeVar("T")


def operation(scope: Scope, answer: Any, *errors: int, status: int = 200, **extra: Any) -> dict[str, Any]:
    """Arguments of ninja's decorators. `errors`: statuses besides those that every operation may answer."""
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


def listed(rows: QuerySet[M], number: int, shown: Callable[[M], T]) -> ListPage:
    page = Paginator(rows, ROWS).get_page(number)
    return {"items": [shown(row) for row in page], "page": page.number, "pages": page.paginator.num_pages}
