"""A picture is numbers first: its table is what a screen reader reads, a CSV holds and the drawing shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

ColumnKind = Literal["words", "share", "number", "count"]
Draw = Callable[[int], dict[str, Any]]
"""From a width in pixels to a Vega-Lite specification of just that width."""


@dataclass(frozen=True)
class PictureColumn:
    """`name` stands in files, `label` on the page."""

    name: str
    label: str
    kind: ColumnKind = "share"


@dataclass(frozen=True)
class Picture:
    """`about` says what is to be seen, for those who cannot; `omitted` how many rows the drawing leaves out."""

    name: str
    title: str
    about: str
    columns: Sequence[PictureColumn]
    rows: Sequence[Sequence[Any]]
    draw: Draw
    omitted: int = 0
