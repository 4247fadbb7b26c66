"""Writes CSV equally with every version of Python.

Before 3.13, where rows end in a line feed, the csv module does not quote a cell with a carriage return, and a reader
takes that for the end of the row.
"""

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from _csv import Writer


class Sink(Protocol):
    """Interface of a text file for writing, opened with newline=""."""

    def write(self, text: str, /) -> object: ...


@dataclass(frozen=True, slots=True)
class _RowsEndingInLineFeed:
    file: Sink

    def write(self, row: str, /) -> object:
        return self.file.write(f"{row[:-2]}\n")


def csv_writer(file: Sink) -> "Writer":
    """Returns a writer of `csv` whose rows end in a line feed; cells with any line end are quoted."""
    return csv.writer(_RowsEndingInLineFeed(file), lineterminator="\r\n")
