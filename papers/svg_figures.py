"""Draws figures with matplotlib as SVG without text; the page adds title, axes and names as HTML.

The same numbers give the same bytes. Colours are variables of the page's style, and nothing has a style of
its own, so that a strict policy of the page accepts the picture.
"""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, floor, isfinite, log10, nan
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 480, 300
ROUND = (1, 2, 5, 10)
"""Possible steps of an axis, times a power of ten."""
APART = 4.0
"""Default horizontal distance, in pixels, between the points of two curves."""
INK, GRID = "#1b2431", "#d9d5cc"
STYLES: tuple[tuple[str, Any, str], ...] = (
    ("#a8481e", (0, (7, 4)), "o"),
    (INK, "solid", "s"),
    ("#3f7d8c", (0, (2, 3)), "^"),
    ("#7a5c99", (0, (9, 3, 2, 3)), "x"),
)
"""Colour, dashes and marker of each curve, all different."""
MINIMAL = "#f3dccf"
"""Colour of the boxes of k-minimal generalisations."""
VARIABLES = {
    INK: "currentColor",
    GRID: "var(--rule)",
    MINIMAL: "var(--minimal)",
    **{colour: f"var(--curve-{number})" for number, (colour, *_) in enumerate(STYLES, 1) if colour != INK},
}
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": GRID,
}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
INHERITED = {"fill": "currentColor", "font-size": "10px"}
DEFAULTS = INHERITED | {"stroke-dashoffset": "0", "stroke-linejoin": "miter"}
"""Attributes of SVG elements that say nothing: the root has them, or SVG takes them for granted."""
NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """Simulated values at the x values of the figure, with whiskers, and the points of a theoretical curve.

    A line is interrupted where a value is not finite. Without theory the simulated points are joined.
    """

    name: str
    middle: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    theory: Sequence[Point] = ()


def curve_without_whiskers(name: str, values: Sequence[float]) -> Curve:
    return Curve(name, values, values, values)


@dataclass(frozen=True)
class Figure:
    title: str
    across: str
    up: str
    at: Sequence[float]
    curves: Sequence[Curve]
    level: tuple[str, float] | None = None
    """Name and value of a horizontal line."""
    note: str = ""
    """Explanation of the figure, below the title."""
    band: bool = False
    """True if low and high are the edges of a band, False if they are ends of whiskers."""
    logarithmic: bool = False
    """True if the vertical axis is logarithmic, between powers of ten; all values are then above 0."""
    apart: float = APART
    span: Point | None = None
    """Ends of the horizontal axis, if it is longer than the curves."""
    mark: float | None = None
    """Position of a vertical line."""

    @property
    def svg(self) -> str:
        def draw(axes: "Axes") -> None:
            for index, curve in enumerate(self.curves):
                _draw_curve(axes, self, curve, index)
            _set_axes(axes, self)

        return _render_svg(draw, self.title, WIDTH, HEIGHT)

    @property
    def legend(self) -> list[tuple[int, str]]:
        """The names of the curves, each with the index of its style."""
        names = [(number, curve.name) for number, curve in enumerate(self.curves)]
        return [*names, (len(STYLES), self.level[0])] if self.level else names


@dataclass(frozen=True)
class Box:
    """A box of a lattice diagram with two `lines` of text; it can be coloured or have a dashed edge."""

    lines: tuple[str, str]
    height: int
    coloured: bool
    dashed: bool


@dataclass(frozen=True)
class Lattice:
    """A diagram of boxes in rows by height; `steps`: pairs of names of boxes that a line joins."""

    title: str
    note: str
    boxes: Mapping[str, Box]
    steps: Sequence[tuple[str, str]]
    across: str = ""
    up: str = ""
    legend: Sequence[tuple[int, str]] = ()

    @property
    def svg(self) -> str:
        from matplotlib.patches import Rectangle  # late for cost

        places: dict[str, Point] = {}
        for height in {box.height for box in self.boxes.values()}:
            row = [name for name, box in self.boxes.items() if box.height == height]
            places |= {name: (index - (len(row) - 1) / 2, height) for index, name in enumerate(row)}
        top = max(box.height for box in self.boxes.values())

        def draw(axes: "Axes") -> None:
            axes.set_axis_off()
            axes.set_xlim(-1.05, 1.05)
            axes.set_ylim(-0.35, top + 0.35)
            for below, above in self.steps:
                (x, y), (end_x, end_y) = places[below], places[above]
                axes.plot((x, end_x), (y + 0.3, end_y - 0.3), color=INK, linewidth=1)
            for name, box in self.boxes.items():
                x, y = places[name]
                style: dict[str, Any] = {"linestyle": (0, (4, 3)) if box.dashed else "solid"}
                face = MINIMAL if box.coloured else "none"
                axes.add_patch(
                    Rectangle((x - 0.45, y - 0.3), 0.9, 0.6, facecolor=face, edgecolor=INK, **style)
                )
                for offset, words in zip((0.12, -0.14), box.lines, strict=True):
                    axes.text(x, y + offset, words, ha="center", va="center")

        return _render_svg(draw, self.title, WIDTH, 80 * (top + 1), (0.01, 0.01, 0.98, 0.98))


