"""A picture: a table for screen readers and for CSV, and a drawing of the same numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

ColumnKind = Literal["words", "share", "small-share", "number", "count"]
Draw = Callable[[int], dict[str, Any]]
"""From a width in pixels to a Vega-Lite specification of that width."""


@dataclass(frozen=True)
class PictureColumn:
    """`name` is for files, `label` for the page."""

    name: str
    label: str
    kind: ColumnKind = "share"


@dataclass(frozen=True)
class Picture:
    """`about` describes the drawing in words; `omitted` is the number of rows that the drawing leaves out."""

    name: str
    title: str
    about: str
    columns: Sequence[PictureColumn]
    rows: Sequence[Sequence[Any]]
    draw: Draw
    omitted: int = 0

    @property
    def cells(self) -> list[list[tuple[PictureColumn, Any]]]:
        """Of its table, row by row."""
        return [list(zip(self.columns, row, strict=False)) for row in self.rows]
