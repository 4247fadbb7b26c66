"""Things that know who may see them and what each person may do with them; people.permission asks them."""

from typing import Any, Protocol, TypeVar, runtime_checkable

from django.db import models


class Guarded(models.Model):
    """A thing with rules. `may` answers each of the model's actions and raises KeyError for any other word."""

    class Meta:
        abstract = True

    def may(self, person: Any, action: str) -> bool:
        raise NotImplementedError


T_co = TypeVar("T_co", bound=Guarded, covariant=True)


@runtime_checkable
class Visible(Protocol[T_co]):
    """A manager or queryset that knows which of its things a person may see."""

    def visible_to(self, person: Any) -> "models.QuerySet[T_co]": ...
