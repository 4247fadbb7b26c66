"""Plots lines and areas over two axes, as SVG for a page or as an SVG file.

Along x, positions are percent of the plot's width, so that a plot fits any width without a script; along y they are
pixels. Colours of a page are in its stylesheet; a file has its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import ceil, floor, log10
from typing import Literal

from django.utils.safestring import SafeString, mark_safe

Point = tuple[float, float]
"""A point (x, y) in the units of both axes."""
Kind = Literal[
    "line", "line-2", "line-3", "line-4", "line-5", "line-6", "illustration", "band", "observed", "truth"
]
LINES: tuple[Kind, ...] = ("line", "line-2", "line-3", "line-4", "line-5", "line-6")
"""Styles of lines, from solid to more and more broken."""

TALL, LOW = 260, 88
"""Height in pixels of a drawing's only plot, and of one plot of several."""
NEAR_END = 12.0
"""Distance from an end of the axis, in percent: a nearer label begins or ends at its tick, so that it is not cut."""
CLOSE = 0.95
"""Factor by which a step may be smaller than needed: a share just above 100 % does not change the axis."""


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`; each tick is a value and its label."""

    title: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    logarithmic: bool = False

    def percent(self, value: float) -> float:
        """Returns the position of a value in percent of the axis; a value outside is put at the end."""
        low, high, value = (log10(v) if self.logarithmic else v for v in (self.low, self.high, value))
        return round(min(max((value - low) / (high - low), 0.0), 1.0) * 100, 1)


@dataclass(frozen=True)
class Line:
    kind: Kind
    points: Sequence[Point]


@dataclass(frozen=True)
class Band:
    """An area between two lines; each point has x, the lower y and the upper y."""

    points: Sequence[tuple[float, float, float]]


@dataclass(frozen=True)
class Steps:
    """The area under a staircase, for observed shares; each step has its first x, its last x and its y."""

    steps: Sequence[tuple[float, float, float]]


@dataclass(frozen=True)
class Dots:
    points: Sequence[Point]
    is_truth: bool = False


Mark = Line | Band | Steps | Dots


@dataclass(frozen=True)
class Drawing:
    """One or more plots below each other on one scale, each with a label; a single plot has none."""

    x: Axis
    y: Axis
    plots: Sequence[tuple[str, Sequence[Mark]]]
    key: Sequence[tuple[Kind, str]] = ()

    @property
    def height(self) -> int:
        return TALL if len(self.plots) == 1 else LOW

    @cached_property
    def y_labels(self) -> list[str]:
        """The labels from top to bottom; the axis begins and ends at a tick, so they are evenly spaced."""
        return [label for _value, label in reversed(self.y.ticks)]

    def rows(self) -> Iterator[tuple[str, SafeString]]:
        """Yields each plot's label and SVG; the last plot has the labels of the x axis."""
        for index, (label, marks) in enumerate(self.plots):
            is_last = index == len(self.plots) - 1
            shapes = [*self.shapes(marks), *(self.x_tick_elements() if is_last else ())]
            yield (
                label,
                svg_element(shapes, f'height="{self.height + (22 if is_last else 0)}" direction="ltr"'),
            )

    def samples(self) -> Iterator[tuple[SafeString, str]]:
        """Yields the entries of the legend: a sample of each kind of mark, and its text."""
        for kind, words in self.key:
            yield svg_element([sample_mark(kind)], 'width="30" height="14"'), words

    def y_pixels(self, value: float) -> float:
        return round(self.height * (1 - self.y.percent(value) / 100), 1)

    def shapes(self, marks: Sequence[Mark]) -> Iterator[str]:
        """Yields the SVG elements of one plot: its grid lines, then its marks."""
        for value, _label in self.y.ticks:
            yield f'<line class="grid" x1="0" x2="100%" y1="{self.y_pixels(value)}" y2="{self.y_pixels(value)}"/>'
        for mark in marks:
            match mark:
                case Steps(steps):
                    zero = self.y_pixels(max(0.0, self.y.low))
                    for first, last, share in steps:
                        left, right, top = self.x.percent(first), self.x.percent(last), self.y_pixels(share)
                        yield (
                            f'<rect class="observed" fill="url(#stipple)" x="{left}%" width="{right - left:.1f}%"'
                            f' y="{min(top, zero)}" height="{abs(zero - top):.1f}"/>'
                        )
                    outline = [
                        point for first, last, share in steps for point in ((first, share), (last, share))
                    ]
                    yield self._stretched_svg(self._path("outline", outline))
                case Band(points):
                    ends = [self._path_data((x, y) for x, y, _high in points)]
                    ends.append(self._path_data((x, y) for x, _low, y in reversed(points)))
                    yield self._stretched_svg(f'<path class="band" d="M{" L".join(ends)}Z"/>')
                case Line(kind, points):
                    halo = "" if kind == "illustration" else self._path("halo", points)
                    yield self._stretched_svg(halo + self._path(kind, points))
                case Dots(points, is_truth):
                    for x, y in points:
                        yield (diamond if is_truth else dot)(f"{self.x.percent(x)}%", self.y_pixels(y))

    def _path_data(self, points: Iterable[Point]) -> str:
        return " L".join(f"{self.x.percent(x)} {self.y_pixels(y)}" for x, y in points)

    def _path(self, kind: str, points: Iterable[Point]) -> str:
        return f'<path class="{kind}" d="M{self._path_data(points)}"/>'

    def _stretched_svg(self, paths: str) -> str:
        """Wraps paths so that 100 units are the width of the plot; strokes keep their width."""
        box = (
            f'viewBox="0 0 100 {self.height}" width="100%" height="{self.height}" preserveAspectRatio="none"'
        )
        return f"<svg {box}>{paths}</svg>"

    def x_tick_elements(self) -> Iterator[str]:
        last = len(self.x.ticks) - 1
        for index, (value, label) in enumerate(self.x.ticks):
            at = self.x.percent(value)
            anchor = "start" if at < NEAR_END else "end" if at > 100 - NEAR_END else "middle"
            kind = "every-second" if (last - index) % 2 else "label"
            yield f'<line class="tick" x1="{at}%" x2="{at}%" y1="{self.height}" y2="{self.height + 4}"/>'
            yield f'<text class="{kind}" x="{at}%" y="{self.height + 18}" text-anchor="{anchor}">{escape(label)}</text>'


def svg_element(shapes: Iterable[str], size: str) -> SafeString:
    """Returns an SVG element. `shapes` contain our own markup, numbers, and labels that are escaped."""
    return mark_safe(f'<svg class="plot" {size} aria-hidden="true">{"".join(shapes)}</svg>')  # noqa: S308


def dot(x: str, y: float) -> str:
    return f'<circle class="dot" cx="{x}" cy="{y}" r="5.5"/>'


def diamond(x: str, y: float) -> str:
    return f'<svg class="truth" x="{x}" y="{y}"><path d="M0-6 6 0 0 6-6 0z"/></svg>'


def sample_mark(kind: Kind) -> str:
    match kind:
        case "observed":
            return '<rect class="observed" fill="url(#stipple)" x="0" y="1" width="30" height="12"/>'
        case "band":
            return '<path class="band" d="M0 1H30V13H0Z"/><path class="line" d="M0 7H30"/>'
        case "truth":
            return diamond("15", 7)
        case _:
            return f'<path class="{kind}" d="M0 7H30"/>'


def round_steps(low: float, high: float, most: int) -> list[float]:
    """Returns round values from below `low` to above `high`, about `most` steps."""
    raw = (high - low) / most
    power = 10 ** floor(log10(raw))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= raw * CLOSE)
    return [round(k * step, 10) for k in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


def percent_decimal_places(marks: Sequence[float]) -> int:
    """Returns how many decimal places the tick marks `marks` need when they are written in percent."""
    step = 100 * (marks[1] - marks[0]) if len(marks) > 1 else 1.0
    return max(0, -floor(log10(step) + 1e-9))


# --- the file -------------------------------------------------------------------------------------------

WIDTH, LEFT, RIGHT, LINE, GAP = 720, 64, 20, 22, 18
"""Sizes in an SVG file, in pixels: its width, the space left and right of the plots, a line of text, a gap."""
STYLES = """
text { font: 14px system-ui, sans-serif; fill: #1c2430 }
text.title { font-weight: 700; font-size: 16px }
.grid { stroke: #d9dce1 } .tick { stroke: #5b6472 }
path { fill: none; stroke: #1c2430; stroke-width: 2; vector-effect: non-scaling-stroke }
path.halo { stroke: #fff; stroke-width: 5 }
path.line-2 { stroke-dasharray: 8 4 } path.line-3 { stroke-dasharray: 2 4 } path.line-4 { stroke-dasharray: 10 4 2 4 }
path.line-5 { stroke-dasharray: 14 6 } path.line-6 { stroke-dasharray: 2 8 }
path.illustration { stroke-width: 1.25; stroke-dasharray: 2 3 } path.outline { stroke: #5b6472; stroke-width: 1 }
path.band { fill: #1c2430; fill-opacity: .2; stroke-width: 1 }
.dot { fill: #1c2430; stroke: #fff; stroke-width: 1.5 }
svg { overflow: visible } svg.truth path { fill: #fff }
"""
STIPPLE = (
    '<pattern id="stipple" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<circle cx="1.5" cy="1.5" r="1.3"/><circle cx="4.5" cy="4.5" r="1.3"/></pattern>'
)


def svg_file(drawing: Drawing, title: str) -> str:
    """Returns the drawing as a stand-alone SVG file: light colours, 720 pixels wide, with all text."""
    y, parts = float(LINE), []

    def add_text(x: float, text: str, **attributes: str) -> None:
        more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        parts.append(f'<text x="{x}" y="{y}"{more}>{escape(text)}</text>')

    add_text(0, title, **{"class": "title"})
    for kind, text in drawing.key:
        y += LINE
        parts.append(f'<svg x="0" y="{y - 11}">{sample_mark(kind)}</svg>')
        add_text(40, text)
    y += LINE + GAP / 2
    add_text(0, drawing.y.title)
    for index, (label, marks) in enumerate(drawing.plots):
        if label:
            y += LINE
            add_text(LEFT, label, font_weight="700")
        y += GAP
        is_last = index == len(drawing.plots) - 1
        shapes = [*drawing.shapes(marks), *(drawing.x_tick_elements() if is_last else ())]
        parts.append(f'<svg x="{LEFT}" y="{y}" width="{WIDTH - LEFT - RIGHT}">{"".join(shapes)}</svg>')
        top = y
        for value, text in drawing.y.ticks:
            y = top + drawing.y_pixels(value) + 5
            add_text(LEFT - 10, text, text_anchor="end")
        y = top + drawing.height
    y += 2 * LINE
    add_text(WIDTH - RIGHT, drawing.x.title, text_anchor="end")
    height = ceil(y + GAP / 2)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}">'
    ground = '<rect width="100%" height="100%" fill="#fff"/>'
    about = f"<title>{escape(title)}</title><style>{STYLES}</style><defs>{STIPPLE}</defs>"
    return f"{head}{about}{ground}{''.join(parts)}</svg>"
