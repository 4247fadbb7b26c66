"""Models with permissions: who may see a row and what each person may do with it."""

from typing import Any, Protocol, TypeVar, runtime_checkable

from django.db import models


class Guarded(models.Model):
    """A model with permissions. `may` knows each of its actions and raises KeyError for any other word."""

    class Meta:
        abstract = True

    def may(self, person: Any, action: str) -> bool:
        raise NotImplementedError


T_co = TypeVar("T_co", bound=Guarded, covariant=True)


@runtime_checkable
class Visible(Protocol[T_co]):
    """A manager or queryset that can list the rows a person may see."""

    def visible_to(self, person: Any) -> "models.QuerySet[T_co]": ...
