"""Sealed batches, as the rooms after this one read them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from django.db.models import Count, Sum

from privacy.designs import Design
from surveys.counts import Counts
from surveys.intake import columns
from surveys.intake.accept import design_of
from surveys.intake.models import Batch, Inbox
from surveys.models import Survey

Kept = Callable[[int], Collection[int]]
_kept: list[Kept] = []


def keep(through: Kept) -> None:
    """Register who stores results over the batches 1..t of a survey: `through(survey id)` gives every such t.

    No batch is ever merged across one of them. Whoever stores a new t reads it and writes its row in one
    transaction in which it has called `sealing.locked(survey id)`; else a merge might pass it by.
    """
    _kept.append(through)


def kept(survey: int) -> set[int]:
    return {t for through in _kept for t in through(survey)}


class Opened(NamedTuple):
    """The batches first..last, merged into one where there are several."""

    first: int
    last: int
    columns: columns.Columns


def read(survey: Survey, through: int, after: int = 0) -> Iterator[Opened]:
    """The sealed records of the batches after+1..through, one stored batch in memory at a time.

    One statement, so that batches merged meanwhile are seen either apart or together.
    """
    design = _design(survey)
    rows = Batch.objects.filter(survey=survey, first__gt=after, last__lte=through).order_by("first")
    for first, last, data in rows.values_list("first", "last", "columns").iterator(chunk_size=1):
        yield Opened(first, last, columns.read(design, data))


def _design(survey: Survey) -> Design:
    if survey.design_id is None:
        raise ValueError("a survey that was never opened has no batches")
    return design_of(survey.design_id)


def count(surveys: Collection[int]) -> Mapping[int, Counts]:
    """How many records of each survey are sealed and wait."""
    sealed = Batch.objects.filter(survey__in=surveys).values("survey").annotate(n=Sum("n"))
    waiting = Inbox.objects.filter(survey__in=surveys).values("survey").annotate(n=Count("pk"))
    by_survey = {row["survey"]: row["n"] for row in sealed}
    waiting_by_survey = {row["survey"]: row["n"] for row in waiting}
    return {pk: Counts(by_survey.get(pk, 0), waiting_by_survey.get(pk, 0)) for pk in surveys}
