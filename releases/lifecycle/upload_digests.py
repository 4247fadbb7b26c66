"""Digests of approved uploads, by which the same table is recognised if somebody uploads it again.

The digests are keyed: one of the file and one of each column, with the number of records and the classes in
canonical order. No value and no digest of a row or an identifier is stored: with the key it would reveal
whether a person is in the table.
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
from privacy.records.csv_dialect_detection import Layout
from privacy.records.csv_row_reader import csv_rows
from privacy.records.dictionary_encoding import Codebook, Tick, ignore_tick, read_codes_within_limit
from releases.models import Release, ReleasedUpload

Labels = NDArray[np.int64]
SALT = "releases.upload"


@dataclass(frozen=True)
class TableDigest:
    """Digest of an uploaded table, by which the same table is recognised later.

    `columns`: digests of the columns, in an order independent of the file's. `order`: indices of the records, sorted by
    these columns (the canonical order).
    """

    file: str
    columns: tuple[str, ...]
    records: int
    order: NDArray[np.int64]

    @classmethod
    def read(cls, content: bytes, layout: Layout, tick: Tick = ignore_tick) -> "TableDigest":
        """Returns the digest of a delimited file."""
        rows = csv_rows(io.BytesIO(content), "", layout=layout)
        _where, header = next(rows)
        books = [Codebook() for _name in header]
        read_codes_within_limit(rows, books, list(enumerate(header)), MOST_RECORDS, tick)
        columns = []
        for number, book in enumerate(books):
            tick()
            columns.append((*_column_digest_and_ranks(book), number))
        columns.sort(key=lambda column: (column[0], column[2]))
        order = np.lexsort([ranks for _digest, ranks, _number in reversed(columns)])
        return cls(
            keyed_digest(content), tuple(key for key, _ranks, _number in columns), books[0].records, order
        )

    def classes(self, labels: Labels) -> Labels:
        """Returns the class of each record in the order of the file; `labels` are in the canonical order."""
        classes = np.empty(self.records, np.int64)
        classes[self.order] = labels
        return classes


def keyed_digest(content: bytes) -> str:
    """Returns a keyed digest (HMAC), so that nobody without the site's secret can test guesses."""
    return salted_hmac(SALT, content, algorithm="sha256").hexdigest()


def _column_digest_and_ranks(book: Codebook) -> tuple[str, NDArray[np.int64]]:
    """Returns the digest of a column's sorted cells, and the rank of each record's cell."""
    cells = book.values_by_code
    order = sorted(range(len(cells)), key=cells.__getitem__)
    ranks = np.empty(len(cells), np.int64)
    ranks[order] = np.arange(len(cells))
    counts = np.bincount(book.codes, minlength=len(cells))[order].tolist()
    repeated = chain.from_iterable(map(repeat, map(cells.__getitem__, order), counts))
    return keyed_digest("\n".join(repeated).encode()), ranks[book.codes]


class KnownTable(NamedTuple):
    """A table that was released before.

    `columns`: the number of columns that both tables have. `is_same`: it is the same table.
    """

    digest: ReleasedUpload
    columns: int
    is_same: bool


def earlier_similar_tables(own: TableDigest, release: Release) -> list[KnownTable]:
    """Returns the tables released before that have as many records as this one and share columns with it, or are the
    same table."""
    tables = []
    earlier = ReleasedUpload.objects.filter(records=own.records).exclude(release=release)
    for row in earlier.select_related("release__source").order_by("when", "pk"):
        common = len(set(own.columns) & set(row.columns))
        is_same = own.file == row.file or list(own.columns) == row.columns
        if is_same or common:
            tables.append(KnownTable(row, common, is_same))
    return tables


def last_released_upload() -> int:
    """Returns the id of the newest released upload; 0 if there is none."""
    return ReleasedUpload.objects.aggregate(last=Max("pk"))["last"] or 0


def store_digest(release: Release, own: TableDigest, labels: Labels, now: datetime) -> None:
    """Stores the digest of an upload, in the transaction that approves its release.

    `labels`: classes in the order of the file.
    """
    ReleasedUpload.objects.create(
        release=release,
        when=now,
        file=own.file,
        columns=list(own.columns),
        records=own.records,
        classes=pack_classes(labels[own.order]),
    )