def _render_svg(
    draw: Callable[["Axes"], None],
    salt: str,
    width: int,
    height: int,
    rectangle: tuple[float, float, float, float] = (0.13, 0.1, 0.85, 0.87),
) -> str:
    """Renders a drawing as inline SVG. Its ids are hashes of `salt`, which differs within a page."""
    import matplotlib as mpl  # late for cost
    from matplotlib.figure import Figure as Page  # late for cost

    with mpl.rc_context(SETTINGS | {"svg.hashsalt": salt}):
        page = Page(figsize=(width / 100, height / 100), dpi=100, facecolor="none", edgecolor="none")
        draw(page.add_axes(rectangle))
        file = io.StringIO()
        page.savefig(file, format="svg", metadata=NO_METADATA)
    return _shorten_svg(file.getvalue())


def _shorten_svg(drawn: str) -> str:
    """Returns matplotlib's SVG for use inside a page: on one line, without what nobody sees or refers to.

    One line: a figure that changes is one line of a difference. A page needs no namespaces.
    """
    drawn = re.sub(r' xmlns(:xlink)?="[^"]*"|<style[^<]*</style>', "", drawn[drawn.index("<svg") :])
    root = ET.fromstring(drawn.replace("xlink:href", "href"))  # noqa: S314 - matplotlib wrote it
    for element in root.iter():
        element.text, element.tail = (element.text or "").strip(), None
        style = _presentation_attributes(element.attrib.pop("style", ""))
        element.attrib = {name: _shorten_value(name, value) for name, value in element.items()} | style
    by_id = {element.get("id", ""): element for element in root.iter()}
    referred = set(re.findall(r"#(\w+)", ET.tostring(root, "unicode")))
    for element in root.iter():
        # The path of a marker has a stroke, so the places that use it need none.
        known = DEFAULTS | (by_id[element.get("href", "")[1:]].attrib if element.tag == "use" else {})
        element.attrib = {
            name: value
            for name, value in element.items()
            if (value in referred if name == "id" else value and value != known.get(name))
        }
    root.attrib = {"aria-hidden": "true", "viewBox": root.attrib["viewBox"]} | INHERITED
    _simplify_tree(root)
    return ET.tostring(root, "unicode").replace(" />", "/>")


def _shorten_value(name: str, value: str) -> str:
    """Returns the value of an attribute with one decimal of each length; empty if it says nothing."""
    if name in ("d", "x", "y", "width", "height", "transform"):
        value = re.sub(r"(\.[1-9])\d+|\.0\d*", r"\1", value)
    if name == "d":
        value = value.replace(" L ", " ").strip()
    return "" if value.startswith("rotate(-0 ") else value


def _simplify_tree(element: ET.Element) -> None:
    """Replaces groups without attributes by their members, joins lines of one style, and removes what draws nothing."""
    for child in element:
        _simplify_tree(child)
    groups = (child if child.tag == "g" and not child.attrib else [child] for child in element)
    kept: list[ET.Element] = []
    for child in chain.from_iterable(groups):
        is_line = child.tag == "path" and child.get("fill") == "none"
        if (is_line and not {"d", "stroke"} <= {*child.keys()}) or (child.tag == "defs" and not len(child)):
            continue
        if is_line and kept and kept[-1].attrib | {"d": ""} == child.attrib | {"d": ""}:
            kept[-1].attrib["d"] += f" {child.attrib['d']}"
        else:
            kept.append(child)
    element[:] = kept


def _presentation_attributes(style: str) -> dict[str, str]:
    """Converts a CSS style to SVG presentation attributes; the font is the page's except for its size."""
    for colour, variable in VARIABLES.items():
        style = style.replace(colour, variable)
    parts = (part.split(": ", 1) for part in style.split("; ") if ": " in part)
    return {name: value for name, value in parts if name not in ("font", "font-family")}


def _draw_curve(axes: "Axes", figure: Figure, curve: Curve, index: int) -> None:
    from matplotlib.transforms import ScaledTranslation  # late for cost

    colour, dashes, shape = STYLES[index]
    shift = (index - (len(figure.curves) - 1) / 2) * figure.apart
    aside = axes.transData + ScaledTranslation(shift / 100, 0, axes.figure.dpi_scale_trans)
    middle, low, high = (
        [value if isfinite(value) else nan for value in values]
        for values in (curve.middle, curve.low, curve.high)
    )
    style: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 1.5}
    if figure.band:
        axes.fill_between(figure.at, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(figure.at, middle, **style)
        return
    if curve.theory:
        axes.plot(*zip(*curve.theory, strict=True), **style)
    style |= {"marker": shape, "markersize": 4, "transform": aside, "clip_on": False}
    style |= {"linestyle": "none"} if curve.theory else {}
    if curve.low == curve.middle == curve.high:
        axes.plot(figure.at, middle, **style)
        return
    rows = list(zip(middle, low, high, strict=True))
    whiskers = [[value - bottom for value, bottom, _ in rows], [top - value for value, _, top in rows]]
    axes.errorbar(figure.at, middle, whiskers, elinewidth=1.2, **style)


def _set_axes(axes: "Axes", figure: Figure) -> None:
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
    if figure.level:
        axes.axhline(figure.level[1], color=INK, linewidth=1)
    if figure.mark is not None:
        axes.axvline(figure.mark, color=INK, linewidth=1, linestyle=(0, (1, 2)))
