"""Page of a table before and after anonymisation: rows for the owner of an upload, for surveys only counts by
column.
"""

import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple, overload

import numpy as np
from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from django.utils import timezone

from accounts.permission import PersonRequest, get_permitted
from privacy.records.csv_dialect_detection import Layout
from privacy.records.csv_row_reader import PLAIN, csv_rows, fill_header_names
from releases import source_tables, uploads
from releases.lifecycle import download_zip, release_disclosure_check
from releases.models import Release
from releases.pages.tabs_and_next_step import render_page
from releases.permissions import MADE
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import reading

ROWS = 50
VALUES = 20
"""Largest number of listed values of a column, the most frequent."""
Row = list[str]


@reading
def table(request: PersonRequest, pk: int) -> HttpResponse:
    release = get_permitted(Release.objects.with_permissions(), request.user, pk, "numbers")
    number, is_made = request.GET.get("page"), release.state in MADE
    context: dict[str, object] = {}
    if is_made:
        context["after"] = ShownRows.on_page(anonymised_records(release), number)
        if release.may(request.user, "counts"):
            context["columns"] = column_counts(release, timezone.now())
    if release.may(request.user, "raw"):
        try:
            context["before"] = ShownRows.on_page(uploaded_records(release, timezone.now()), number)
        except NotAllowed as refused:
            context["gone"] = str(refused)
    return render_page(request, release, "table", context)


class CsvRecords(Sequence[Row]):
    """The records of a delimited file as a sequence; each page reads the file anew, up to its last row.

    `count`: number of records.
    """

    def __init__(self, content: bytes, name: str, layout: Layout = PLAIN, count: int | None = None) -> None:
        self._content, self._name, self._layout = content, name, layout
        self.header = fill_header_names(next(self._rows(), []))
        self._count = sum(1 for _row in self._rows()) - 1 if count is None else count

    def _rows(self) -> Iterator[Row]:
        rows = csv_rows(io.BytesIO(self._content), self._name, layout=self._layout)
        return (cells for _where, cells in rows)

    def __len__(self) -> int:
        return self._count

    def numbered(self, numbers: Collection[int]) -> dict[int, Row]:
        """Returns the records with these numbers, counted from 1."""
        rows = islice(enumerate(self._rows()), max(numbers, default=0) + 1)
        return {number: cells for number, cells in rows if number in numbers}

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, int):
            return self[index : index + 1][0]
        return list(islice(self._rows(), (index.start or 0) + 1, (index.stop or self._count) + 1))


def uploaded_records(release: Release, now: datetime) -> CsvRecords:
    """Returns the records of an upload before anonymisation."""
    upload = uploads.get_upload(release.source, now)
    return CsvRecords(
        bytes(upload.content), release.source.name, source_tables.get_layout(release), upload.records
    )


def anonymised_records(release: Release) -> CsvRecords:
    """Returns the records of the published file, after anonymisation."""
    return CsvRecords(download_zip.published_file(release), str(release))


class ShownRows(NamedTuple):
    header: Row
    page: Page[Row]
    records: int

    @classmethod
    def on_page(cls, records: CsvRecords, number: str | None) -> "ShownRows":
        """Returns the rows of this page of the table."""
        return cls(records.header, Paginator(records, ROWS).get_page(number), len(records))


class ColumnCounts(NamedTuple):
    """The most frequent values of a column with their counts, before and after anonymisation.

    `n_before`, `n_after`: how many different values there are.
    """

    name: str
    before: list[tuple[str, int]]
    n_before: int
    after: list[tuple[str, int]]
    n_after: int


def column_counts(release: Release, now: datetime) -> list[ColumnCounts]:
    """Returns the counts of each column's values before and after anonymisation, for a survey's release; only reviewers
    see them."""
    specification = source_tables.get_specification(release)
    table = source_tables.read_source_table(
        release.source, release_disclosure_check.read_release_records(release, []), specification, now
    )
    rows = csv_rows(io.BytesIO(download_zip.published_file(release)), str(release))
    next(rows)
    published = zip(*(cells for _where, cells in rows), strict=True)
    counts = []
    for column, cells in zip((*table.quasi, *table.single_value_columns), published, strict=True):
        numbers = np.bincount(column.codes, minlength=len(column.texts)).tolist()
        before = Counter({text: n for text, n in zip(column.texts, numbers, strict=True) if n})
        after = Counter(cells)
        counts.append(
            ColumnCounts(
                column.name, before.most_common(VALUES), len(before), after.most_common(VALUES), len(after)
            )
        )
    return counts
