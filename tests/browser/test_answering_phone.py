"""The respondents' pages on a phone: in reach, in six languages, from right to left."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Asked, Respondent, Visit, forget_all, get_survey
from tests.browser.test_answering_pages import PHONE
from tests.browser.visiting import (
    Hand,
    Visitor,
    another_language,
    box_of,
    check_at_400_percent,
    stated_clicks,
)
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True


HIDDEN = """() => { const e = document.activeElement, bar = document.querySelector("#screen .onward");
    return !bar.contains(e) && e.matches("#screen *")
        && e.getBoundingClientRect().bottom > bar.getBoundingClientRect().top + 1; }"""
ABOVE = {"crosswise": ".answers.two label", "places": ".place-list"}
"""What must stand above *Continue*: all answers of a pair, and the whole list of places."""
SMALL = """[...document.querySelectorAll("label.answer, #screen .button")].filter(e => e.checkVisibility())
    .map(e => e.getBoundingClientRect()).filter(b => b.height < 40 || b.width < 40).length"""


def test_enter_on_an_answer_continues(visitor: Visitor, product: Product, fourteen: Asked) -> None:
    page = visitor.go(fourteen.address)
    respondent = Respondent(page).agree_and_begin()
    page.locator("#group-0").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "error-summary"
    for _screen in range(3):
        before = respondent.heading
        page.locator("#screen label.answer").first.click()
        page.keyboard.press("Enter")
        assert respondent.heading != before
    visitor.go(get_survey(product, "secret place").address)
    respondent.agree_and_begin()
    before = respondent.heading
    page.locator("input[type=search]").press("Enter")
    assert respondent.heading == before
    expect(page.locator(".error-summary")).to_have_count(0)


@pytest.mark.parametrize("name", ["fourteen", "numbers", "places", "crosswise", "arms"])
def test_every_button_is_visible_on_a_phone(visit: Visit, product: Product, name: str) -> None:
    page = visit(**PHONE).go(get_survey(product, name).address)
    expect(page.get_by_role("button", name="Agree and start", exact=True)).to_be_in_viewport(ratio=1)
    last, found = ABOVE.get(name, ".none"), 0
    for screen in Respondent(page).screens({}):
        assert page.evaluate("document.documentElement.scrollWidth") == 390, screen
        assert page.evaluate(SMALL) == 0, screen
        onward = page.get_by_role("button", name="Continue", exact=True)
        for top in (100_000, 0) if onward.count() else ():
            page.evaluate(f"scrollTo(0, {top})")
            button = box_of(onward)
            assert 844 - 2 * button["height"] < button["y"] <= 844 - button["height"], screen
            bottoms = page.locator(last).evaluate_all("l => l.map(e => e.getBoundingClientRect().bottom)")
            assert top or all(bottom <= button["y"] for bottom in bottoms), screen
            found += len(bottoms)
    assert found > 0 or name not in ABOVE
    page.evaluate("scrollTo(0, 0)")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_in_viewport(ratio=1)
    assert name != "fourteen" or page.evaluate("document.documentElement.scrollHeight") > 2 * 844


def test_continue_bar_never_covers_the_focus(visit: Visit, fourteen: Asked) -> None:
    """As low as at 400 % zoom."""
    page = visit(viewport={"width": 390, "height": 500}).go(fourteen.address)
    respondent = Respondent(page).agree_and_begin()
    for _screen in range(6):
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        for _press in range(6):
            page.keyboard.press("Tab")
            assert not page.evaluate(HIDDEN)
        respondent.go_on({})
    page.set_viewport_size({"width": 320, "height": 256})
    assert page.evaluate("getComputedStyle(document.querySelector('.onward')).position") == "static"


def test_consent_text_is_above_its_button_on_a_phone(visit: Visit, fourteen: Asked) -> None:
    """In sight from the start, before anybody scrolls."""
    page = visit(**PHONE).go(fourteen.address)
    expect(page.locator(".consent:visible")).to_be_in_viewport(ratio=1)
    agreed, button = (
        page.locator(one).bounding_box() for one in (".consent:visible", "[data-agree]:visible")
    )
    assert agreed
    assert button
    assert 0 <= button["y"] - agreed["y"] - agreed["height"] < 24


@pytest.mark.parametrize("name", ["six languages", "fourteen"])
def test_changing_language_on_a_phone_keeps_the_focus(visit: Visit, product: Product, name: str) -> None:
    survey = get_survey(product, name)
    page = visit(**PHONE).go(survey.address)
    # What a person agrees to is plain text and no box.
    style = "e => [getComputedStyle(e).borderTopWidth, getComputedStyle(e).backgroundColor]"
    assert page.locator(".consent:visible").evaluate(style) == ["0px", "rgba(0, 0, 0, 0)"]
    offered = page.locator(".languages button")
    expect(offered).to_have_count(len(survey.design.languages))
    for button in offered.all():
        expect(button).to_be_in_viewport(ratio=1)
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_be_focused()
        expect(button).to_be_in_viewport(ratio=1)


NARROW = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
ARABIC = re.compile("[\u0600-\u06ff]")
TURNED = "getComputedStyle(document.querySelector('.back .button'), '::before').transform"

# Many languages stand in a line that scrolls by itself.
TOO_WIDE = """() => [...document.querySelectorAll("body *")].filter(e => e.checkVisibility())
  .filter(e => !e.closest("thead, .unseen, .languages") && e.getBoundingClientRect().left < -1)
  .map(e => e.outerHTML.slice(0, 120))"""


def check_is_mirrored(page: Page) -> None:
    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert page.evaluate("document.documentElement.lang") == "ar"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).direction") == "rtl"
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert ARABIC.search(page.locator("h1:visible").inner_text())


def back_sign_matrix(page: Page) -> list[float]:
    """The matrix by which the sign of *Back* is turned."""
    return [float(part) for part in re.findall(r"-?\d[\d.e-]*", page.evaluate(TURNED))]


def test_every_screen_in_arabic_is_mirrored_and_fits_a_narrow_phone(visit: Visit, product: Product) -> None:
    forget_all(product)
    visitor = visit(**NARROW, locale="ar")
    visitor.go("/a/receipt")
    check_is_mirrored(visitor.page)
    page = visitor.go(get_survey(product, "arabic").address)
    check_is_mirrored(page)
    # The page turns with the language that is chosen.
    page.locator("button[data-language=en]").click()
    assert page.evaluate("document.documentElement.dir") == "ltr"
    assert page.locator("h1:visible").inner_text() == "Taxes and benefits"
    page.locator("button[data-language=ar]").click()
    page.evaluate("document.querySelectorAll('#start details').forEach(e => { e.open = true })")
    check_is_mirrored(page)
    another_language(page)
    respondent = Respondent(page).agree_and_begin()
    while respondent.choose({4: 700}):
        check_is_mirrored(page)
        back = back_sign_matrix(page)
        page.evaluate("document.documentElement.dir = 'ltr'")
        # Half a turn of the same sign: the matrix of the one is that of the other, negated.
        assert [round(a + b, 3) for a, b in zip(back, back_sign_matrix(page), strict=True)] == [0] * 6
        page.evaluate("document.documentElement.dir = 'rtl'")
        page.locator("#screen .button.primary").click()
    check_is_mirrored(page)
    page.locator("#screen .button.primary").last.click()
    page.locator("pre.bytes").first.wait_for(state="attached")
    check_is_mirrored(page)
    another_language(page)


def answer_screens(hand: Hand) -> int:
    """Answer one screen after another, up to the check; how many there were."""
    page, number = hand.page, 0
    while page.locator("#screen .onward").count():
        before, heading = hand.acts, page.locator("h1:visible").inner_text()
        assert_fits_phone(page)
        hand.tap(page.locator("#screen label.answer").first)
        hand.tap(page.locator("#screen .onward .button.primary"))
        expect(page.locator("h1:visible")).not_to_have_text(heading)
        assert hand.acts - before == stated_clicks("Answer a question on a phone")
        number += 1
    return number


def assert_fits_phone(page: Page) -> None:
    """The words of this language, in the width of this phone and at 400 %."""
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide == 390, f"{page.url} is {wide} pixels wide on a phone"
    check_at_400_percent(page)


def check_with_details_open(page: Page) -> None:
    """All of the page with its details, by axe too: in each language its words differ, its colours do not."""
    page.evaluate("document.querySelectorAll('main details').forEach(e => { e.open = true })")
    another_language(page)
    assert_fits_phone(page)
