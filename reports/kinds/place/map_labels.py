"""What stands on the regions of a map: the share and the name where there is room, else a number."""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from privacy.designs.labels import shortened
from reports.kinds.place.geometry import Frame

NUMBER_SIZE, NAME_SIZE = 24, 24
"""Pixels of the drawing; on a phone a drawing of 640 pixels is about 360 wide, and its names 13 pixels high."""
LONGEST = 22
NARROW_LETTER = 0.52
"""The mean width of a letter in ems; a Chinese character is one em wide."""


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, wide: float, high: float) -> "Box":
        return cls(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)

    def overlaps(self, other: "Box") -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


@dataclass(frozen=True)
class RegionLabel:
    """What could be said of a region at its `middle`; `figure` is its share in words."""

    middle: tuple[str, str]
    number: str
    name: str
    figure: str


@dataclass(frozen=True)
class MapLabel:
    """The figure of a region, and below it its name, which stays within the drawing; or its number alone."""

    x: str
    y: str
    words: str
    name: str = ""
    name_x: str = ""
    name_y: str = ""


def labels(frame: Frame, regions: Sequence[RegionLabel]) -> list[MapLabel]:
    """Of each region its figure and its name. Where the name would cover another label, the number stands for both:
    the table has them."""
    taken = []
    for one in regions:
        at = [float(each) for each in one.middle]
        taken.append(
            Box.around(
                at[0], at[1], text_width(max(one.number, one.figure, key=len), NUMBER_SIZE), NUMBER_SIZE
            )
        )
    map_labels = []
    for one in regions:
        said = shortened(one.name, LONGEST)
        wide = text_width(said, NAME_SIZE)
        x, y = one.middle
        middle = min(max(float(x), wide / 2), frame.width - wide / 2)
        below = float(y) + (NUMBER_SIZE + NAME_SIZE) / 2
        box = Box.around(middle, below, wide, NAME_SIZE)
        fits = box.left >= 0 and box.right <= frame.width and box.bottom <= frame.height
        if fits and not any(map(box.overlaps, taken)):
            taken.append(box)
            map_labels.append(MapLabel(x, y, one.figure, said, f"{middle:.1f}", f"{below:.1f}"))
        else:
            map_labels.append(MapLabel(x, y, one.number))
    return map_labels


def text_width(text: str, size: float) -> float:
    """Pixels, about: fonts differ from one device to the next."""
    return sum(size if _is_wide(letter) else size * NARROW_LETTER for letter in text)


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"
