"""The card is a PNG of 1200 by 630 pixels, whatever is on it."""

import io

import pytest
from django.test import Client
from PIL import Image

from reports.models import Review
from reports.pages.public import social_media_card
from reports.pages.public.social_media_card import Card
from ui.interval_pictures import Interval, Scale

TENTHS = Scale(end=1.0, step=0.2)
PICTURE = Interval(low=0.2, high=0.4, estimate=0.3, base=0.1, label="30 %", base_label="of all 10 %")
SENTENCE = "Of those who took something home, 72 % (60–84) also come late: 1.8 times as many."


def drawn(sentence: str, picture: Interval | None = PICTURE, scale: Scale = TENTHS) -> Image.Image:
    data = social_media_card.card_png(Card("Work & health", sentence, "Estimates", picture, scale))
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    return Image.open(io.BytesIO(data)).convert("RGB")


def ink(image: Image.Image, top: int, bottom: int) -> int:
    """The dark pixels between two heights."""
    part = image.crop((0, top, image.width, bottom)).convert("L")
    return sum(part.histogram()[:128])


@pytest.mark.page
def test_the_page_has_a_card_in_each_language(shared: Review) -> None:
    for language in ("en", "zh-hans", "ar"):
        answer = Client().get(f"/public/{shared.public_token}/card.png?lang={language}")
        assert answer["Content-Type"] == "image/png"
        assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
        assert len(answer.content) < 100_000


def test_the_sentence_stands_above_the_picture() -> None:
    image = drawn(SENTENCE)
    assert image.size == (1200, 630)
    assert ink(image, 150, 420) > 2000


def test_the_bar_lies_where_its_interval_does() -> None:
    image, left, width = (
        drawn(SENTENCE),
        social_media_card.MARGIN,
        social_media_card.WIDTH - 2 * social_media_card.MARGIN,
    )
    blue = [x for x in range(1200) if image.getpixel((x, social_media_card.LINE + 6)) == (111, 125, 156)]
    assert min(blue) == pytest.approx(left + 0.2 * width, abs=8)
    assert max(blue) == pytest.approx(left + 0.4 * width, abs=8)


def test_a_sentence_of_other_scripts_is_left_out() -> None:
    for sentence in ("在所有人中有 30 %", "من الجميع أجاب 30 %", ""):
        image = drawn(sentence)
        assert ink(image, 150, 420) == 0
        assert ink(image, 420, 540) > 500, "the picture and its numbers stay"


def test_without_fonts_of_the_system_english_is_drawn_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(social_media_card, "FONTS", ("nowhere.ttf",))
    social_media_card.fonts.cache_clear()
    try:
        image = drawn("Of all, 30 % did so without a dash.")
    finally:
        social_media_card.fonts.cache_clear()
    assert ink(image, 150, 420) > 1000


def test_a_long_sentence_stays_above_the_picture() -> None:
    assert ink(drawn("words " * 60, picture=None), 425, 560) == 0


def test_without_a_finding_there_is_a_card_too() -> None:
    assert drawn("", picture=None).size == (1200, 630)
