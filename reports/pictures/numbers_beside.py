"""Numbers beside points, only where there is room for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports.pictures.labels import text_width

NEAR, HEIGHT, RADIUS = 6.0, 13.0, 6.0
"""Pixels from a point to its number, of a number, and of a point."""

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Corner:
    """Where a number is beside its point: 1 is to the right and below, -1 to the left and above."""

    x: int
    y: int

    def box(self, at: Point, width: float) -> Box:
        x, y = at[0] + self.x * NEAR, at[1] + self.y * NEAR
        left, top = (x if self.x > 0 else x - width), (y if self.y > 0 else y - HEIGHT)
        return left, top, left + width, top + HEIGHT


CORNERS = (Corner(1, -1), Corner(-1, -1), Corner(1, 1), Corner(-1, 1))


def corners(points: Sequence[Point], numbers: Sequence[str], size: float, whole: Box) -> list[Corner | None]:
    """The corner of each number, all in pixels; None where every corner would cover something or leave `whole`."""
    taken = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in points]
    corners_of_marks: list[Corner | None] = []
    for at, number in zip(points, numbers, strict=True):
        corner = next(_free(at, text_width(number, size), taken, whole), None)
        corners_of_marks.append(corner)
        if corner:
            taken.append(corner.box(at, text_width(number, size)))
    return corners_of_marks


def _free(at: Point, width: float, taken: Sequence[Box], whole: Box) -> Iterator[Corner]:
    for corner in CORNERS:
        box = corner.box(at, width)
        if _inside(box, whole) and not any(_overlap(box, other) for other in taken):
            yield corner


def _inside(box: Box, whole: Box) -> bool:
    return box[0] >= whole[0] and box[1] >= whole[1] and box[2] <= whole[2] and box[3] <= whole[3]


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
