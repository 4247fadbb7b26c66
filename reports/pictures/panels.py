"""Several plots of equal scale below each other in one drawing, which stretches with the page as facets do not."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import altair as alt

from reports.pictures import drawing as d
from ui.numbers import percent

MOST = 8
"""The most panels of a picture."""
HEAD, GAP = 24, 22
TALL, LOW = 260, 88
"""Pixels of the only plot, and of one of several."""
CLOSE = 0.95
"""A step may be so much smaller than wanted: a share just above 100 % does not change the axis."""


@dataclass(frozen=True)
class Panels:
    """Shares from `low` to `high` over each other; one panel has no label. All y are pixels from the top."""

    labels: Sequence[str]
    low: float
    high: float

    @property
    def _is_one(self) -> bool:
        return len(self.labels) == 1

    @property
    def _plot(self) -> int:
        return TALL if self._is_one else LOW

    @property
    def _head(self) -> int:
        return 0 if self._is_one else HEAD

    @property
    def height(self) -> int:
        return len(self.labels) * (self._head + self._plot + GAP) - GAP

    def y(self, panel: int, share: float) -> float:
        """What is above `high` is drawn there."""
        top = panel * (self._head + self._plot + GAP) + self._head
        return round(top + self._plot * (self.high - min(share, self.high)) / (self.high - self.low), 2)

    def encoded(self, title: str) -> alt.Y:
        marks = ticks(self.low, self.high, 5 if self._is_one else 2)
        at = [self.y(panel, mark) for panel in range(len(self.labels)) for mark in marks]
        said = [percent(mark, places(marks)) for mark in marks] * len(self.labels)
        words = f"{json.dumps(said)}[indexof({json.dumps(at)}, datum.value)]"
        axis = d.y_axis(title, values=at, labelExpr=words, grid=True)
        return alt.Y("y:Q", axis=axis, scale=alt.Scale(domain=[self.height, 0], nice=False, zero=False))

    def label_layers(self, y: alt.Y, width: int) -> list[alt.Chart]:
        if self._is_one:
            return []
        rows = [
            {"label": label, "y": self.y(panel, self.high) - HEAD / 2}
            for panel, label in enumerate(self.labels)
        ]
        text = d.base(rows).mark_text(align="left", baseline="middle", limit=width - 60, fontWeight="bold")
        return [text.encode(x=alt.value(0), y=y, text=alt.Text("label:N"))]


def places(marks: Sequence[float]) -> int:
    """The decimal places of these shares in per cent."""
    step = 100 * (marks[1] - marks[0]) if len(marks) > 1 else 1.0
    return max(0, -floor(log10(step) + 1e-9))


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values from low to high, about so many steps apart."""
    raw = (high - low) / most
    power = 10 ** floor(log10(raw))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= raw * CLOSE)
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
