"""Converts the integer coordinates of a place's cells to SVG paths in pixels, north up."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

from privacy.kinds.place.section import PlaceQuestion, Ring
from surveys.kinds.place.region_label_position import region_label_positions

WIDTH = 640
TALLEST = 640
MARGIN = 0.04
"""Free margin on each side, as a part of the longer side."""
LEAST_RADIUS, MOST_RADIUS = 1.5, 16.0
"""Smallest and largest radius, in pixels, of the circle of a cell without a shape."""
FILLED = 0.42
"""Wanted radius of the circle of a cell without a shape, as a part of the distance between neighbouring cells."""


def _format_pixels(pixels: float) -> str:
    return f"{round(pixels, 1) + 0.0:g}"


@dataclass(frozen=True)
class MapGeometry:
    """The pixel coordinates and SVG paths of the cells of a place question, for one drawing."""

    question: PlaceQuestion

    @property
    def width(self) -> int:
        return self._origin_scale_and_size[3][0]

    @property
    def height(self) -> int:
        return self._origin_scale_and_size[3][1]

    def x(self, x: float) -> str:
        left, _top, scale, _size = self._origin_scale_and_size
        return _format_pixels((x - left) * scale)

    def y(self, y: float) -> str:
        _left, top, scale, _size = self._origin_scale_and_size
        return _format_pixels((top - y) * scale)

    @cached_property
    def _origin_scale_and_size(self) -> tuple[float, float, float, tuple[int, int]]:
        """The left and top coordinate, the pixels per unit, and the size in pixels."""
        xs, ys = zip(*self._all_map_points(), strict=True)
        left, right, bottom, top = min(xs), max(xs), min(ys), max(ys)
        margin = MARGIN * max(right - left, top - bottom, 1) + (
            0 if all(cell.shape for cell in self.question.cells) else FILLED * self._spacing / 2
        )
        wide, tall = right - left + 2 * margin, top - bottom + 2 * margin
        scale = min(WIDTH / wide, TALLEST / tall)
        return left - margin, top + margin, scale, (round(wide * scale), round(tall * scale))

    def _all_map_points(self) -> Iterator[tuple[int, int]]:
        for cell in self.question.cells:
            yield cell.at
            for ring in cell.shape:
                yield from _corners(ring)
        for ring in self._own_outline:
            yield from _corners(ring)

    @property
    def _own_outline(self) -> Sequence[Ring]:
        outline = self.question.outline
        return outline if outline and not isinstance(outline, str) else ()

    @cached_property
    def _spacing(self) -> float:
        """Approximate distance between neighbouring cells."""
        xs, ys = zip(*(cell.at for cell in self.question.cells), strict=True)
        wide, tall, n = max(xs) - min(xs), max(ys) - min(ys), len(self.question.cells)
        return float(max(sqrt(wide * tall / n), max(wide, tall, 1) / n))

    @cached_property
    def radius(self) -> float:
        wanted = FILLED * self._spacing * self._origin_scale_and_size[2]
        return min(max(wanted, LEAST_RADIUS), MOST_RADIUS)

    @cached_property
    def outline(self) -> str:
        """SVG path of the outline that the researcher drew."""
        return "".join(map(self._ring_path, self._own_outline))

    def cells_path(self, cells: Iterable[int]) -> str:
        """Returns one SVG path that draws all the given cells."""
        return "".join(map(self._cell_path, cells))

    def _cell_path(self, number: int) -> str:
        cell = self.question.cells[number]
        if cell.shape:
            return "".join(map(self._ring_path, cell.shape))
        r = _format_pixels(self.radius)
        x, y = self.x(cell.at[0]), self.y(cell.at[1])
        across = _format_pixels(2 * self.radius)
        return f"M{x} {y}m-{r} 0a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0-{across} 0z"

    def _ring_path(self, ring: Ring) -> str:
        corners = " ".join(f"{self.x(x)} {self.y(y)}" for x, y in _corners(ring))
        return f"M{corners}z"

    def label_position(self, region: int) -> tuple[str, str]:
        """Returns the pixel position of a region's label, a point inside the region."""
        x, y = region_label_positions(self.question)[region]
        return self.x(x), self.y(y)


def _corners(ring: Ring) -> Iterator[tuple[int, int]]:
    return zip(ring[::2], ring[1::2], strict=True)
