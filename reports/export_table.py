"""Defines a table of a downloaded file, builds it from the dataclasses of a report, and writes it as CSV."""

import io
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mining.json_codec import required_names
from mining.studies.comparison_with_truth import AMONG
from privacy.designs import formula_escape
from privacy.records.csv_writer import csv_writer

COLUMNS = {
    "disguised_only": "among",
    "n_asked": "base",
    "n_open": "opened",
    "n_shown_all": "eligible",
}


JOINED = " & "
WORDED = ("items", "antecedent", "consequent", "item")
"""Members of report nodes that hold answers; tables have these also in words."""
AnswersToText = Callable[[Sequence[str]], str]


@dataclass(frozen=True)
class ExportTable:
    """A table of a downloaded file: its name, its column names, and rows of numbers and texts."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def column_name(member: str) -> str:
    """Returns the name that a field of a report's dataclasses has as a column in files."""
    return COLUMNS.get(member, member)


def disguised_only_text(disguised_only: bool) -> str:
    """Returns the words for the people of a row, as the command `mine` prints them; empty if it is about everybody."""
    return AMONG if disguised_only else ""


def node_table(
    node_type: type,
    name: str,
    nodes: Sequence[Any],
    answers_to_text: AnswersToText,
    omitted_members: Collection[str] = (),
) -> ExportTable:
    """Builds a table from report dataclasses of one type: a row per object, a column per field, two columns for
    answers: name and words."""
    names = [name for name in required_names(node_type) if name not in {*omitted_members, "heads"}]
    rows = tuple(tuple(node_cells(node, names, answers_to_text)) for node in nodes)
    columns = tuple(
        column
        for member in names
        for column in ((member, f"{member}_in_words") if member in WORDED else (column_name(member),))
    )
    return ExportTable(name, columns, rows)


def node_cells(node: Any, names: Sequence[str], answers_to_text: AnswersToText) -> Iterator[Any]:
    """Yields the cells of one row; an answer gives two cells, its name and its words."""
    for name in names:
        value = getattr(node, name)
        if name == "disguised_only":
            value = disguised_only_text(value)
        if name not in WORDED:
            yield value
            continue
        answers = (value,) if isinstance(value, str) else value
        yield JOINED.join(answers)
        yield answers_to_text(answers)


def csv_bytes(table: ExportTable) -> bytes:
    text = io.StringIO()
    rows = csv_writer(text)
    rows.writerow(table.columns)
    rows.writerows([spreadsheet_cell(cell) for cell in row] for row in table.rows)
    return text.getvalue().encode()


def spreadsheet_cell(value: Any) -> Any:
    """Returns a value that a spreadsheet does not run as a formula: texts escaped, numbers unchanged, None empty."""
    if isinstance(value, str):
        return formula_escape.escape_formula(value)
    return "" if value is None else value
