"""Draws interval charts as SVG: a bar from low to high, a dot at the estimate, a dashed line at the share of all, or
where there is no difference.

Positions are percentages, so that a chart is as wide as its container. The numbers stand next to it as text, so it is
hidden from screen readers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log10
from typing import Literal

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

State = Literal["filled", "hollow", "dashed"]
"""Style of an interval. Filled: a difference is shown. Hollow: none is shown. Dashed: a forecast, or a value that stays
unseen; it has no dot."""
Size = Literal["sentence", "row", "key"]
"""Size of a picture: next to a sentence, in a row of a table, as a symbol of a legend."""

CLASSES: dict[State, str] = {"filled": "", "hollow": "none", "dashed": "plan"}
HEIGHTS: dict[Size, int] = {"sentence": 54, "row": 24, "key": 16}
RADII: dict[Size, int] = {"sentence": 5, "row": 4, "key": 4}
BAR = 7
NARROW, SMALL_DOT = 6.0, 3
"""A bar narrower than NARROW percent of the scale has a dot of radius SMALL_DOT, so that the dot does not hide it."""
MARGIN = 14.0
"""Percentage of the width: a text nearer to an end starts or ends at its mark, so that it is not cut off."""
APART = 30.0
"""Percentage of the width that must lie between two texts on one line if both are centred."""

MOST_LABELS = 5
"""Largest number of labels of an axis that fit beside each other in a row of a table."""


@dataclass(frozen=True)
class Scale:
    """A scale from `start` to `end`, with a grid line after each `step` between them."""

    end: float
    step: float
    start: float = 0.0

    @classmethod
    def covering(cls, values: Iterable[float | None], most: float | None = None) -> "Scale":
        """Returns a scale from 0 to a round number above all values of a list, at most `most`."""
        largest = max((value for value in values if value is not None), default=0.0)
        if largest <= 0:
            return cls(end=most or 1.0, step=(most or 1.0) / 5)
        power = 10.0 ** floor(log10(largest / 3))
        times = max(n for n in (1, 2, 5) if n * power <= largest / 3 * (1 + 1e-9))
        step, unit = times * power, power if times < 5 else 5 * power
        end = (floor(largest / unit + 1e-9) + 1) * unit
        return cls(end=end if most is None else min(end, most), step=step)

    def position_percent(self, value: float) -> float:
        """Returns the position of the value as a percentage of the scale; raises outside of it."""
        at = (value - self.start) / (self.end - self.start) * 100
        if not -1e-6 <= at <= 100 + 1e-6:
            raise ValueError(f"{value} is outside the scale from {self.start} to {self.end}")
        return min(100.0, max(0.0, at))

    @property
    def ticks(self) -> tuple[float, ...]:
        """Values of the scale at which a grid line or a label can be drawn: `start`, and each `step` up to `end`."""
        steps = floor((self.end - self.start) / self.step + 1e-9)
        return tuple(round(self.start + n * self.step, 10) for n in range(steps + 1))


@dataclass(frozen=True)
class Interval:
    """An interval to draw, with optional marks.

    `is_endless`: it has no upper end, which an arrow at its high end shows. `label` is above the dot, other texts are
    below their marks; texts are drawn only next to a sentence.
    """

    low: float | None = None
    high: float | None = None
    estimate: float | None = None
    base: float | None = None
    received: float | None = None
    truth: float | None = None
    state: State = "filled"
    is_endless: bool = False
    label: str = ""
    below: str = ""
    base_label: str = ""
    received_label: str = ""

    @property
    def values(self) -> tuple[float | None, ...]:
        """All values that the scale must contain."""
        return self.low, self.high, self.estimate, self.base, self.received, self.truth


@dataclass(frozen=True)
class _ChartWriter:
    """Writer of the SVG shapes of one chart; only texts need escaping."""

    scale: Scale
    size: Size
    mirrored: bool

    @property
    def height(self) -> int:
        return HEIGHTS[self.size]

    @property
    def middle(self) -> float:
        return self.height / 2

    @property
    def line_ends(self) -> tuple[float, float]:
        """The upper and lower end of vertical lines; next to a sentence they leave space for texts."""
        return (16, 38) if self.size == "sentence" else (0, self.height)

    def x_position(self, percent: float) -> str:
        return f"{100 - percent if self.mirrored else percent:.1f}%"

    def vertical_line(self, percent: float, kind: str = "") -> str:
        x, (top, bottom) = self.x_position(percent), self.line_ends
        head = f'class="{kind}" ' if kind else ""
        start = f'y1="{top}" ' if top else ""
        return f'<line {head}x1="{x}" x2="{x}" {start}y2="{bottom}"/>'

    def text(self, kind: str, percent: float, y: int, text: str, anchor: str = "") -> str:
        anchor = anchor or ("start" if percent < MARGIN else "end" if percent > 100 - MARGIN else "middle")
        x = self.x_position(percent)
        if self.mirrored and text.startswith(("−", "+")):
            text = f"\u200e{text}"  # else the sign is shown to the right of its digits
        return (
            f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{conditional_escape(text)}</text>'
        )

    def scale_lines(self) -> Iterable[str]:
        if self.size == "key":
            return
        yield '<g class="grid">'
        for tick in self.scale.ticks:
            if self.scale.start < tick < self.scale.end:
                yield self.vertical_line(self.scale.position_percent(tick))
        if self.size == "sentence":
            yield f'<line x2="100%" y1="{self.middle}" y2="{self.middle}"/>'
        yield "</g>"
        zero = min(max(self.scale.start, 0.0), self.scale.end)
        yield self.vertical_line(self.scale.position_percent(zero), "zero")

    def shapes(self, interval: Interval) -> Iterable[str]:
        """Yields the SVG shapes of one interval in the order of drawing: bar, base line, received share, estimate, true
        value."""
        width = 100.0
        if interval.low is not None and interval.high is not None:
            low, high = (round(self.scale.position_percent(at), 1) for at in (interval.low, interval.high))
            width, x = high - low, self.x_position(high if self.mirrored else low)
            size = f'width="{width:.1f}%" height="{BAR}" rx="{BAR / 2}"'
            yield f'<rect class="bar" x="{x}" y="{self.middle - BAR / 2}" {size}/>'
            if interval.is_endless:
                way = 1 if self.mirrored else -1
                yield (
                    f'<svg class="endless" x="{self.x_position(high)}" y="{self.middle}">'
                    f'<path d="M{8 * way}-7L0 0 {8 * way} 7"/></svg>'
                )
        if interval.base is not None:
            yield self.vertical_line(self.scale.position_percent(interval.base), "base")
        if interval.received is not None:
            x = self.x_position(self.scale.position_percent(interval.received))
            for y in (self.middle - 5, self.middle, self.middle + 5):
                yield f'<circle class="recv" cx="{x}" cy="{y}" r="1.4"/>'
        if interval.estimate is not None and interval.state != "dashed":
            radius = SMALL_DOT if width < NARROW else RADII[self.size]
            x = self.x_position(self.scale.position_percent(interval.estimate))
            yield f'<circle class="dot" cx="{x}" cy="{self.middle}" r="{radius}"/>'
        if interval.truth is not None:
            x = self.x_position(self.scale.position_percent(interval.truth))
            yield f'<svg class="truth" x="{x}" y="{self.middle}"><path d="M0-5 5 0 0 5-5 0z"/></svg>'

    def mark_labels(self, interval: Interval) -> Iterable[str]:
        centre = interval.estimate
        if centre is None and interval.low is not None and interval.high is not None:
            centre = (interval.low + interval.high) / 2
        if centre is not None:
            at = self.scale.position_percent(centre)
            if interval.label:
                yield self.text("strong", at, 12, interval.label)
            if interval.below:
                yield self.text("soft", at, 51, interval.below)
        named = ((interval.base, interval.base_label), (interval.received, interval.received_label))
        low = sorted(
            (self.scale.position_percent(at), words) for at, words in named if words and at is not None
        )
        close = len(low) == 2 and low[1][0] - low[0][0] < APART
        for (at, words), anchor in zip(low, ("end", "start") if close else ("", ""), strict=False):
            yield self.text("soft", at, 51, words, anchor)

    def end_label(self, intervals: Sequence[Interval], words: str) -> Iterable[str]:
        """Yields the label of the scale's end, unless the label of another mark is close to it."""
        below = [
            self.scale.position_percent(at)
            for interval in intervals
            for at, label in (
                (interval.base, interval.base_label),
                (interval.received, interval.received_label),
                (interval.estimate, interval.below),
            )
            if label and at is not None
        ]
        if words and max(below, default=0.0) < 100 - APART:
            yield self.text("soft", 100, 51, words)


