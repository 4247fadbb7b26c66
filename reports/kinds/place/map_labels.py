"""Numbers and names of regions on a map: each region has its number, and its name where there is room for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from privacy.designs.labels import shortened
from reports.kinds.place.geometry import Frame

NUMBER_SIZE, NAME_SIZE = 24, 23
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
class MapLabel:
    """A number, and below it a name or nothing; the name stays within the drawing."""

    x: str
    y: str
    words: str
    name: str = ""
    name_x: str = ""
    name_y: str = ""


def labels(frame: Frame, regions: Sequence[tuple[tuple[str, str], str, str]]) -> list[MapLabel]:
    """Of each region where it lies, its number and its name. A name that would cover another label is left out: the
    table has it."""
    taken = [
        Box.around(float(x), float(y), text_width(number, NUMBER_SIZE), NUMBER_SIZE)
        for (x, y), number, _name in regions
    ]
    map_labels = []
    for (x, y), number, name in regions:
        said = shortened(name, LONGEST)
        wide = text_width(said, NAME_SIZE)
        middle = min(max(float(x), wide / 2), frame.width - wide / 2)
        below = float(y) + (NUMBER_SIZE + NAME_SIZE) / 2
        box = Box.around(middle, below, wide, NAME_SIZE)
        fits = box.left >= 0 and box.right <= frame.width and box.bottom <= frame.height
        if fits and not any(map(box.overlaps, taken)):
            taken.append(box)
            map_labels.append(MapLabel(x, y, number, said, f"{middle:.1f}", f"{below:.1f}"))
        else:
            map_labels.append(MapLabel(x, y, number))
    return map_labels


def text_width(text: str, size: float) -> float:
    """Pixels, about: fonts differ from one device to the next."""
    return sum(size if _is_wide(letter) else size * NARROW_LETTER for letter in text)


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"
