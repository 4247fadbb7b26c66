"""Draws curves as a stand-alone SVG; the same numbers give the same bytes.

A curve: simulated values, as points with whiskers or as a line in a band, and a line of theory.
"""

import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 640, 420
INK = "#1b2431"
FONT = f'font-family="system-ui, sans-serif" fill="{INK}"'
ROUND = (1, 2, 5, 10)
"""The steps of an axis, times a power of ten."""
APART = 4.0
"""The usual horizontal distance between the points of two curves, in pixels."""
STYLES: tuple[tuple[str, Any, str], ...] = (
    ("#a8481e", (0, (7, 4)), "o"),
    (INK, "solid", "s"),
    ("#3f7d8c", (0, (2, 3)), "^"),
    ("#7a5c99", (0, (9, 3, 2, 3)), "x"),
)
"""Colour, dashes and shape of points: curves differ in all three."""
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#d9d5cc",
    "legend.frameon": False,
}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))

Point = tuple[float, float]


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


def svg(figure: Figure) -> str:
    import matplotlib as mpl  # late for cost
    from matplotlib.figure import Figure as Page  # late for cost

    # Ids are hashes of the title, so that figures in one page have different ones.
    with mpl.rc_context(SETTINGS | {"svg.hashsalt": figure.title}), warnings.catch_warnings():
        # Texts stay texts: which font has their letters is a matter of the browser.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        page = Page(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, facecolor="white")
        axes = page.add_axes((0.13, 0.28, 0.84, 0.6))
        for index, curve in enumerate(figure.curves):
            _draw(axes, figure, curve, index)
        _label(axes, figure)
        page.text(0.13, 0.955, figure.title, weight="bold")
        page.text(0.13, 0.905, figure.note, size="small")
        names = [curve.name for curve in figure.curves]
        page.legend(_keys(figure), names, loc="upper left", bbox_to_anchor=(0.11, 0.16), ncols=3)
        file = io.StringIO()
        page.savefig(file, format="svg", metadata=NO_METADATA)
    return _inline(file.getvalue(), figure.title)


def _draw(axes: "Axes", figure: Figure, curve: Curve, index: int) -> None:
    from matplotlib.transforms import ScaledTranslation  # late for cost

    colour, dashes, shape = STYLES[index]
    shift = (index - (len(figure.curves) - 1) / 2) * figure.apart
    aside = axes.transData + ScaledTranslation(shift / 100, 0, axes.figure.dpi_scale_trans)
    middle, low, high = (
        [value if isfinite(value) else float("nan") for value in values]
        for values in (curve.middle, curve.low, curve.high)
    )
    style: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 1.5}
    if figure.band:
        axes.fill_between(figure.at, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(figure.at, middle, **style)
        return
    if curve.theory:
        axes.plot(*zip(*curve.theory, strict=True), **style)
    rows = list(zip(middle, low, high, strict=True))
    whiskers = [[value - bottom for value, bottom, _ in rows], [top - value for value, _, top in rows]]
    axes.errorbar(
        figure.at,
        middle,
        whiskers,
        marker=shape,
        elinewidth=1.2,
        transform=aside,
        clip_on=False,
        **(style | ({"linestyle": "none"} if curve.theory else {})),
    )


def _keys(figure: Figure) -> list[Any]:
    """Of each curve its line and its point."""
    from matplotlib.lines import Line2D  # late for cost

    return [
        Line2D([], [], color=colour, linestyle=dashes, linewidth=1.5, marker="" if figure.band else shape)
        for (colour, dashes, shape), _curve in zip(STYLES, figure.curves, strict=False)
    ]


def _label(axes: "Axes", figure: Figure) -> None:
    values = [
        value
        for curve in figure.curves
        for part in (curve.middle, curve.low, curve.high, [y for _, y in curve.theory])
        for value in part
        if isfinite(value)
    ]
    if figure.logarithmic:
        powers = range(floor(log10(min(values))), ceil(log10(max(values))) + 1)
        axes.set_yscale("log")
        axes.set_yticks(
            [10.0**power for power in powers], [f"10{str(power).translate(RAISED)}" for power in powers]
        )
        axes.set_yticks([], minor=True)
        axes.set_ylim(10.0 ** powers[0], 10.0 ** powers[-1])
    else:
        bottom, top = min([0.0, *values]), max(values, default=0.0)
        axes.locator_params(axis="y", nbins=7, steps=ROUND)
        axes.yaxis.set_major_formatter("{x:g}")
        # If all values are 0, the axis still needs a length.
        axes.set_ylim(bottom, top + 0.05 * (top - bottom) if top > bottom else 1.0)
    axes.locator_params(axis="x", nbins=9, steps=ROUND)
    axes.xaxis.set_major_formatter("{x:g}")
    across = [*figure.at, *(x for curve in figure.curves for x, _ in curve.theory), *(figure.span or ())]
    axes.set_xlim(min(across), max(across))
    axes.set_xlabel(figure.across)
    axes.set_ylabel(figure.up)
    if figure.level:
        name, value = figure.level
        axes.axhline(value, color=INK, linewidth=1)
        axes.annotate(name, (1, value), (0, 3), ("axes fraction", "data"), "offset points", ha="right")


def _inline(drawn: str, title: str) -> str:
    """As HTML takes it in: without a prologue, and without ids that nothing refers to."""
    body = (
        drawn[drawn.index("<svg") :]
        .replace("xlink:href", "href")
        .replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    )
    body = re.sub(r' id="[a-z0-9A-Z.]+_[0-9]+"', "", body)
    return body.replace("<svg ", '<svg role="img" ', 1).replace(">", f"><title>{escape(title)}</title>", 1)
