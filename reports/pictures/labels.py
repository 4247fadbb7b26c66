"""The texts of pictures: intervals in tooltips, and labels that wrap between words."""

from collections.abc import Iterator
from unicodedata import east_asian_width

from django.utils.translation import gettext as _

from look.numbers import percent
from reports.measures import estimate

NARROW_LETTER = 0.52
"""The mean width of a letter in ems; a Chinese character is one em wide."""
MORE = "…"


def interval(value: float | None, low: float | None, high: float | None) -> str:
    said = {"share": estimate(value, low, high), "low": percent(low), "high": percent(high)}
    return _("%(share)s, from %(low)s to %(high)s") % said if low is not None else percent(value)


def text_width(text: str, size: float) -> float:
    """Pixels, about: fonts differ from one device to the next."""
    return sum(size if _is_wide(letter) else size * NARROW_LETTER for letter in text)


def wrapped(text: str, room: float, size: float, most: int) -> list[str]:
    """At most so many lines of a text, each about `room` pixels wide; what does not fit is left out at a word's end."""
    lines, pieces = [""], list(_pieces(text))
    for piece in pieces:
        if not lines[-1] or text_width((lines[-1] + piece).rstrip(), size) <= room:
            lines[-1] += piece
            continue
        if len(lines) == most:
            lines[-1] = _with_more(lines[-1], room, size)
            break
        lines.append(piece)
    return [line.strip() for line in lines]


def _with_more(line: str, room: float, size: float) -> str:
    kept = list(_pieces(line))
    while len(kept) > 1 and text_width("".join(kept).rstrip(" ,.;:·") + MORE, size) > room:
        kept.pop()
    return "".join(kept).rstrip(" ,.;:·") + MORE


def _pieces(text: str) -> Iterator[str]:
    """A line may end after each of them: words with their spaces, and single Chinese characters."""
    piece = ""
    for letter in text:
        is_new = _is_wide(letter) or (piece.endswith(" ") and letter != " ")
        if piece and (is_new or (_is_wide(piece[-1]) and letter != " ")):
            yield piece
            piece = ""
        piece += letter
    if piece:
        yield piece


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"
