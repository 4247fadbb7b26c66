"""A table of a file: names of columns, and rows of numbers and texts."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ExportTable:
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
