"""Rows of a survey that are locked after it: runs and releases."""

from typing import TypeVar

from django.db import models

M = TypeVar("M", bound=models.Model)


class LockableQuerySet(models.QuerySet[M]):
    def lock(self, pk: int) -> bool:
        """Locks a row until the transaction ends, so that nobody can delete it or add to it; returns False if it is
        gone.

        Locks are taken in one order: the survey, then its runs or releases, then the rows that depend on them.
        """
        rows = self.select_for_update(no_key=True, of=("self",)).filter(pk=pk)
        return rows.values_list("pk").first() is not None
