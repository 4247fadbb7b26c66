"""A picture: a table for screen readers and for CSV, and a drawing of the same numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reports.pictures.plot import Drawing

ColumnKind = Literal["words", "share", "small-share", "number", "count"]


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
    drawing: Drawing
    omitted: int = 0

    @property
    def cells(self) -> list[list[tuple[PictureColumn, Any]]]:
        """Of its table, row by row."""
        return [list(zip(self.columns, row, strict=False)) for row in self.rows]
