"""Small tables as the product reads them: a specification, and rows of a CSV file."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from papers.tables import csv_text
from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.methods import METHODS
from privacy.anonymity.tables.specification import FORMAT, Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table


def specified(quasi: Sequence[Mapping[str, Any]], **members: Any) -> Specification:
    """These quasi-identifiers; no cap on the most frequent value, unless the members say so."""
    specification = {"format": FORMAT, "quasi_identifiers": list(quasi), "max_frequency": None, **members}
    return read_specification(json.dumps(specification), "specification", frozenset(METHODS))


def table_of(specification: Specification, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    return read_table(io.BytesIO(csv_text(head, rows).encode()), "table", specification)


def shown(outcome: AnonymisedTable) -> list[list[str]]:
    """What is published of each record, in the order of the records."""
    classes, table = outcome.partition, outcome.table
    rows = []
    for record, label in enumerate(classes.labels.tolist()):
        ends = zip(table.quasi, classes.lows[label].tolist(), classes.highs[label].tolist(), strict=True)
        cells = [column.shown(low, high) for column, low, high in ends]
        rows.append(cells + [column.texts[column.codes[record]] for column in table.sensitive])
    return rows


def covers(cell: str, value: str) -> bool:
    """Whether what is published, `25..29`, `13***` or a single value, can be this value."""
    low, dots, high = cell.partition("..")
    if dots:
        return int(low) <= int(value) <= int(high)
    return value.startswith(cell.rstrip("*")) if cell.endswith("*") else cell == value
