"""A published file as arrays: what its reader sees, in its order."""

from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.losses import Partition
from privacy.anonymity.published import books_of, classes_of_books, codes_of, ends_of
from privacy.anonymity.table import Column, QuasiColumn, Table
from privacy.grammar.refusal import Refusal, marked as _

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """`quasi`: the columns of the source, for their values; `classes`: of the rows, with what their cells show."""

    quasi: tuple[QuasiColumn, ...]
    classes: Partition
    sensitive: tuple[Column, ...]
    other: tuple[Column, ...]


def read_published(file: BinaryIO, name: str, source: Table) -> PublishedTable:
    """Read a file that was made of this table; a cell that shows none of its values is refused."""
    books = books_of(file, name, source)
    if not books[0].records:
        raise Refusal(name, _("there are no records"))
    width = len(source.quasi)
    ends = [ends_of(name, column, book) for column, book in zip(source.quasi, books[:width], strict=True)]
    labels = classes_of_books(books[:width])
    _classes, row = np.unique(labels, return_index=True)
    lows, highs = (np.stack(side, axis=1)[row] for side in zip(*ends, strict=True))
    plain = [
        replace(column, codes=codes_of(name, column, book))
        for column, book in zip(source.plain, books[width:], strict=True)
    ]
    sensitive, other = len(source.sensitive), len(source.sensitive) + len(source.disguised)
    return PublishedTable(
        source.quasi, Partition(labels, lows, highs), tuple(plain[:sensitive]), tuple(plain[other:])
    )
