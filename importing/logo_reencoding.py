"""Reads an uploaded logo: decodes the picture, and encodes its pixels again as WebP.

Only the pixels are kept, without metadata, colour profile, or data after the end of the picture.
"""

from io import BytesIO
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from importing.faults import FileRefused, file_refusal
from ui.number_format import format_count

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES = 2_000_000
MOST_PIXELS = 12_000_000
"""Highest number of pixels of a file, checked from its header before pixels are decoded."""
WIDTH, HEIGHT = 600, 200
MOST_STORED = 100_000
"""Highest number of bytes of the encoded picture."""
FORMATS = ("PNG", "JPEG", "WEBP")
BEGINNINGS = (b"\x89PNG", b"\xff\xd8", b"RIFF")
QUALITIES = (100, 90, 75, 50)
"""WebP qualities, tried in turn until the picture is small enough; 100 is lossless."""
XML = (b"<", b"\x1f\x8b")
"""First bytes of an SVG file, and of a compressed one."""


def load_libraries() -> None:
    """Imports Pillow before the limits of the child process apply."""
    from PIL import Image, ImageFile, ImageOps, JpegImagePlugin, PngImagePlugin, WebPImagePlugin  # noqa: F401  # late for cost


def encode_logo(data: bytes) -> bytes:
    """Returns an uploaded logo as WebP with at most `WIDTH` × `HEIGHT` pixels and `MOST_STORED` bytes.

    Raises `FileRefused` with the reason.
    """
    if len(data) > MOST_BYTES:
        raise file_refusal(_("is larger than 2 megabytes; save the logo as a smaller picture"))
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(XML):
        raise file_refusal(_("is an SVG or another text; an SVG can hold scripts, so save the logo as PNG"))
    pixels = _decode_picture(data)
    for quality in QUALITIES:
        written = BytesIO()
        pixels.save(written, "WEBP", lossless=quality == 100, quality=quality, alpha_quality=quality)
        if written.tell() <= MOST_STORED:
            return written.getvalue()
    raise file_refusal(_("holds too many details for a logo; save a simpler picture"))


def _decode_picture(data: bytes) -> "Image":
    """Returns the file's first picture, turned upright and scaled down, without metadata."""
    from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError  # late for cost

    damage = _("is damaged or incomplete; save the picture again")
    # The library that draws PDF sets this, so that Pillow fills up files that end too early.
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                words = _("has %(width)s × %(height)s pixels; at most %(most)s million are read")
                size = {"width": format_count(picture.width), "height": format_count(picture.height)}
                raise file_refusal(words % {**size, "most": MOST_PIXELS // 10**6})
            try:
                upright = ImageOps.exif_transpose(picture)
            except SyntaxError:  # of the metadata alone
                upright = picture
            shown = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
            shown.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
            return Image.frombytes(shown.mode, shown.size, shown.tobytes())
    except UnidentifiedImageError:
        if data.startswith(BEGINNINGS):
            raise file_refusal(damage) from None
        raise file_refusal(_("is no picture in PNG, JPEG or WebP")) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise file_refusal(_("has too many pixels; save the logo as a smaller picture")) from None
    except FileRefused:
        raise
    except (OSError, SyntaxError, ValueError, EOFError):
        # What Pillow raises where a file ends too early or contradicts itself.
        raise file_refusal(damage) from None
