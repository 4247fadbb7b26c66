"""What stays of an upload after its release is approved, by which the same table is known again.

Keyed digests of the file and of each column, the number of records, and the classes by the canonical order: no value,
and no digest of a row or an identifier, which with the key would answer "is this person in it?".
"""

import io
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
from django.db.models import Max
from django.utils.crypto import salted_hmac
from numpy.typing import NDArray

from intake.disclosure.canonical_order import pack_classes
from privacy.anonymity.tables.table import MOST_RECORDS
from privacy.records.codebooks import Codebook, Tick, ignore_tick, read_codes
from privacy.records.csv_layout import Layout
from privacy.records.csv_rows import csv_rows
from releases.models import Release, ReleasedUpload

Labels = NDArray[np.int64]
SALT = "releases.upload"


@dataclass(frozen=True)
class TableDigest:
    """`columns` in an order that does not depend on that in the file; `order`: the records, sorted by these columns."""

    file: str
    columns: tuple[str, ...]
    records: int
    order: NDArray[np.int64]

    @classmethod
    def read(cls, content: bytes, layout: Layout, tick: Tick = ignore_tick) -> "TableDigest":
        rows = csv_rows(io.BytesIO(content), "", layout=layout)
        _where, header = next(rows)
        books = [Codebook() for _name in header]
        read_codes(rows, books, list(enumerate(header)), MOST_RECORDS, tick)
        columns = []
        for number, book in enumerate(books):
            tick()
            columns.append((*_sorted(book), number))
        columns.sort(key=lambda column: (column[0], column[2]))
        order = np.lexsort([ranks for _digest, ranks, _number in reversed(columns)])
        return cls(digest(content), tuple(key for key, _ranks, _number in columns), books[0].records, order)

    def classes(self, labels: Labels) -> Labels:
        """Returns the class of each record in the order of the file; `labels` are in the canonical order."""
        classes = np.empty(self.records, np.int64)
        classes[self.order] = labels
        return classes


def digest(content: bytes) -> str:
    """Keyed: who does not have the site's secret cannot look up whose digest it is."""
    return salted_hmac(SALT, content, algorithm="sha256").hexdigest()


def _sorted(book: Codebook) -> tuple[str, NDArray[np.int64]]:
    """The digest of the sorted cells of a column, and by record the rank of its cell."""
    cells = book.values_by_code
    order = sorted(range(len(cells)), key=cells.__getitem__)
    ranks = np.empty(len(cells), np.int64)
    ranks[order] = np.arange(len(cells))
    counts = np.bincount(book.codes, minlength=len(cells))[order].tolist()
    repeated = chain.from_iterable(map(repeat, map(cells.__getitem__, order), counts))
    return digest("\n".join(repeated).encode()), ranks[book.codes]


class KnownTable(NamedTuple):
    """A table that was released before: the same one, or one with so many of the same columns."""

    digest: ReleasedUpload
    columns: int
    is_same: bool


def known_tables(own: TableDigest, release: Release) -> list[KnownTable]:
    """The same file, or the same columns in any order; or some of the columns of as many records."""
    tables = []
    earlier = ReleasedUpload.objects.filter(records=own.records).exclude(release=release)
    for row in earlier.select_related("release__source").order_by("when", "pk"):
        common = len(set(own.columns) & set(row.columns))
        is_same = own.file == row.file or list(own.columns) == row.columns
        if is_same or common:
            tables.append(KnownTable(row, common, is_same))
    return tables


def last() -> int:
    """The newest upload that was released; 0 before the first."""
    return ReleasedUpload.objects.aggregate(last=Max("pk"))["last"] or 0


def keep(release: Release, own: TableDigest, labels: Labels, now: datetime) -> None:
    """In the transaction that approves the release, before the upload is deleted; `labels` by record of the file."""
    ReleasedUpload.objects.create(
        release=release,
        when=now,
        file=own.file,
        columns=list(own.columns),
        records=own.records,
        classes=pack_classes(labels[own.order]),
    )
