"""Models with permissions: which persons may see a row, and which actions they may do."""

from typing import Any, Protocol, TypeVar, runtime_checkable

from django.db import models


class Guarded(models.Model):
    """A model with permissions.

    `may(person, action)` knows each of its actions and raises KeyError for any other word.
    """

    class Meta:
        abstract = True

    def may(self, person: Any, action: str) -> bool:
        """Returns True if the person may do this action on the row; raises KeyError for an unknown action."""
        raise NotImplementedError


T_co = TypeVar("T_co", bound=Guarded, covariant=True)


@runtime_checkable
class Visible(Protocol[T_co]):
    """A manager or queryset that can filter the rows visible to a person."""

    def visible_to(self, person: Any) -> "models.QuerySet[T_co]": ...
