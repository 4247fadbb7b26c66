"""A table of a file: names of columns, and rows of numbers and texts; and as CSV."""

import csv
import io
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mining.document.codec import required_names
from mining.truth import AMONG
from privacy.designs import spreadsheet_cells

COLUMNS = {
    "disguised_only": "among",
    "n_asked": "base",
    "n_open": "opened",
    "n_shown_all": "eligible",
}


JOINED = " & "
WORDED = ("items", "antecedent", "consequent", "item")
"""Members that are answers."""
Words = Callable[[Sequence[str]], str]


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


def node_table(
    kind: type, name: str, nodes: Sequence[Any], words: Words, leave: Collection[str] = ()
) -> ExportTable:
    """Of nodes of one sort: a column for each of their members, and answers also in words."""
    names = [name for name in required_names(kind) if name not in {*leave, "heads"}]
    rows = tuple(tuple(cells(node, names, words)) for node in nodes)
    columns = tuple(
        column
        for member in names
        for column in ((member, f"{member}_in_words") if member in WORDED else (column_name(member),))
    )
    return ExportTable(name, columns, rows)


def cells(node: Any, names: Sequence[str], words: Words) -> Iterator[Any]:
    for name in names:
        value = getattr(node, name)
        if name == "disguised_only":
            value = said_among(value)
        if name not in WORDED:
            yield value
            continue
        answers = (value,) if isinstance(value, str) else value
        yield JOINED.join(answers)
        yield words(answers)


def csv_bytes(table: ExportTable) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(table.columns)
    rows.writerows([harmless(cell) for cell in row] for row in table.rows)
    return text.getvalue().encode()


def harmless(value: Any) -> Any:
    """For a spreadsheet: a text, escaped so that it is no formula; a number as it is; an empty text for None."""
    if isinstance(value, str):
        return spreadsheet_cells.escape_formula(value)
    return "" if value is None else value
