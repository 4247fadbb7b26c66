"""A respondent on a phone, from the survey link to the receipt, in every language that Candor ships."""

import pytest
from playwright.sync_api import Page, expect

from surveys.phrases.shipped import SHIPPED
from tests.browser.answering import asked, forget
from tests.browser.clicks import Hand, told
from tests.browser.conftest import Visit
from tests.browser.roads import walk, zoomed
from tests.browser.test_answering_pages import PHONE
from tests.product import Product

pytestmark = pytest.mark.browser


def screens(hand: Hand) -> int:
    """Answer one screen after another, up to the check; how many there were."""
    page, number = hand.page, 0
    while page.locator(".onward").count():
        before, heading = hand.acts, page.locator("h1:visible").inner_text()
        hand.tap(page.locator("#screen label.answer").first)
        hand.tap(page.locator(".onward .button.primary"))
        expect(page.locator("h1:visible")).not_to_have_text(heading)
        assert hand.acts - before == told("Answer a question on a phone")
        number += 1
    return number


def start(visit: Visit, product: Product, language: str) -> Page:
    forget(product)
    return visit(**PHONE, locale=language).go(asked(product, "six languages").address)


@pytest.mark.parametrize("language", SHIPPED)
def test_a_survey_is_answered_on_a_phone(visit: Visit, product: Product, language: str) -> None:
    page = start(visit, product, language)
    hand = Hand(page)
    assert page.evaluate("document.documentElement.lang").lower() == language
    hand.tap(page.locator("[data-agree]:visible"))
    number = screens(hand)
    assert number == 4  # the choice, the age, and two of the three sensitive questions
    hand.tap(page.locator("#screen .button.primary").last)
    expect(page.locator("#screen .record").first).to_be_visible()
    assert hand.acts == told("Answer a survey of three questions on a phone")
    first = page.locator("#screen h1 + p").inner_text()
    thanks = page.locator("#screen h1 + p + p").inner_text()
    assert len(first) > len(thanks)  # what happens to the answers is said at once


@pytest.mark.parametrize("language", SHIPPED)
def test_every_screen_of_a_respondent_is_whole(visit: Visit, product: Product, language: str) -> None:
    forget(product)
    visitor = visit(locale=language)
    page = visitor.go(asked(product, "six languages").address)
    page.evaluate("document.querySelectorAll('#start details').forEach(e => { e.open = true })")
    walk(visitor, f"respondent-{language}-start")
    page.locator("[data-agree]:visible").click()
    number = 0
    while page.locator(".onward").count():
        walk(visitor, f"respondent-{language}-{number}")
        page.locator("#screen label.answer").first.click()
        page.locator(".onward .button.primary").click()
        number += 1
    walk(visitor, f"respondent-{language}-check")
    page.locator("#screen .button.primary").last.click()
    expect(page.locator("#screen .record").first).to_be_visible()
    page.evaluate("document.querySelectorAll('#screen details').forEach(e => { e.open = true })")
    walk(visitor, f"respondent-{language}-receipt")
    zoomed(page)
