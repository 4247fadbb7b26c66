"""A survey in Arabic on a narrow phone: mirrored on every screen, and nothing scrolls sideways."""

import re

import pytest
from playwright.sync_api import Page

from tests.browser.answering import Respondent, asked, forget
from tests.browser.conftest import Visit
from tests.browser.roads import another_language
from tests.product import Product

pytestmark = pytest.mark.browser

NARROW = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
ARABIC = re.compile("[\u0600-\u06ff]")
TURNED = "selector => getComputedStyle(document.querySelector(selector), '::before').transform"
# Many languages stand in a line that scrolls by itself.
TOO_WIDE = """() => [...document.querySelectorAll("body *")].filter(e => e.checkVisibility())
  .filter(e => !e.closest("thead, .unseen, .languages") && e.getBoundingClientRect().left < -1)
  .map(e => e.outerHTML.slice(0, 120))"""
BACK = ".back .button"


def mirrored(page: Page) -> None:
    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert page.evaluate("document.documentElement.lang") == "ar"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).direction") == "rtl"
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert ARABIC.search(page.locator("h1:visible").inner_text())


def turned(page: Page, selector: str) -> list[float]:
    return [float(part) for part in re.findall(r"-?\d[\d.e-]*", page.evaluate(TURNED, selector))]


def test_every_screen_in_arabic_is_mirrored_and_fits_a_narrow_phone(visit: Visit, product: Product) -> None:
    forget(product)
    visitor = visit(**NARROW, locale="ar")
    page = visitor.go(asked(product, "arabic").address)
    mirrored(page)
    page.evaluate("document.querySelectorAll('#start details').forEach(e => { e.open = true })")
    mirrored(page)
    another_language(page)
    visitor.shoot("arabic-start")
    respondent = Respondent(page)
    respondent.begin()
    while respondent.choose({3: 700}):
        mirrored(page)
        visitor.shoot(f"arabic-question-{page.evaluate('history.length')}")
        back = turned(page, BACK)
        page.evaluate("document.documentElement.dir = 'ltr'")
        # Half a turn of the same sign: the matrix of the one is that of the other, negated.
        assert [round(a + b, 3) for a, b in zip(back, turned(page, BACK), strict=True)] == [0] * 6
        page.evaluate("document.documentElement.dir = 'rtl'")
        page.locator("#screen .button.primary").click()
    mirrored(page)
    visitor.shoot("arabic-check")
    page.locator("#screen .button.primary").last.click()
    page.locator("pre.bytes").first.wait_for(state="attached")
    mirrored(page)
    another_language(page)
    visitor.shoot("arabic-receipt")


def test_the_page_turns_with_the_language_that_is_chosen(visit: Visit, product: Product) -> None:
    page = visit(**NARROW, locale="ar").go(asked(product, "arabic").address)
    page.locator("button[data-language=en]").click()
    assert page.evaluate("document.documentElement.dir") == "ltr"
    assert page.locator("h1:visible").inner_text() == "Work and health"
    page.locator("button[data-language=ar]").click()
    mirrored(page)


def test_the_page_that_checks_receipts_is_mirrored_too(visit: Visit) -> None:
    page = visit(**NARROW, locale="ar").go("/a/receipt")
    mirrored(page)
