"""What a file must be to become a logo, and that nothing of it but its pixels does."""

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from random import Random

import pytest
from hypothesis import given, strategies as st
from PIL import Image, ImageFile, PngImagePlugin

from importing import isolated_reader, logo_reencoding
from importing.faults import FileRefused
from importing.logo_reencoding import HEIGHT, MOST_STORED, WIDTH

pytestmark = pytest.mark.page
SCRIPT = b"<script>alert(1)</script>"
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">' + SCRIPT + b"</svg>"


def file_of(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def logo(size: tuple[int, int] = (300, 90)) -> Image.Image:
    return Image.new("RGBA", size, (122, 31, 61, 200))


def noise(mode: str, seed: int = 1) -> Image.Image:
    size = (WIDTH, HEIGHT)
    return Image.frombytes(mode, size, Random(seed).randbytes(WIDTH * HEIGHT * len(mode)))


def open_image(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content), formats=["WEBP"])


def test_cut_logo_file_is_refused_also_after_a_pdf_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(FileRefused, match="is damaged or incomplete"):
        logo_reencoding.encode_logo(file_of(noise("RGB"))[:-2_000])


def test_the_three_kinds_become_a_small_webp_with_the_same_pixels() -> None:
    picture = logo((1200, 800)).convert("RGB")
    for kind in ("PNG", "WEBP", "JPEG"):
        made = open_image(logo_reencoding.encode_logo(file_of(picture, kind, quality=100)))
        assert made.size == (300, 200), kind
        red, green, blue = made.convert("RGB").getpixel((150, 100))  # type: ignore[misc]
        assert abs(red - 122) + abs(green - 31) + abs(blue - 61) < 9, kind
    # Transparent pixels stay transparent, and a small picture small.
    made = open_image(logo_reencoding.encode_logo(file_of(logo((30, 10)))))
    assert (made.size, made.mode) == ((30, 10), "RGBA")
    assert made.getpixel((3, 3)) == (122, 31, 61, 200)


def test_only_pixels_of_a_logo_are_kept() -> None:
    text, place = PngImagePlugin.PngInfo(), Image.Exif()
    text.add_text("Author", "a secret person")
    place[0x010E] = "a secret place"
    png = file_of(logo(), pnginfo=text, exif=place) + SCRIPT + b"PK\x03\x04"
    jpeg = file_of(logo().convert("RGB"), "JPEG", exif=place) + SCRIPT
    broken = file_of(logo(), exif=b"Exif\x00\x00a secret place")
    for file in (png, jpeg, broken):
        assert b"secret" in file
        made = logo_reencoding.encode_logo(file)
        assert b"secret" not in made
        assert b"script" not in made
        assert not open_image(made).getexif()


@pytest.mark.night
@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_noisy_logo_is_kept_within_its_bytes_or_refused(mode: str) -> None:
    with suppress(FileRefused):
        assert len(logo_reencoding.encode_logo(file_of(noise(mode)))) <= MOST_STORED


def first_half(content: bytes) -> bytes:
    return content[: len(content) // 2]


REFUSED: list[tuple[Callable[[], bytes], str]] = [
    (lambda: SVG, "an SVG can hold scripts"),
    (lambda: b"\xef\xbb\xbf \n" + SVG, "an SVG can hold scripts"),
    (lambda: b"\x1f\x8b\x08\x00", "an SVG can hold scripts"),
    (lambda: b"", "is no picture in PNG, JPEG or WebP"),
    (lambda: b"GIF89a" + bytes(40), "is no picture"),
    (lambda: file_of(logo().convert("P"), "GIF"), "is no picture"),
    (lambda: b"PK\x03\x04" + bytes(100), "is no picture"),
    (lambda: b"%PDF-1.7\n", "is no picture"),
    (lambda: first_half(file_of(noise("RGB"))), "is damaged or incomplete"),
    (lambda: first_half(file_of(noise("RGB"), "JPEG")), "is damaged or incomplete"),
    (lambda: first_half(file_of(noise("RGB"), "WEBP")), "damaged|is no picture"),
    (lambda: file_of(Image.new("1", (6000, 6000))), "has 6,000 × 6,000 pixels; at most 12 million are read"),
    (lambda: file_of(Image.new("1", (13_500, 13_500))), "has too many pixels"),
    (lambda: file_of(logo()) + bytes(2_000_000), "is larger than 2 megabytes"),
]


def test_invalid_logo_is_refused_with_the_reason() -> None:
    for make, reason in REFUSED:
        with pytest.raises(FileRefused, match=reason):
            logo_reencoding.encode_logo(make())
    # A picture without its head is damaged, and no other kind of file.
    for kind, head in {"PNG": 8, "JPEG": 2, "WEBP": 12}.items():
        file = file_of(logo().convert("RGB"), kind)
        with pytest.raises(FileRefused, match="is damaged or incomplete"):
            logo_reencoding.encode_logo(file[:head] + bytes(20) + file[head + 20 :])
    # The process of uploads refuses a bomb.
    with pytest.raises(FileRefused, match="12 million"):
        isolated_reader.read_logo(file_of(Image.new("1", (6000, 6000))), 1)


@given(st.data())
def test_a_damaged_file_is_refused_or_gives_a_picture(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["PNG", "JPEG", "WEBP"]))
    content = bytearray(file_of(logo((40, 12)).convert("RGB"), kind))
    for index, value in data.draw(
        st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255)), min_size=1, max_size=6)
    ):
        content[index] = value
    with suppress(FileRefused):
        assert open_image(logo_reencoding.encode_logo(bytes(content))).width <= WIDTH
