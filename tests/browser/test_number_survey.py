"""The whole road of a survey that asks numbers, by keyboard: built, opened, rehearsed, mined, published, read."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.building import maker, saved, tab_to
from tests.browser.conftest import Visit, Visitor
from tests.browser.roads import another_language
from tests.browser.test_builder_numbers import typed
from tests.browser.test_reports import desk
from tests.product import Product
from tests.surveys.builder.written import plain, question

pytestmark = pytest.mark.browser


def answers_arrived(robin: Visitor, rehearse: str, number: str) -> None:
    """Load the page of a rehearsal until it says this number of answers."""

    def told() -> bool:
        return number in robin.go(rehearse).locator("dl.facts").inner_text()

    servers.wait(told, "the answers", pause=0.5)


def press(page: Page, control: Locator) -> None:
    """Come to the control by Tab, and press Enter."""
    tab_to(page, control, most=300)
    page.keyboard.press("Enter")


def build(page: Page) -> None:
    """A number by each law: an average, and a shape."""
    press(page, page.get_by_role("button", name="Add a sensitive number"))
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("How much do you owe?")
    typed(page, "unit", "euros")
    typed(page, "high", "1000")
    tab_to(page, page.get_by_label("What do you want to learn?"))
    page.keyboard.press("ArrowDown")
    saved(page)
    press(page, page.locator(".block.open button.primary"))
    tab_to(page, page.locator("#section-0-kind"))
    page.keyboard.type("A sensitive number")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#section-1 textarea[name=text]")).to_be_focused()
    page.keyboard.type("What do you earn?")
    typed(page, "high", "100")
    wanted = page.get_by_label("What do you want to learn?")
    tab_to(page, wanted)
    for choice in ("mean", "quantiles", "shape"):
        page.keyboard.press("ArrowDown")
        expect(wanted).to_have_value(choice)
    expect(page.locator(".number-results")).to_contain_text("The margin of error of the curve is")
    saved(page)
    press(page, page.locator(".block.open button.primary"))


def test_a_survey_of_numbers_goes_from_the_builder_to_a_published_report(
    visit: Visit, product: Product
) -> None:
    draft = maker(product)(
        plain(question("work", "employed", "none")), expected=1200, rehearsal=True, title={"en": "Money"}
    )
    robin, ruth = visit("researcher"), visit("reviewer")
    page = robin.go(f"{draft.path}/edit")
    build(page)
    laws = [each["questions"][0].get("law") for each in draft.stored["sections"]]
    assert sorted(filter(None, laws)) == ["thresholds", "window"]

    press(robin.go(f"{draft.path}/open"), page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    rehearse = f"{draft.path}/rehearse"
    page = robin.go(rehearse)
    many = page.get_by_role("spinbutton")
    tab_to(page, many)
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1300")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Simulate answers")).to_have_count(0)
    answered = page.locator("dl.facts")
    answers_arrived(robin, rehearse, "1,300")
    expect(answered).to_contain_text("1,300")
    page = robin.go(f"{draft.path}/runs")
    press(page, page.get_by_role("button", name="Start the run"))
    page.wait_for_url(re.compile(r"/runs/\d+/"))
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    found = re.search(r"/runs/(\d+)/", page.url)
    assert found
    report = int(found[1])
    robin.go("/reports/")

    page = ruth.go(desk(report, "numbers"))
    expect(page.get_by_role("heading", name="What do you earn?").first).to_be_visible()
    page = ruth.go(desk(report, "publish"))
    press(page, page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")

    page = robin.go(f"/reports/{report}/numbers")
    expect(page.get_by_text(re.compile(r"The average lies between [\d,]+ and [\d,]+ euros"))).to_be_visible()
    robin.check()
    press(page, page.get_by_role("button", name="简体中文"))
    expect(page.get_by_text("平均值在").first).to_be_visible()
    another_language(page)
