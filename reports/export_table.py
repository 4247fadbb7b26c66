"""A table of a file: names of columns, and rows of numbers and texts; and as CSV."""

import csv
import io
from dataclasses import dataclass
from typing import Any

from mining.truth import AMONG
from privacy.designs import spreadsheet_cells

COLUMNS = {
    "disguised_only": "among",
    "n_asked": "base",
    "n_open": "opened",
    "n_shown_all": "eligible",
}


@dataclass(frozen=True)
class ExportTable:
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def column_name(member: str) -> str:
    """Of a member of a node."""
    return COLUMNS.get(member, member)


def said_among(disguised_only: bool) -> str:
    """As the command `mine` says it; empty if it is everybody."""
    return AMONG if disguised_only else ""


def csv_bytes(table: ExportTable) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(table.columns)
    rows.writerows([harmless(cell) for cell in row] for row in table.rows)
    return text.getvalue().encode()


def harmless(value: Any) -> Any:
    """For a spreadsheet: a text, escaped so that it is no formula; a number as it is; an empty text for None."""
    if isinstance(value, str):
        return spreadsheet_cells.harmless(value)
    return "" if value is None else value
