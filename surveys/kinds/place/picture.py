"""The map of a place: its cells, the regions that they lie in, and the outline.

All coordinates are whole numbers, so that no language writes them with a comma.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from privacy.kinds.place.section import LAND
from surveys.kinds.place.draft_question import Cell, PlaceDraftQuestion, words_of
from ui import land

WIDTH, MOST_HEIGHT = 640, 640
MARGIN = 8
MOST_NUMBERED = 400
"""Cells of a map whose regions are numbered on it."""
NUMBER_SIZE = 13
"""Pixels of such a number; a smaller cell has none."""

Bounds = tuple[int, int, int, int]
"""West, south, east, north."""


@dataclass(frozen=True)
class DrawnCell:
    """`d` is its path; `region` the row of its region, from 0, or empty; the number stands at x, y."""

    name: str
    words: str
    d: str
    region: str
    number: str
    x: int
    y: int


CELL = '<g data-cell="{}" data-region="{}"><path d="{}"/><title>{}</title></g>'
NUMBERED = (
    '<g data-cell="{}" data-region="{}"><path d="{}"/><title>{}</title><text x="{}" y="{}">{}</text></g>'
)


@dataclass(frozen=True)
class PlacePicture:
    """`land` is the path of the outline in its own coordinates, `transform` brings it to those of the map."""

    width: int
    height: int
    cells: tuple[DrawnCell, ...]
    land: str
    transform: str
    numbered: bool

    @property
    def drawn(self) -> SafeString:
        """The cells as elements; a template would take seconds for thousands."""
        if self.numbered:
            rows = ((c.name, c.region, c.d, c.words, c.x, c.y, c.number) for c in self.cells)
            return format_html_join("\n", NUMBERED, rows)
        return format_html_join("\n", CELL, ((c.name, c.region, c.d, c.words) for c in self.cells))


@dataclass(frozen=True)
class _Scale:
    bounds: Bounds
    factor: float

    def at(self, x: int, y: int) -> tuple[int, int]:
        west, _south, _east, north = self.bounds
        return MARGIN + round((x - west) * self.factor), MARGIN + round((north - y) * self.factor)

    @property
    def transform(self) -> str:
        west, _south, _east, north = self.bounds
        left, top = MARGIN - west * self.factor, MARGIN + north * self.factor
        return f"translate({left:.3f} {top:.3f}) scale({self.factor:.6f} {-self.factor:.6f})"


def has_map(question: PlaceDraftQuestion) -> bool:
    """Cells that stand in one row and have no shape say nothing on a map."""
    return any(cell.shape for cell in question.cells) or len({cell.at[1] for cell in question.cells}) > 1


def place_picture(question: PlaceDraftQuestion, language: str) -> PlacePicture | None:
    if not has_map(question):
        return None
    cells = question.cells
    bounds = _bounds(cells)
    scale = _Scale(bounds, _factor(bounds))
    row_of = {name: row for row, region in enumerate(question.regions) for name in region.cells}
    numbered = len(cells) <= MOST_NUMBERED and _apart(bounds, len(cells)) * scale.factor > NUMBER_SIZE
    drawn = tuple(_cell(each, row_of.get(each.name), scale, bounds, cells, language) for each in cells)
    width, height = scale.at(bounds[2], bounds[1])
    outline = question.outline or ""
    path = land.path() if outline == LAND else _path(outline)
    transform = scale.transform if outline else ""
    return PlacePicture(width + MARGIN, height + MARGIN, drawn, path, transform, numbered)


def _bounds(cells: Sequence[Cell]) -> Bounds:
    numbers = [(point[0::2], point[1::2]) for point in _points(cells)]
    xs = [x for each, _ys in numbers for x in each]
    ys = [y for _xs, each in numbers for y in each]
    return min(xs), min(ys), max(xs), max(ys)


def _points(cells: Sequence[Cell]) -> Iterator[Sequence[int]]:
    for cell in cells:
        yield cell.at
        yield from cell.shape


def _factor(bounds: Bounds) -> float:
    west, south, east, north = bounds
    return min((WIDTH - 2 * MARGIN) / max(1, east - west), (MOST_HEIGHT - 2 * MARGIN) / max(1, north - south))


def _apart(bounds: Bounds, cells: int) -> float:
    """About how far the middles of cells lie apart."""
    west, south, east, north = bounds
    return sqrt(max(1, east - west) * max(1, north - south) / cells)


def _cell(
    cell: Cell, row: int | None, scale: _Scale, bounds: Bounds, cells: Sequence[Cell], language: str
) -> DrawnCell:
    x, y = scale.at(*cell.at)
    rings = [[scale.at(*point) for point in zip(ring[0::2], ring[1::2], strict=True)] for ring in cell.shape]
    d = "".join(f"M{'L'.join(f'{at} {up}' for at, up in ring)}z" for ring in rings)
    half = max(2, round(_apart(bounds, len(cells)) * scale.factor * 0.4))
    square = f"M{x - half} {y - half}h{2 * half}v{2 * half}h{-2 * half}z"
    region = "" if row is None else str(row)
    return DrawnCell(
        cell.name,
        words_of(cell, language),
        d or square,
        region,
        "" if row is None else str(row + 1),
        x,
        y,
    )


def _path(outline: str | Sequence[Sequence[int]]) -> str:
    rings = [] if isinstance(outline, str) else [_pairs(ring) for ring in outline]
    return "".join(f"M{'L'.join(each)}z" for each in rings)


def _pairs(ring: Sequence[int]) -> list[str]:
    return [f"{x} {y}" for x, y in zip(ring[0::2], ring[1::2], strict=True)]
