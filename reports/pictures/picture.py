"""Defines a picture: a drawing, and a table of the same numbers for screen readers and CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reports.pictures.plot import Drawing

ColumnKind = Literal["words", "share", "estimate", "small-share", "number", "count"]


@dataclass(frozen=True)
class PictureColumn:
    """A column of a picture's table; `name` is for files, `label` for the page. An `estimate` is a share that noise may
    have carried out of its range."""

    name: str
    label: str
    kind: ColumnKind = "share"


@dataclass(frozen=True)
class Picture:
    """A drawing with its table. `about` describes the drawing in words; `omitted` counts rows that it leaves out."""

    name: str
    title: str
    about: str
    columns: Sequence[PictureColumn]
    rows: Sequence[Sequence[Any]]
    drawing: Drawing
    omitted: int = 0

    @property
    def cells(self) -> list[list[tuple[PictureColumn, Any]]]:
        """The rows of the table, each cell with its column."""
        return [list(zip(self.columns, row, strict=False)) for row in self.rows]
