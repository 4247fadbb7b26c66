"""The pages beside the questionnaire: protection, languages, preview."""

import re

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.browser.building import Make, maker, saved, usual
from tests.browser.conftest import Visit
from tests.builder.written import classes, plain, question, sensitive, window
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def test_the_panel_lives_while_a_slider_moves(visit: Visit, make: Make) -> None:
    draft = make(sensitive(question("theft"), question("debt"), question("lie")))
    page = visit("researcher").go(f"{draft.path}/edit/protection")
    verdict = page.locator("#results-0 .verdict")
    expect(verdict).to_contain_text("About 1 in 2 times")
    before = page.locator("#frontier svg").inner_html()
    slider = page.get_by_role("slider", name="True answers sent")
    slider.focus()
    for _ in range(25):
        page.keyboard.press("ArrowRight")
    expect(verdict).to_contain_text("About 3 in 4 times")
    expect(page.locator("input[name=keep-0]")).to_have_value("75")
    expect(page.locator("#results-0 .figures")).to_contain_text("25.00 times")  # 1 + .75/.25·8
    expect(page.locator("#person-results .verdict")).to_contain_text("56.9\u00a0%")  # 25/(19 + 25)
    assert page.locator("#frontier svg").inner_html() != before
    expect(slider).to_be_focused()
    saved(page)
    assert draft.stored["sections"][0]["keep"] == "0.7500"
    page.get_by_text("Or set a limit").click()
    page.fill("input[name=rho2]", "20")
    expect(page.locator("#proposals")).to_contain_text(
        "65.21\u00a0%"
    )  # one of three is asked: odds of 4.75 less 1, times .5: 1.875/2.875
    page.locator("#proposal-0").get_by_role("button").first.click()
    expect(page.locator("#person-results .verdict")).to_contain_text("20.0\u00a0%")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("input[name=keep-0]")).to_have_value("75")


def test_translating_marks_what_is_missing_and_saves(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit/translations")
    page.fill("#add-code", "french")
    page.get_by_role("option", name="français").first.click()
    page.get_by_role("button", name="Add", exact=True).click()
    pair = page.locator(".pair", has_text="age?")
    expect(pair.locator("[data-lack]")).to_be_visible()
    pair.locator("textarea").fill("Quel âge ?")
    expect(pair.locator("[data-lack]")).to_be_hidden()
    saved(page)
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "age?", "fr": "Quel âge ?"}


def test_whoever_comes_to_mend_something_finds_its_field(visit: Visit, make: Make) -> None:
    draft = make(
        plain(question("age"), {**question("work"), "text": {}}),
        sensitive(question("debt")),
        languages=["en", "fr"],
    )
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit#sections-0-questions-1-text-en")
    expect(page.locator("#sections-0-questions-1-text-en")).to_be_focused()
    page.goto("about:blank")
    visitor.go(f"{draft.path}/edit#sections-1-questions-0-text-fr")
    page.wait_for_url(re.compile("translations"))
    expect(page.locator("textarea#sections-1-questions-0-text-fr")).to_be_visible()


def through(frame: FrameLocator) -> list[str]:
    """What stood on the screens."""
    read: list[str] = []
    frame.get_by_role("button", name="Agree and start").click()
    for _ in range(12):
        read.append(frame.locator("#screen").inner_text())
        if frame.get_by_role("button", name=re.compile("^Send")).count():
            break
        fields = frame.locator("#screen input[type=radio]")
        for name in dict.fromkeys(fields.nth(at).get_attribute("name") for at in range(fields.count())):
            frame.locator(f"#screen input[name='{name}']").first.check()
        numbers = frame.locator("#screen input[inputmode]")
        for at in range(numbers.count()):
            numbers.nth(at).fill("12")
        frame.get_by_role("button", name="Continue").click()
    frame.get_by_role("button", name=re.compile("^Send")).click()
    expect(frame.locator("#screen h1")).to_be_visible()
    return read


def test_the_preview_goes_all_the_way_and_sends_nothing(visit: Visit, make: Make) -> None:
    """Past numbers of both laws too."""
    draft = make(*usual(), classes("debts", 0, 500, 1000), window("income"))
    page = visit("researcher").go(f"{draft.path}/preview?width=phone")
    frame = page.frame_locator(".phone iframe")
    expect(frame.get_by_role("button", name="Agree and start")).to_be_visible()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    read = " ".join(through(frame))
    assert all(f"{name}?" in read for name in ("age", "drink", "debts", "income"))
    expect(frame.locator("#screen")).to_contain_text(re.compile("preview", re.IGNORECASE))
    assert sent == []
