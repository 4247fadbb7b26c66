"""The results of estimates from data frames: a table, and what it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class Estimates:
    """A table of estimates: `to_frame()` returns it, `print` shows it with what it is.

    `kind`: shares, differences, coefficients or an item count. `method` says which test or error makes its intervals,
    `level` their confidence level. `n`: number of rows used; `left_out`: number of rows left out by reason; one row may
    have several. `notes`: what a reader must know.
    """

    kind: str
    table: "pd.DataFrame"
    method: str
    level: float
    n: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_frame(self) -> "pd.DataFrame":
        """Returns a copy of the table."""
        return self.table.copy()

    def __repr__(self) -> str:
        return (
            f"<{self.kind}: {len(self.table)} rows, n {self.n:,}, level {self.level:g}, {self._left_out()}>"
        )

    def __str__(self) -> str:
        head = f"{self.kind.capitalize()}, n {self.n:,}, {self._left_out()}. {self.method}, level {self.level:g}."
        table = self.table.to_string(index=False, float_format=lambda value: f"{value:.4f}")
        return "\n".join([head, table, *self.notes])

    def _left_out(self) -> str:
        reasons = [f"{number:,} for {reason}" for reason, number in self.left_out.items()]
        return f"left out: {', '.join(reasons) or 'none'}"
