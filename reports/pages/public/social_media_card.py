"""Draws the preview card that social media show for a public page: 1200 by 630 pixels, by Pillow.

A text is set in the first font of the server that has all its letters, else in Pillow's own, which has those
of English. A text that no font has, or that is Chinese or Arabic, is left out.
"""

import io
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ui.interval_pictures import Interval, Scale

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

WIDTH, HEIGHT = 1200, 630
FINER = 2
"""Factor by which the card is drawn larger and then scaled down, so that edges are smooth."""
MARGIN = 70
GROUND, INK, SOFT, EDGE, BAR = "#f8f5ed", "#15233b", "#45506a", "#7b7768", "#6f7d9c"
SIZES = (54, 48, 42, 36, 30)
TOP, LINE, BOTTOM = 150, 480, 575
"""Vertical positions in pixels: where the sentence begins, where the picture lies, where the note ends."""
COLOURS = 64
"""Number of colours of the file: enough for smooth edges; with all colours the file is five times as large."""
CACHED = 64
FONTS = ("LiberationSans-Regular.ttf", "DejaVuSans.ttf", "NotoSans-Regular.ttf")
MISSING = "\uffff"
CJK = "\u2e80"
"""First character of the scripts whose lines may be broken without a space, which this module cannot do."""
RIGHT_TO_LEFT = {"R", "AL"}
SIMPLER = str.maketrans({"\u00a0": " ", "\u202f": " "})


@dataclass(frozen=True, slots=True)
class Card:
    """The content of a card. `picture` is an interval on `scale`; without one the card has text only."""

    title: str
    sentence: str
    note: str
    picture: Interval | None
    scale: Scale | None


@lru_cache(maxsize=CACHED)
def card_png(card: Card) -> bytes:
    from PIL import Image, ImageDraw  # late for cost

    image = Image.new("RGB", (WIDTH * FINER, HEIGHT * FINER), GROUND)
    pen = ImageDraw.Draw(image)
    _draw_line(pen, MARGIN, 62, card.title, 34, SOFT)
    _draw_sentence(pen, card.sentence)
    if card.picture and card.scale:
        _draw_interval(pen, card.picture, card.scale)
    _draw_line(pen, MARGIN, BOTTOM, card.note, 24, SOFT)
    _draw_line(pen, WIDTH - MARGIN, BOTTOM, "Candor", 28, INK, anchor="ra")
    out = io.BytesIO()
    smooth = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    smooth.quantize(COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw_sentence(pen: "ImageDraw", sentence: str) -> None:
    """Draws the sentence in the largest size at which it fits above the picture."""
    for size in SIZES:
        lines = list(wrap_text(sentence, size))
        if len(lines) * size * 1.3 <= LINE - 80 - TOP or size == SIZES[-1]:
            for number, line in enumerate(lines):
                _draw_line(pen, MARGIN, TOP + number * size * 1.3, line, size, INK)
            return


def _draw_interval(pen: "ImageDraw", picture: Interval, scale: Scale) -> None:
    def x_position(value: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * scale.position_percent(value) / 100

    def scaled_corners(*corners: float) -> list[float]:
        return [corner * FINER for corner in corners]

    pen.line(scaled_corners(MARGIN, LINE, WIDTH - MARGIN, LINE), fill=EDGE, width=FINER)
    pen.line(scaled_corners(MARGIN, LINE - 30, MARGIN, LINE + 30), fill=EDGE, width=2 * FINER)
    if picture.low is not None and picture.high is not None:
        ends = scaled_corners(x_position(picture.low), LINE - 11, x_position(picture.high), LINE + 11)
        fill = BAR if picture.state == "filled" else GROUND
        pen.rounded_rectangle(ends, radius=11 * FINER, fill=fill, outline=BAR, width=3 * FINER)
    if picture.base is not None:
        x = x_position(picture.base)
        for y in range(LINE - 34, LINE + 34, 12):
            pen.line(scaled_corners(x, y, x, y + 7), fill=INK, width=3 * FINER)
        _draw_line(pen, x, LINE + 38, picture.base_label, 24, SOFT, anchor="ma")
    if picture.estimate is not None:
        x = x_position(picture.estimate)
        fill = INK if picture.state == "filled" else GROUND
        pen.ellipse(
            scaled_corners(x - 15, LINE - 15, x + 15, LINE + 15), fill=fill, outline=INK, width=4 * FINER
        )
        _draw_line(pen, x, LINE - 24, picture.label, 34, INK, anchor="md")


def _draw_line(
    pen: "ImageDraw", x: float, y: float, text: str, size: int, colour: str, anchor: str = "la"
) -> None:
    """Draws one line of text, cut at the card's edge; draws nothing if no font has all its letters."""
    lines = list(wrap_text(text, size))
    if not lines:
        return
    line = lines[0] if len(lines) == 1 else f"{lines[0]} …"
    font = font_for_text(line, size * FINER)
    if font is None:
        return
    if anchor[0] == "m":
        half = font.getlength(line) / FINER / 2
        x = min(max(x, MARGIN + half), WIDTH - MARGIN - half)
    pen.text((x * FINER, y * FINER), line, font=font, fill=colour, anchor=anchor)


def wrap_text(text: str, size: int) -> Iterator[str]:
    """Yields the lines of a text that fit between the margins; none if no font has all its letters."""
    words, line = text.translate(SIMPLER).split(), ""
    font = font_for_text("".join(words), size)
    if font is None:
        return
    for word in words:
        longer = f"{line} {word}" if line else word
        if line and font.getlength(longer) > WIDTH - 2 * MARGIN:
            yield line
            longer = word
        line = longer
    if line:
        yield line


@cache
def fonts(size: int) -> tuple["FreeTypeFont", ...]:
    from PIL import ImageFont  # late for cost
    from PIL.ImageFont import FreeTypeFont  # late for cost

    loaded = []
    for name in FONTS:
        with suppress(OSError):
            loaded.append(ImageFont.truetype(name, size))
    own = ImageFont.load_default(size)
    return (*loaded, own) if isinstance(own, FreeTypeFont) else tuple(loaded)


def font_for_text(text: str, size: int) -> "FreeTypeFont | None":
    """Returns the first font that has all letters of the text."""
    if any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT or letter >= CJK for letter in text):
        return None
    return next((font for font in fonts(size) if all(has_letter(font, letter) for letter in set(text))), None)


@lru_cache(maxsize=4096)
def has_letter(font: "FreeTypeFont", letter: str) -> bool:
    """Returns True if the font has the letter, that is, does not draw its placeholder."""
    return letter.isspace() or bytes(font.getmask(letter)) != bytes(font.getmask(MISSING))
