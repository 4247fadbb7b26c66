"""Numbers of a paper as CSV, as JSON and as tables of a text."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

PLACES = 7


def rounded(value: Any) -> Any:
    """Every float in it to seven places."""
    match value:
        case float():
            return round(value, PLACES)
        case dict():
            return {name: rounded(part) for name, part in value.items()}
        case list() | tuple():
            return [rounded(part) for part in value]
    return value


def csv_text(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows(lines)
    return text.getvalue()


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]], rule: str = "---") -> str:
    """`rule` stands below each name of a column; `--:` sets the columns to the right."""
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in [head, [rule] * len(head), *lines])
