"""How many bytes and requests a start page takes."""

import json
import zlib

import pytest
from playwright.sync_api import Browser, expect

from surveys.phrases.shipped import SHIPPED
from tests.browser.answering import asked, listening
from tests.browser.conftest import profile
from tests.product import Product

pytestmark = pytest.mark.browser

LIGHT = 45_500
"""Bytes that a start page may take in one of its two languages, headers included."""
LIGHT_WITH = {"demo": 46_500, "numbers": 48_000, "secret place": 46_000, "places": 52_000}
"""The same by what is asked, without the shapes of a map."""
LIGHT_IN_SIX = 63_500
REQUESTS = 11
"""The page, its style, its script, that of invitations, `device.js` and six modules that disguise; of a kind with a
script of its own one module more."""
OWN_MODULES = {"demo": 0, "numbers": 1, "secret place": 1, "places": 1}


@pytest.mark.parametrize("name", LIGHT_WITH)
def test_the_start_page_is_light(chromium: Browser, product: Product, name: str) -> None:
    """Everything that comes over the line, headers included, in two languages; the shapes of a map come on top."""
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + asked(product, name).address, wait_until="networkidle")
        expect(page.locator("[data-agree]:visible")).to_have_count(1)
        page.context.close()
        questions = [question.as_json() for question in asked(product, name).design.questions]
        shapes = [cell["shape"] for of in questions for cell in of.get("cells", []) if "shape" in cell]
        outline = len(zlib.compress(json.dumps(shapes, separators=(",", ":")).encode())) if shapes else 0
        print(f"{name}: {line.bytes_received() - outline} bytes in {len(line.requests())} requests")
        assert line.bytes_received() <= LIGHT_WITH[name] + outline
        assert len(line.requests()) == REQUESTS + OWN_MODULES[name]


@pytest.mark.parametrize(
    ("name", "language", "most"),
    [*((f"first in {code}", code, LIGHT) for code in SHIPPED), ("six languages", "ar", LIGHT_IN_SIX)],
)
def test_the_start_page_is_light_in_every_language(
    chromium: Browser, product: Product, name: str, language: str, most: int
) -> None:
    """Everything that comes over the line. The page holds the design with the phrases of its languages."""
    of = asked(product, name)
    with listening(product) as line:
        page = profile(chromium, locale=language).new_page()
        page.goto(line.url + of.address, wait_until="networkidle")
        expect(page.locator("[data-agree]:visible")).to_have_count(1)
        assert page.locator("html").get_attribute("lang") == language
        page.context.close()
        print(f"{name}: {line.bytes_received()} bytes in {len(line.requests())} requests")
        assert line.bytes_received() <= most
        assert len(line.requests()) == REQUESTS
