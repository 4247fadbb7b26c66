"""Writes and reads numbers of a document as CSV, and builds the small example tables to anonymise."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, TypeVar, get_type_hints

from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification import FORMAT, Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table

PLACES = 7
Row = TypeVar("Row")


def csv_text(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """Returns a CSV text with the header `head`; floats have seven places."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows(
        [round(cell, PLACES) if isinstance(cell, float) else cell for cell in line] for line in lines
    )
    return text.getvalue()


def csv_from_rows(rows: Iterable[Any]) -> str:
    """Returns the CSV text of dataclasses or dictionaries; a nested object becomes several columns."""
    lines = []
    for row in rows:
        columns: dict[str, Any] = {}
        members = asdict(row) if is_dataclass(row) and not isinstance(row, type) else row
        for name, value in members.items():
            if isinstance(value, dict):
                columns |= {f"{name}_{part}": cell for part, cell in value.items()}
            else:
                columns[name] = " ".join(map(str, value)) if isinstance(value, list | tuple) else value
        lines.append(columns)
    return csv_text(list(lines[0]), [list(line.values()) for line in lines])


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def read_csv_rows(kind: type[Row], text: str) -> list[Row]:
    """Reads rows that `csv_from_rows` wrote into dataclasses of type `kind` (integers, floats, texts)."""
    types = get_type_hints(kind)
    return [kind(**{name: types[name](cell) for name, cell in line.items()}) for line in read_csv(text)]


def four_decimals(value: float) -> str:
    return f"{value:.4f}"


def percent(share: float, places: int = 1) -> str:
    return f"{100 * share:.{places}f} %"


def make_specification(quasi: Sequence[Mapping[str, Any]], **members: Any) -> Specification:
    """Builds the specification of a table with these quasi-identifiers; `members` replace defaults.

    By default the frequency of a sensitive value has no cap.
    """
    specification = {"format": FORMAT, "quasi_identifiers": list(quasi), "max_frequency": None, **members}
    return read_specification(json.dumps(specification), "specification", frozenset(METHODS))


def make_table(specification: Specification, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    return read_table(io.BytesIO(csv_text(head, rows).encode()), "table", specification)


def published_cells_by_record(outcome: AnonymisedTable) -> list[list[str]]:
    """Returns the published cells of each record of an anonymised table, in the order of the records."""
    classes, table = outcome.partition, outcome.table
    rows = []
    for record, label in enumerate(classes.labels.tolist()):
        ends = zip(table.quasi, classes.lows[label].tolist(), classes.highs[label].tolist(), strict=True)
        cells = [column.cell_text(low, high) for column, low, high in ends]
        rows.append(cells + [column.texts[column.codes[record]] for column in table.sensitive])
    return rows


def cell_includes_value(cell: str, value: str) -> bool:
    """Returns True if a published cell (`25..29`, `13***` or a single value) includes this exact value."""
    low, dots, high = cell.partition("..")
    if dots:
        return int(low) <= int(value) <= int(high)
    return value.startswith(cell.rstrip("*")) if cell.endswith("*") else cell == value
