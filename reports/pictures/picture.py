"""A picture: a table for screen readers and for CSV, and a drawing of the same numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.translation import gettext as _

ColumnKind = Literal["words", "share", "small-share", "number", "count", "rule"]
Draw = Callable[[int], dict[str, Any]]
"""From a width in pixels to a Vega-Lite specification of that width."""
RuleUrl = Callable[[int], str]
"""From the number of a rule to its page."""


@dataclass(frozen=True)
class PictureColumn:
    """`name` is for files, `label` for the page; a `rule` is the number of a rule, on the page a link to it."""

    name: str
    label: str
    kind: ColumnKind = "share"


def lift_columns() -> list[PictureColumn]:
    """A lift with its interval."""
    return [
        PictureColumn("lift", _("Lift"), "number"),
        PictureColumn("lift_low", _("From"), "number"),
        PictureColumn("lift_high", _("To"), "number"),
    ]


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
