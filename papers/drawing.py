"""Draws curves as a stand-alone SVG; the same numbers give the same bytes.

A curve: simulated values, as points with whiskers or as a line in a band, and a line of theory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 84, 20, 52, 116
LEGEND_ROWS, LEGEND_COLUMN = (378, 402), 185
INK = "#1b2431"
FONT = f'font-family="system-ui, sans-serif" fill="{INK}"'
MARK, APART = 4.0, 4.0
"""Half the size of a point, and the usual horizontal distance between the points of two curves."""
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Point = tuple[float, float]


@dataclass(frozen=True)
class Style:
    """Colour, dashes and shape of points: curves differ in all three."""

    colour: str
    dashes: str
    shape: str


STYLES = (
    Style("#a8481e", "7 4", "circle"),
    Style(INK, "none", "square"),
    Style("#3f7d8c", "2 3", "triangle"),
    Style("#7a5c99", "9 3 2 3", "cross"),
)


@dataclass(frozen=True)
class Curve:
    """Simulated values at the places of the figure, and points of a line of theory.

    A line is interrupted where a value is not finite. Without theory the points are joined.
    """

    name: str
    middle: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    theory: Sequence[Point] = ()


def line(name: str, values: Sequence[float]) -> Curve:
    """Without whiskers."""
    return Curve(name, values, values, values)


@dataclass(frozen=True)
class Figure:
    title: str
    across: str
    up: str
    at: Sequence[float]
    curves: Sequence[Curve]
    level: tuple[str, float] | None = None
    """The name and the value of a horizontal line."""
    note: str = ""
    """How to read it, below the title."""
    band: bool = False
    """Whether low and high are the edges of a band, or ends of whiskers."""
    logarithmic: bool = False
    """Whether the vertical axis is, from one power of ten to another; all values are then above 0."""
    apart: float = APART
    span: Point | None = None
    """The ends of the horizontal axis, where it is longer than the curves."""


@dataclass(frozen=True)
class AxisScale:
    """From values to places on the page."""

    left: float
    right: float
    bottom: float
    top: float
    logarithmic: bool = False

    @classmethod
    def of(cls, figure: Figure) -> "AxisScale":
        values = [
            value
            for curve in figure.curves
            for part in (curve.middle, curve.low, curve.high, [y for _, y in curve.theory])
            for value in part
            if isfinite(value)
        ]
        across = [*figure.at, *(x for curve in figure.curves for x, _ in curve.theory), *(figure.span or ())]
        if figure.logarithmic:
            bottom, top = 10.0 ** floor(log10(min(values))), 10.0 ** ceil(log10(max(values)))
            return cls(min(across), max(across), bottom, top, True)
        bottom, top = min([0.0, *values]), max(values, default=0.0)
        # If all values are 0, the axis still needs a length.
        return cls(min(across), max(across), bottom, top + 0.05 * (top - bottom) if top > bottom else 1.0)

    def x(self, value: float) -> float:
        return LEFT + (value - self.left) / (self.right - self.left) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        top, bottom, at = self.top, self.bottom, value
        if self.logarithmic:
            top, bottom, at = log10(top), log10(bottom), log10(value)
        return TOP + (top - at) / (top - bottom) * (HEIGHT - TOP - BOTTOM)

    @property
    def rungs(self) -> list[tuple[float, str]]:
        """Round numbers of the vertical axis, and how they are written."""
        if not self.logarithmic:
            return [(value, f"{value:g}") for value in ticks(self.bottom, self.top)]
        powers = range(round(log10(self.bottom)), round(log10(self.top)) + 1)
        return [(10.0**power, f"10{str(power).translate(RAISED)}") for power in powers]


def svg(figure: Figure) -> str:
    scale = AxisScale.of(figure)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        f"<title>{escape(figure.title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text((LEFT, 18), figure.title, "start", ' font-weight="600"'),
        _text((LEFT, 37), figure.note, "start", size=12),
        *_axes(figure, scale),
    ]
    for index, (curve, style) in enumerate(zip(figure.curves, STYLES, strict=False)):
        shift = (index - (len(figure.curves) - 1) / 2) * figure.apart
        drawn = (
            _band(curve, style, figure, scale) if figure.band else _points(curve, style, figure, scale, shift)
        )
        parts += drawn
        parts += _legend(curve, style, index, figure.band)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(curve: Curve, style: Style, index: int, band: bool) -> Iterator[str]:
    row, column = divmod(index, 3)
    x, y = LEFT + column * LEGEND_COLUMN, LEGEND_ROWS[row]
    yield _line([(x, y), (x + 36, y)], style)
    if not band:
        yield _mark((x + 18, y), style)
    yield _text((x + 44, y + 5), curve.name, "start")


def _axes(figure: Figure, scale: AxisScale) -> Iterator[str]:
    for value, words in scale.rungs:
        yield f'<path d="M{LEFT} {scale.y(value):.1f}H{WIDTH - RIGHT}" stroke="#d9d5cc"/>'
        yield _text((LEFT - 8, scale.y(value) + 5), words, "end")
    for value in ticks(scale.left, scale.right):
        yield _text((scale.x(value), HEIGHT - BOTTOM + 20), f"{value:g}", "middle")
    yield _text(((WIDTH + LEFT - RIGHT) / 2, HEIGHT - BOTTOM + 44), figure.across, "middle")
    middle = (HEIGHT - BOTTOM + TOP) / 2
    yield _text((18, middle), figure.up, "middle", f' transform="rotate(-90 18 {middle:.1f})"')
    if figure.level:
        name, value = figure.level
        yield f'<path d="M{LEFT} {scale.y(value):.1f}H{WIDTH - RIGHT}" stroke="{INK}"/>'
        yield _text((WIDTH - RIGHT, scale.y(value) - 6), name, "end")


def _band(curve: Curve, style: Style, figure: Figure, scale: AxisScale) -> Iterator[str]:
    for run in finite_runs(curve.middle):
        over = [(scale.x(figure.at[point]), scale.y(curve.high[point])) for point in run]
        under = [(scale.x(figure.at[point]), scale.y(curve.low[point])) for point in reversed(run)]
        yield f'<path d="{_path(over + under)}Z" fill="{style.colour}" fill-opacity="0.15"/>'
        yield _line([(scale.x(figure.at[point]), scale.y(curve.middle[point])) for point in run], style)


def _points(curve: Curve, style: Style, figure: Figure, scale: AxisScale, shift: float) -> Iterator[str]:
    joined = curve.theory or list(zip(figure.at, curve.middle, strict=True))
    aside = 0 if curve.theory else shift
    for run in finite_runs([y for _, y in joined]):
        yield _line([(scale.x(joined[point][0]) + aside, scale.y(joined[point][1])) for point in run], style)
    for run in finite_runs(curve.middle):
        for point in run:
            x = scale.x(figure.at[point]) + shift
            low, high = scale.y(curve.low[point]), scale.y(curve.high[point])
            yield f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="{style.colour}" stroke-width="1.5"/>'
            yield _mark((x, scale.y(curve.middle[point])), style)


def _mark(at: Point, style: Style) -> str:
    x, y = at
    if style.shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{MARK:g}" fill="{style.colour}"/>'
    if style.shape == "cross":
        ends = f"M{x - MARK:.1f} {y - MARK:.1f}L{x + MARK:.1f} {y + MARK:.1f}"
        ends += f"M{x - MARK:.1f} {y + MARK:.1f}L{x + MARK:.1f} {y - MARK:.1f}"
        return f'<path d="{ends}" stroke="{style.colour}" stroke-width="2"/>'
    corners = [(x - MARK, y + MARK), (x + MARK, y + MARK)]
    corners += [(x + MARK, y - MARK), (x - MARK, y - MARK)] if style.shape == "square" else [(x, y - MARK)]
    return f'<path d="{_path(corners)}Z" fill="{style.colour}"/>'


def _line(points: Sequence[Point], style: Style) -> str:
    stroke = f'stroke="{style.colour}" stroke-width="2" stroke-dasharray="{style.dashes}"'
    return f'<path d="{_path(points)}" fill="none" {stroke}/>'


def _text(at: Point, words: str, anchor: str, more: str = "", size: int = 14) -> str:
    attributes = f'x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}"{more} font-size="{size}"'
    return f"<text {attributes} {FONT}>{escape(words)}</text>"


def ticks(low: float, high: float) -> list[float]:
    """Four to nine round numbers."""
    raw = (high - low) / 5
    size = 10.0 ** floor(log10(raw))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
    first = -floor(-low / step + 1e-9)
    return [round(step * number, 12) for number in range(first, floor(high / step + 1e-9) + 1)]


def finite_runs(values: Sequence[float]) -> list[list[int]]:
    """Neighbouring places whose values are finite."""
    runs: list[list[int]] = [[]]
    for index, value in enumerate(values):
        if isfinite(value):
            runs[-1].append(index)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
