"""Reads sealed batches, and registers the batches that must not be merged across."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import OperationalError, connection
from django.db.models import BinaryField, Count, F, QuerySet, Sum, Window
from django.db.models.functions import Substr

from intake.models import Batch, Inbox
from privacy.designs import Design
from privacy.records import columns
from surveys.lifecycle.counts import Counts
from surveys.models import Design as DesignRow, Survey

PIECE_BYTES = 1 << 23
MOST_SLICES = 500
"""In one statement; PostgreSQL gives at most 1,664 columns."""

Pins = Callable[[int], Collection[int]]
_pins: list[Pins] = []


def register_pins(through: Pins) -> None:
    """Register results over the batches 1..t of a survey: `through(survey id)` gives every such t.

    No batch is ever merged across one of them. The code that stores a new t reads it and writes its row in one
    transaction that has called `Survey.objects.get_locked_beside_records(survey id)`; else a merge might pass it by.
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
        yield DecodedBatch(first, last, columns.open_columns(design, data))


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
    return [DecodedBatch(first, last, columns.open_columns(design, data)) for first, last, data in stored]


class Rearranged(Exception):
    """Batches were merged or deleted between two statements that read them."""


def read_pieces(survey: Survey, through: int, most: int, *, check: bool) -> Iterator[list[columns.Columns]]:
    """The sealed records of the batches 1..through, about `most` in memory at a time: small batches whole, stretches of
    large ones. `Rearranged` where it must begin again. `most` is a multiple of `columns.WORD`.

    A stretch has no checksum: with `check` the whole of a large batch is read before, and its checksum compared.
    """
    design = _design(survey)
    rows = Batch.objects.filter(survey=survey, last__lte=through).order_by("first").values_list("pk", "n")
    small: list[int] = []
    waiting = 0
    for pk, n in list(rows):
        if small and waiting + n > most:
            yield _whole_batches(design, small)
            small, waiting = [], 0
        if n > most:
            if check:
                columns.check_batch(design, n, _all_bytes(pk))
            for start in range(0, n, most):
                stop = min(start + most, n)
                stretch = _read_slices(pk, columns.column_slices(design, n, start, stop))
                yield [columns.columns_from_slices(design, stop - start, stretch)]
        else:
            small.append(pk)
            waiting += n
    if small:
        yield _whole_batches(design, small)


def _whole_batches(design: Design, pks: Sequence[int]) -> list[columns.Columns]:
    rows = Batch.objects.filter(pk__in=pks).order_by("first").values_list("columns")
    stored = list(rows) if connection.vendor == "sqlite" else list(_streamed(rows))
    if len(stored) != len(pks):
        raise Rearranged
    return [columns.open_columns(design, data) for (data,) in stored]


def _all_bytes(pk: int) -> Iterator[bytes]:
    """All bytes of a batch in pieces."""
    start = 0
    while piece := _read_slices(pk, [columns.Slice(start, PIECE_BYTES)])[0]:
        yield piece
        start += len(piece)


def _read_slices(pk: int, slices: Sequence[columns.Slice]) -> list[bytes]:
    """These bytes of a batch; what is beyond its end is left out."""
    if connection.vendor == "sqlite":
        return _read_file_slices(pk, slices)
    cut: list[bytes] = []
    for first in range(0, len(slices), MOST_SLICES):
        some = slices[first : first + MOST_SLICES]
        parts = [Substr("columns", start + 1, length, output_field=BinaryField()) for start, length in some]
        rows = list(_streamed(Batch.objects.filter(pk=pk).values_list(*parts)))
        if not rows:
            raise Rearranged
        cut += rows[0]
    return cut


def _read_file_slices(pk: int, slices: Sequence[columns.Slice]) -> list[bytes]:
    """SQLite's substr() would load the whole batch for each slice."""
    connection.ensure_connection()
    file: Any = connection.connection
    cut = []
    try:
        with (
            connection.wrap_database_errors,
            file.blobopen(Batch._meta.db_table, "columns", pk, readonly=True) as blob,
        ):
            for start, length in slices:
                blob.seek(min(start, len(blob)))
                cut.append(blob.read(length))
    except OperationalError:
        if Batch.objects.filter(pk=pk).exists():
            raise
        raise Rearranged from None
    return cut


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
    return DesignRow.load_parsed(survey.design_id)


def count(surveys: Collection[int]) -> Mapping[int, Counts]:
    """How many records of each survey are sealed and wait."""
    sealed = Batch.objects.filter(survey__in=surveys).values_list("survey").annotate(n=Sum("n"))
    waiting = Inbox.objects.filter(survey__in=surveys).values_list("survey").annotate(n=Count("pk"))
    sealed_by_survey, waiting_by_survey = dict(sealed), dict(waiting)
    return {pk: Counts(sealed_by_survey.get(pk, 0), waiting_by_survey.get(pk, 0)) for pk in surveys}
