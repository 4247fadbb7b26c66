"""A respondent on a phone, from the survey link to the receipt, in every language that Candor ships."""

import pytest
from playwright.sync_api import Page, expect

from surveys.phrases.shipped import SHIPPED
from tests.browser.answering import asked, forget
from tests.browser.clicks import Hand, told
from tests.browser.conftest import Visit
from tests.browser.roads import another_language, zoomed
from tests.browser.test_answering_pages import PHONE
from tests.product import Product

pytestmark = pytest.mark.browser


def screens(hand: Hand) -> int:
    """Answer one screen after another, up to the check; how many there were."""
    page, number = hand.page, 0
    while page.locator(".onward").count():
        before, heading = hand.acts, page.locator("h1:visible").inner_text()
        fits(page)
        hand.tap(page.locator("#screen label.answer").first)
        hand.tap(page.locator(".onward .button.primary"))
        expect(page.locator("h1:visible")).not_to_have_text(heading)
        assert hand.acts - before == told("Answer a question on a phone")
        number += 1
    return number


def fits(page: Page) -> None:
    """The words of this language, in the width of this phone and at 400 %."""
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide == 390, f"{page.url} is {wide} pixels wide on a phone"
    zoomed(page)


def unfolded(page: Page) -> None:
    """All of the page with its details, by axe too: in each language its words differ, its colours do not."""
    page.evaluate("document.querySelectorAll('main details').forEach(e => { e.open = true })")
    another_language(page)
    fits(page)


@pytest.mark.parametrize("language", SHIPPED)
def test_a_survey_is_answered_on_a_phone_and_every_screen_fits(
    visit: Visit, product: Product, language: str
) -> None:
    forget(product)
    visitor = visit(**PHONE, locale=language)
    page = visitor.go(asked(product, "six languages").address)
    hand = Hand(page)
    assert page.evaluate("document.documentElement.lang").lower() == language
    unfolded(page)
    visitor.shoot(f"respondent-{language}-start")
    hand.tap(page.locator("[data-agree]:visible"))
    number = screens(hand)
    assert number == 4  # the choice, the age, and two of the three sensitive questions
    fits(page)
    visitor.shoot(f"respondent-{language}-check")
    hand.tap(page.locator("#screen .button.primary").last)
    expect(page.locator("#screen details").first).to_be_visible()
    assert hand.acts == told("Answer a survey of three questions on a phone")
    # "Done" comes right after the thanks.
    expect(page.locator("#screen h1 + p + p strong")).to_have_count(1)
    unfolded(page)
    visitor.shoot(f"respondent-{language}-receipt")
