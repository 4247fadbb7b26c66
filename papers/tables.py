"""Numbers of a document as CSV."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from io import StringIO
from typing import Any

PLACES = 7


def rounded(value: Any) -> Any:
    """A float to seven places."""
    return round(value, PLACES) if isinstance(value, float) else value


def csv_text(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([rounded(cell) for cell in line] for line in lines)
    return text.getvalue()


def csv_of(rows: Iterable[Any]) -> str:
    """Of dataclasses or dictionaries with the same members; a member that has members becomes a column for each."""
    flat = [_flat(asdict(row) if is_dataclass(row) and not isinstance(row, type) else row) for row in rows]
    return csv_text(list(flat[0]), [list(row.values()) for row in flat])


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            columns |= {f"{name}_{part}": cell for part, cell in value.items()}
        else:
            columns[name] = " ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return columns


def decimal(value: float) -> str:
    return f"{value:.4f}"


def percent(share: float, places: int = 1) -> str:
    return f"{100 * share:.{places}f} %"
