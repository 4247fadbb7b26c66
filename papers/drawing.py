"""Curves with bands as a stand-alone SVG: written by hand, so that the same numbers give the same bytes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 30, 110
FONT = 'font-family="system-ui, sans-serif" font-size="14" fill="#1b2431"'
Style = tuple[str, str]
STYLES: tuple[Style, ...] = (("#a8481e", "7 4"), ("#1b2431", "none"), ("#3f7d8c", "2 3"))
"""Of up to three curves. Colour and dashes, so that neither alone must tell curves apart."""


@dataclass(frozen=True)
class Curve:
    """Points that are not finite are left out, and the curve is broken there."""

    name: str
    middle: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True)
class Figure:
    title: str
    across: str
    up: str
    at: Sequence[float]
    curves: Sequence[Curve]
    level: tuple[str, float] | None = None
    """A name and a value that is drawn as a level line."""


@dataclass(frozen=True)
class Scale:
    """From values to places on the page."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def of(cls, figure: Figure) -> "Scale":
        values = [
            value
            for curve in figure.curves
            for part in (curve.middle, curve.low, curve.high)
            for value in part
            if isfinite(value)
        ]
        bottom = min(0.0, *values)
        return cls(min(figure.at), max(figure.at), bottom, max(values) + 0.05 * (max(values) - bottom))

    def x(self, value: float) -> float:
        return LEFT + (value - self.left) / (self.right - self.left) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return TOP + (self.top - value) / (self.top - self.bottom) * (HEIGHT - TOP - BOTTOM)


def svg(figure: Figure) -> str:
    scale = Scale.of(figure)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        f"<title>{escape(figure.title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(LEFT, 18, figure.title, "start", ' font-weight="600"'),
        *_axes(figure, scale),
    ]
    for place, (curve, style) in enumerate(zip(figure.curves, STYLES, strict=False)):
        parts += _curve(curve, style, figure.at, scale)
        start = LEFT + place * 190
        parts += [_line([(start, HEIGHT - 26), (start + 36, HEIGHT - 26)], style)]
        parts += [_text(start + 44, HEIGHT - 21, curve.name, "start")]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes(figure: Figure, scale: Scale) -> Iterator[str]:
    for value in ticks(scale.bottom, scale.top):
        yield f'<path d="M{LEFT} {scale.y(value):.1f}H{WIDTH - RIGHT}" stroke="#d9d5cc"/>'
        yield _text(LEFT - 8, scale.y(value) + 5, f"{value:g}", "end")
    for value in ticks(scale.left, scale.right):
        yield _text(scale.x(value), HEIGHT - BOTTOM + 20, f"{value:g}", "middle")
    yield _text((WIDTH + LEFT - RIGHT) / 2, HEIGHT - BOTTOM + 44, figure.across, "middle")
    middle = (HEIGHT - BOTTOM + TOP) / 2
    yield _text(18, middle, figure.up, "middle", f' transform="rotate(-90 18 {middle:.1f})"')
    if figure.level:
        name, value = figure.level
        yield f'<path d="M{LEFT} {scale.y(value):.1f}H{WIDTH - RIGHT}" stroke="#1b2431"/>'
        yield _text(WIDTH - RIGHT, scale.y(value) - 6, name, "end")


def _curve(curve: Curve, style: Style, at: Sequence[float], scale: Scale) -> Iterator[str]:
    for run in runs(curve.middle):
        over = [(scale.x(at[point]), scale.y(curve.high[point])) for point in run]
        under = [(scale.x(at[point]), scale.y(curve.low[point])) for point in reversed(run)]
        yield f'<path d="{_path(over + under)}Z" fill="{style[0]}" fill-opacity="0.15"/>'
        yield _line([(scale.x(at[point]), scale.y(curve.middle[point])) for point in run], style)


def _line(points: Sequence[tuple[float, float]], style: Style) -> str:
    colour, dashes = style
    return f'<path d="{_path(points)}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'


def _text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more} {FONT}>{escape(words)}</text>'


def ticks(low: float, high: float) -> list[float]:
    """Four to nine round numbers."""
    raw = (high - low) / 5
    size = 10.0 ** floor(log10(raw))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
    first = -floor(-low / step + 1e-9)
    return [round(step * number, 12) for number in range(first, floor(high / step + 1e-9) + 1)]


def runs(values: Sequence[float]) -> list[list[int]]:
    """Neighbouring places whose values are finite."""
    found: list[list[int]] = [[]]
    for place, value in enumerate(values):
        if isfinite(value):
            found[-1].append(place)
        elif found[-1]:
            found.append([])
    return [run for run in found if run]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