def draw_intervals(
    intervals: Sequence[Interval],
    scale: Scale,
    size: Size = "row",
    end_label: str = "",
    mirrored: bool = False,
) -> SafeString:
    """Returns the SVG of intervals on one line; `mirrored` for pages read from right to left."""
    pen = _ChartWriter(scale, size, mirrored)
    drawn = []
    for interval in intervals:
        shapes = [*pen.shapes(interval), *(pen.mark_labels(interval) if size == "sentence" else ())]
        head = f'<g class="{kind}">' if (kind := CLASSES[interval.state]) else "<g>"
        drawn.append(f"{head}{''.join(shapes)}</g>")
    end = pen.end_label(intervals, end_label) if size == "sentence" else ()
    return _wrap_svg(pen, [_scale_lines(pen), *drawn, *end])


@lru_cache(16)
def _scale_lines(pen: _ChartWriter) -> str:
    """Returns the grid lines of the scale, the same in all rows of a table."""
    return "".join(pen.scale_lines())


def draw_axis(scale: Scale, labels: Sequence[str], mirrored: bool = False) -> SafeString:
    """Returns the head of a column of charts with a label for each tick, or every second or third of many, 0
    included."""
    pen = _ChartWriter(scale, "row", mirrored)
    each = ceil(len(labels) / MOST_LABELS)
    zero = next((n for n, tick in enumerate(scale.ticks) if abs(tick) < scale.step / 2), 0)
    shown = list(zip(scale.ticks, labels, strict=True))[zero % each :: each]
    last = len(shown) - 1
    words = [
        pen.text("soft mid" if 0 < n < last else "soft", scale.position_percent(tick), 13, label)
        for n, (tick, label) in enumerate(shown)
    ]
    return _wrap_svg(pen, words, 18)


def _wrap_svg(pen: _ChartWriter, shapes: Iterable[str], height: int = 0) -> SafeString:
    reading = ' direction="rtl"' if pen.mirrored else ""
    head = f'<svg class="iv" height="{height or pen.height}" aria-hidden="true"{reading}>'
    return mark_safe(f"{head}{''.join(shapes)}</svg>")  # noqa: S308 - words are escaped by the pen
