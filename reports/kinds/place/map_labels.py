"""Places labels on the regions of a map: the share with the region's name where it fits, else its number."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

from privacy.designs.labels import shorten_text

NUMBER_SIZE, NAME_SIZE = 24, 24
"""Font sizes of numbers and names, in pixels of the drawing; on a phone a drawing of 640 pixels is about 360 wide, and
its names 13 pixels high."""
LENGTHS = (22, 16, 11)
"""Largest numbers of letters of a name; the name is shortened to the next one until it fits."""
TOUCHING = 1e-6
NARROW_LETTER = 0.56
"""Mean width of a bold letter in ems; a Chinese character is one em wide."""


Box = tuple[float, float, float, float]
"""Left, top, right and bottom of a rectangle in pixels."""


def box_around(x: float, y: float, wide: float, high: float) -> Box:
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def boxes_overlap(first: Box, second: Box) -> bool:
    """Returns True if two boxes share an area; boxes that only touch do not overlap."""
    across = first[0] + TOUCHING < second[2] and second[0] + TOUCHING < first[2]
    return across and first[1] + TOUCHING < second[3] and second[1] + TOUCHING < first[3]


@dataclass(frozen=True)
class MapLabel:
    """The label of a region: its share with its name below, or its number alone."""

    x: str
    y: str
    words: str
    name: str = ""
    name_x: str = ""
    name_y: str = ""


def shorten_labels_to_fit(width: int, height: int, regions: Sequence[tuple[str, MapLabel]]) -> list[MapLabel]:
    """Returns a label per region that fits on a drawing of this size. `regions` has the number and the wished label of
    each.

    Names are shortened until they cover no other label. Where no name fits, the label is the region's number alone, and
    the table explains it.
    """
    taken = [
        box_around(
            float(label.x),
            float(label.y),
            text_width(max(number, label.words, key=len), NUMBER_SIZE),
            NUMBER_SIZE,
        )
        for number, label in regions
    ]
    map_labels = []
    for number, label in regions:
        for name in dict.fromkeys(shorten_text(label.name, most) for most in LENGTHS):
            wide = text_width(name, NAME_SIZE)
            middle = min(max(float(label.x), wide / 2), width - wide / 2)
            below = float(label.y) + (NUMBER_SIZE + NAME_SIZE) / 2
            box = box_around(middle, below, wide, NAME_SIZE)
            left, _top, right, bottom = box
            is_on_drawing = left >= 0 and right <= width and bottom <= height
            if is_on_drawing and not any(boxes_overlap(box, other) for other in taken):
                taken.append(box)
                map_labels.append(replace(label, name=name, name_x=f"{middle:.1f}", name_y=f"{below:.1f}"))
                break
        else:
            map_labels.append(MapLabel(label.x, label.y, number))
    return map_labels


def text_width(text: str, size: float) -> float:
    """Returns the approximate width of a text in pixels; fonts differ from one device to the next."""
    return sum(size if _is_wide(letter) else size * NARROW_LETTER for letter in text)


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"
