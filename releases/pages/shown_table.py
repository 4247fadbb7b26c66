"""A table before and after, as a page shows it: rows of an upload to its owner, of a survey numbers by column alone."""

import gzip
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import overload

import numpy as np
from django.core.paginator import Page, Paginator

from privacy.anonymity.tables.table import Column
from privacy.records.csv_rows import PLAIN, csv_rows, with_names
from privacy.records.layouts import Layout
from releases import sources
from releases.making import joint
from releases.models import Release, ReleasedTable
from releases.specification import specifying

ROWS = 50
VALUES = 20
"""The most frequent values of a column that are listed."""
Row = list[str]


class CsvRecords(Sequence[Row]):
    """The records of a delimited file, read anew for each page, up to its last row; `count`: how many there are."""

    def __init__(self, content: bytes, name: str, layout: Layout = PLAIN, count: int | None = None) -> None:
        self._content, self._name, self._layout = content, name, layout
        self.header = with_names(next(self._rows(), []))
        self._count = sum(1 for _row in self._rows()) - 1 if count is None else count

    def _rows(self) -> Iterator[Row]:
        rows = csv_rows(io.BytesIO(self._content), self._name, layout=self._layout)
        return (cells for _where, cells in rows)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        if isinstance(at, int):
            return self[at : at + 1][0]
        return list(islice(self._rows(), (at.start or 0) + 1, (at.stop or self._count) + 1))


@dataclass(frozen=True)
class ShownRows:
    header: Row
    page: Page[Row]

    @property
    def records(self) -> int:
        return self.page.paginator.count


def before(release: Release, number: str | None, now: datetime) -> ShownRows:
    """The rows of an upload, as they came."""
    upload = sources.uploaded(release.source, now)
    layout = sources.layout_of(release)
    return _page(CsvRecords(bytes(upload.content), release.source.name, layout, upload.records), number)


def after(release: Release, number: str | None) -> ShownRows:
    return _page(CsvRecords(published(release), str(release)), number)


def published(release: Release) -> bytes:
    """The published CSV file."""
    file = ReleasedTable.objects.values_list("file", flat=True).get(making__release=release)
    return gzip.decompress(file)


def _page(records: CsvRecords, number: str | None) -> ShownRows:
    return ShownRows(records.header, Paginator(records, ROWS).get_page(number))


@dataclass(frozen=True)
class ColumnCounts:
    """The most frequent values of a column with their numbers of records; `values`: how many there are in all."""

    name: str
    before: list[tuple[str, int]]
    values_before: int
    after: list[tuple[str, int]]
    values_after: int


def column_counts(release: Release, now: datetime) -> list[ColumnCounts]:
    """Of a survey's release: what each column holds before and after. Reviewers alone see it."""
    said = specifying.specification_of(release)
    table = sources.table_of(release.source, joint.read_for(release, []), said, now)
    rows = (cells for _where, cells in csv_rows(io.BytesIO(published(release)), str(release)))
    next(rows)
    columns = list(zip(*rows, strict=True))
    return [
        _counts(column, Counter(cells))
        for column, cells in zip((*table.quasi, *table.plain), columns, strict=True)
    ]


def _counts(column: Column, after: "Counter[str]") -> ColumnCounts:
    numbers = np.bincount(column.codes, minlength=len(column.texts)).tolist()
    counts = Counter({text: number for text, number in zip(column.texts, numbers, strict=True) if number})
    return ColumnCounts(
        column.name, counts.most_common(VALUES), len(counts), after.most_common(VALUES), len(after)
    )
