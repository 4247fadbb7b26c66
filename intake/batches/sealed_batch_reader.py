"""Reads sealed batches of records, and registers which batches must not be merged."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import OperationalError, connection
from django.db.models import BinaryField, Count, F, QuerySet, Sum, Window
from django.db.models.functions import Substr

from intake.models import Batch, Inbox
from privacy.designs import Design
from privacy.records import batch_bit_columns
from surveys.lifecycle.record_counts import Counts
from surveys.models import Design as DesignRow, Survey

PIECE_BYTES = 1 << 23
MOST_SLICES = 500
"""Highest number of byte ranges read in one SQL statement; PostgreSQL gives at most 1,664 columns."""

Pins = Callable[[int], Collection[int]]
_pins: list[Pins] = []


def register_merge_boundaries(find_pinned: Pins) -> None:
    """Registers a function that returns the pinned batch numbers of a survey; t is pinned if a stored result covers the
    batches 1..t.

    No batches are ever merged across a pinned t. A result is stored in a transaction that holds the lock of
    `Survey.objects.get_locked_while_records_arrive(survey id)`, so that no merge runs meanwhile.
    """
    _pins.append(find_pinned)


def merge_boundary_batches(survey: int) -> set[int]:
    """Returns the batch numbers t across which no batches may be merged, because a stored result covers the batches
    1..t."""
    return {t for through in _pins for t in through(survey)}


class DecodedBatch(NamedTuple):
    """A sealed batch with its decoded records; a merged batch covers the numbers first..last."""

    first: int
    last: int
    columns: batch_bit_columns.Columns


def read_batches(survey: Survey, through: int, after: int = 0) -> Iterator[DecodedBatch]:
    """Yields the sealed records of the batches after+1..through, with one stored batch in memory at a time.

    It is one SQL statement, so a merge that runs meanwhile is seen completely or not at all.
    """
    design = _stored_design(survey)
    rows = Batch.objects.filter(survey=survey, first__gt=after, last__lte=through).order_by("first")
    for first, last, data in rows.values_list("first", "last", "columns").iterator(chunk_size=1):
        yield DecodedBatch(first, last, batch_bit_columns.columns_from_bytes(design, data))


def read_batches_until_most(
    survey: Survey, through: int, after: int = 0, most: int | None = None
) -> list[DecodedBatch]:
    """Returns the sealed records of the batches after+1..through as a list; stops at the batch that completes `most`
    records.

    It is one SQL statement. PostgreSQL streams the rows in binary, without a temporary file.
    """
    design = _stored_design(survey)
    rows = Batch.objects.filter(survey=survey, first__gt=after, last__lte=through)
    if most is not None:
        before = Window(Sum("n"), order_by="first") - F("n")
        some = rows.annotate(before=before).filter(before__lt=most)
        rows = Batch.objects.filter(pk__in=some.values("pk"))
    ordered = rows.order_by("first").values_list("first", "last", "columns")
    stored = ordered.iterator(chunk_size=1) if connection.vendor == "sqlite" else _stream_rows(ordered)
    return [
        DecodedBatch(first, last, batch_bit_columns.columns_from_bytes(design, data))
        for first, last, data in stored
    ]


class BatchesChanged(Exception):
    """Raised if batches were merged or deleted between two statements that read them."""


def read_batch_pieces(
    survey: Survey, through: int, most: int, *, verifies_checksums: bool
) -> Iterator[list[batch_bit_columns.Columns]]:
    """Yields the sealed records of the batches 1..through in pieces of about `most` records, a multiple of
    `columns.WORD`.

    Small batches are read whole, large ones in slices. Slices have no checksum: with `verifies_checksums`, a large
    batch is first read whole and its checksum compared. Raises `BatchesChanged` if the caller must begin again.
    """
    design = _stored_design(survey)
    rows = Batch.objects.filter(survey=survey, last__lte=through).order_by("first").values_list("pk", "n")
    small: list[int] = []
    waiting = 0
    for pk, n in list(rows):
        if small and waiting + n > most:
            yield _read_small_batches(design, small)
            small, waiting = [], 0
        if n > most:
            if verifies_checksums:
                batch_bit_columns.check_batch(design, n, _read_whole_batch(pk))
            for start in range(0, n, most):
                stop = min(start + most, n)
                stretch = _read_slices(pk, batch_bit_columns.column_slices(design, n, start, stop))
                yield [batch_bit_columns.columns_from_slices(design, stop - start, stretch)]
        else:
            small.append(pk)
            waiting += n
    if small:
        yield _read_small_batches(design, small)


def _read_small_batches(design: Design, pks: Sequence[int]) -> list[batch_bit_columns.Columns]:
    rows = Batch.objects.filter(pk__in=pks).order_by("first").values_list("columns")
    stored = list(rows) if connection.vendor == "sqlite" else list(_stream_rows(rows))
    if len(stored) != len(pks):
        raise BatchesChanged
    return [batch_bit_columns.columns_from_bytes(design, data) for (data,) in stored]


def _read_whole_batch(pk: int) -> Iterator[bytes]:
    """Yields all bytes of one batch in pieces."""
    start = 0
    while piece := _read_slices(pk, [batch_bit_columns.Slice(start, PIECE_BYTES)])[0]:
        yield piece
        start += len(piece)


def _read_slices(pk: int, slices: Sequence[batch_bit_columns.Slice]) -> list[bytes]:
    """Returns the bytes of one batch in these ranges; a range beyond its end has fewer bytes or none."""
    if connection.vendor == "sqlite":
        return _read_slices_from_sqlite_file(pk, slices)
    cut: list[bytes] = []
    for first in range(0, len(slices), MOST_SLICES):
        some = slices[first : first + MOST_SLICES]
        parts = [Substr("columns", start + 1, length, output_field=BinaryField()) for start, length in some]
        rows = list(_stream_rows(Batch.objects.filter(pk=pk).values_list(*parts)))
        if not rows:
            raise BatchesChanged
        cut += rows[0]
    return cut


def _read_slices_from_sqlite_file(pk: int, slices: Sequence[batch_bit_columns.Slice]) -> list[bytes]:
    """Returns byte ranges of one batch from the SQLite file itself, since SQLite's substr() would load the whole batch
    for each."""
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
        raise BatchesChanged from None
    return cut


def _stream_rows(rows: QuerySet[Batch, Any]) -> Iterator[Any]:
    from psycopg import Cursor  # late for cost

    statement, parameters = rows.query.sql_with_params()
    connection.ensure_connection()
    server: Any = connection.connection
    # Django's own cursors know no binary results.
    with connection.wrap_database_errors, Cursor(server) as cursor:
        yield from cursor.stream(statement.encode(), parameters, binary=True)


def _stored_design(survey: Survey) -> Design:
    if survey.design_id is None:
        raise ValueError("a survey that was never opened has no batches")
    return DesignRow.load_parsed(survey.design_id)


def count_records(surveys: Collection[int]) -> Mapping[int, Counts]:
    """Returns, by survey id, the numbers of sealed and waiting records."""
    sealed = Batch.objects.filter(survey__in=surveys).values_list("survey").annotate(n=Sum("n"))
    waiting = Inbox.objects.filter(survey__in=surveys).values_list("survey").annotate(n=Count("pk"))
    sealed_by_survey, waiting_by_survey = dict(sealed), dict(waiting)
    return {pk: Counts(sealed_by_survey.get(pk, 0), waiting_by_survey.get(pk, 0)) for pk in surveys}
