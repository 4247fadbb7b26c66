"""A logo from a file: decoded, and encoded again from its pixels alone.

Nothing of the file but the pixels is kept: no metadata, no colour profile, nothing behind the end of the picture.
"""

from io import BytesIO
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from ui.numbers import format_count

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES = 2_000_000
MOST_PIXELS = 12_000_000
"""Of the file, read from its head before a pixel is decoded."""
WIDTH, HEIGHT = 600, 200
MOST_STORED = 100_000
"""Bytes of the encoded picture."""
FORMATS = ("PNG", "JPEG", "WEBP")
QUALITIES = (100, 90, 75, 50)
"""Tried one after the other until a picture is small enough; 100 is without loss."""
XML = (b"<", b"\x1f\x8b")
"""What an SVG begins with; compressed ones with the second."""


def load() -> None:
    """Import what `encoded` needs."""
    from PIL import Image, ImageFile, ImageOps, JpegImagePlugin, PngImagePlugin, WebPImagePlugin  # noqa: F401  # late for cost


def encoded(data: bytes) -> bytes:
    """WebP of at most `WIDTH` times `HEIGHT` pixels and `MOST_STORED` bytes; FileRefused where it cannot be."""
    if len(data) > MOST_BYTES:
        raise _refused(_("is larger than 2 megabytes; save the logo as a smaller picture"))
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(XML):
        raise _refused(_("is an SVG or another text; an SVG can hold scripts, so save the logo as PNG"))
    pixels = _pixels(data)
    for quality in QUALITIES:
        written = BytesIO()
        pixels.save(written, "WEBP", lossless=quality == 100, quality=quality, alpha_quality=quality)
        if written.tell() <= MOST_STORED:
            return written.getvalue()
    raise _refused(_("holds too many details for a logo; save a simpler picture"))


def _pixels(data: bytes) -> "Image":
    """The first picture of the file, upright and small, without anything that is no pixel."""
    from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError  # late for cost

    # What draws PDF lets Pillow fill up files that end too early.
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                words = _("has %(width)s × %(height)s pixels; at most %(most)s million are read")
                size = {"width": format_count(picture.width), "height": format_count(picture.height)}
                raise _refused(words % {**size, "most": MOST_PIXELS // 10**6})
            try:
                upright = ImageOps.exif_transpose(picture)
            except SyntaxError:  # of the metadata alone
                upright = picture
            shown = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
            shown.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
            return Image.frombytes(shown.mode, shown.size, shown.tobytes())
    except UnidentifiedImageError:
        raise _refused(_("is no picture in PNG, JPEG or WebP")) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _refused(_("has too many pixels; save the logo as a smaller picture")) from None
    except FileRefused:
        raise
    except (OSError, SyntaxError, ValueError, EOFError):
        # What Pillow raises where a file ends too early or contradicts itself.
        raise _refused(_("is damaged or incomplete; save the picture again")) from None


def _refused(reason: str) -> FileRefused:
    return FileRefused([Fault(_("the file"), reason)])
