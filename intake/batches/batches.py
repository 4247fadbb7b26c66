"""Reads sealed batches, and registers the batches that must not be merged across."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BinaryField, Count, F, QuerySet, Sum, Window
from django.db.models.functions import Substr

from intake.models import Batch, Inbox
from privacy.designs import Design
from privacy.records import columns
from surveys.lifecycle.counts import Counts
from surveys.models import Design as DesignRow, Survey

Stored = tuple[int, int, bytes | memoryview]
"""A batch's numbers, the first and the last, and its columns."""

Pins = Callable[[int], Collection[int]]
_pins: list[Pins] = []


def register_pins(through: Pins) -> None:
    """Register results over the batches 1..t of a survey: `through(survey id)` gives every such t.

    No batch is ever merged across one of them. The code that stores a new t reads it and writes its row in one
    transaction in which it has called `Survey.objects.locked_beside_records(survey id)`; else a merge might pass it by.
    """
    _pins.append(through)


def pinned(survey: int) -> set[int]:
    return {t for through in _pins for t in through(survey)}


class DecodedBatch(NamedTuple):
    """The batches first..last, merged into one where there are several."""

    first: int
    last: int
    columns: columns.Columns


def read(survey: Survey, through: int, after: int = 0) -> Iterator[DecodedBatch]:
    """The sealed records of the batches after+1..through, one stored batch in memory at a time.

    One statement, so that batches merged meanwhile are seen either apart or together.
    """
    design = _design(survey)
    rows = Batch.objects.filter(survey=survey, first__gt=after, last__lte=through).order_by("first")
    for first, last, data in rows.values_list("first", "last", "columns").iterator(chunk_size=1):
        yield DecodedBatch(first, last, columns.read(design, data))


def read_all(survey: Survey, through: int, after: int = 0, most: int | None = None) -> list[DecodedBatch]:
    """The same, all in memory at once; only the first batches with `most` records, if that is given.

    One statement too. PostgreSQL sends row after row, in binary, and copies nothing to a file of its own meanwhile.
    """
    design = _design(survey)
    rows = Batch.objects.filter(survey=survey, first__gt=after, last__lte=through)
    if most is not None:
        before = Window(Sum("n"), order_by="first") - F("n")
        some = rows.annotate(before=before).filter(before__lt=most)
        rows = Batch.objects.filter(pk__in=some.values("pk"))
    ordered = rows.order_by("first").values_list("first", "last", "columns")
    stored = ordered.iterator(chunk_size=1) if connection.vendor == "sqlite" else _streamed(ordered)
    return [DecodedBatch(first, last, columns.read(design, data)) for first, last, data in stored]


def read_stretch(survey: Survey, first: int, last: int, start: int, stop: int) -> columns.Columns:
    """The records start..stop of the batch first..last; `Batch.DoesNotExist` where these are several.

    Only their bytes are read, so the checksum cannot be checked; readers of the whole batch check it.
    """
    design = _design(survey)
    rows = Batch.objects.filter(survey=survey, first=first, last=last)
    n, pk = rows.values_list("n", "pk").get()
    cuts = columns.slices(design, n, start, min(stop, n))
    cut = [Substr("columns", at + 1, length, output_field=BinaryField()) for at, length in cuts]
    slices = rows.filter(pk=pk).values_list(*cut)
    stored = list(slices) if connection.vendor == "sqlite" else list(_streamed(slices))
    if not stored:
        raise Batch.DoesNotExist
    return columns.decoded(design, min(stop, n) - start, stored[0])


def _streamed(rows: QuerySet[Batch, Any]) -> Iterator[Any]:
    from psycopg import Cursor  # late for cost

    statement, parameters = rows.query.sql_with_params()
    connection.ensure_connection()
    server: Any = connection.connection
    # Django's own cursors know no binary results.
    with connection.wrap_database_errors, Cursor(server) as cursor:
        yield from cursor.stream(statement.encode(), parameters, binary=True)


def _design(survey: Survey) -> Design:
    if survey.design_id is None:
        raise ValueError("a survey that was never opened has no batches")
    return DesignRow.of(survey.design_id)


def count(surveys: Collection[int]) -> Mapping[int, Counts]:
    """How many records of each survey are sealed and wait."""
    sealed = Batch.objects.filter(survey__in=surveys).values("survey").annotate(n=Sum("n"))
    waiting = Inbox.objects.filter(survey__in=surveys).values("survey").annotate(n=Count("pk"))
    by_survey = {row["survey"]: row["n"] for row in sealed}
    waiting_by_survey = {row["survey"]: row["n"] for row in waiting}
    return {pk: Counts(by_survey.get(pk, 0), waiting_by_survey.get(pk, 0)) for pk in surveys}
