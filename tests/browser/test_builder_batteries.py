"""Batteries, texts before sections and none of these in the builder and its preview, by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.browser.building import Make, maker, saved
from tests.browser.conftest import Visit
from tests.builder.written import options, plain, question, sensitive
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def test_a_battery_is_added_by_keyboard_and_previewed(visit: Visit, make: Make) -> None:
    draft = make(plain(question("age")))
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit")
    page.locator(".add-battery summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("I am paid fairly.\nI have enough rest.")
    visitor.shoot("builder-battery-add")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("In a battery")).to_have_count(1)  # the first line is open
    expect(page.get_by_label("Words above the battery")).to_have_count(1)
    made = draft.stored["sections"][0]["questions"][1:]
    assert [each["text"]["en"] for each in made] == ["I am paid fairly.", "I have enough rest."]
    assert made[0]["of"] == made[1]["of"]
    visitor.shoot("builder-battery")
    page = visitor.go(f"{draft.path}/preview/page")
    page.locator("[data-agree]:visible").click()
    page.check("#answer-0-0")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radiogroup")).to_have_count(2)
    expect(page.get_by_role("radiogroup", name="I am paid fairly.").get_by_role("radio")).to_have_count(5)


def test_the_text_before_a_section_and_its_order_are_kept_while_they_are_typed(
    visit: Visit, make: Make
) -> None:
    draft = make(plain(question("age")), sensitive(question("theft"), question("debt")))
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit")
    page.locator("#section-1-text-open").press("Enter")
    field = page.get_by_label("Text before the section")
    expect(field).to_be_focused()
    page.keyboard.type("Now about your work.")
    page.get_by_label("Ask these questions in random order").check()
    saved(page)
    visitor.shoot("builder-section-text")
    page.locator("#section-1-text").get_by_role("button", name="Done").click()
    expect(page.locator("#section-1-text .section-words")).to_have_text("Now about your work.")
    expect(page.locator("#section-1-text")).to_contain_text("In random order")
    section = draft.stored["sections"][1]
    assert (section["intro"], section["order"]) == ({"en": "Now about your work."}, "random")


def test_none_of_these_is_added_by_one_button(visit: Visit, make: Make) -> None:
    draft = make(plain(*options("use", "bus", "car")))
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit?open=of%3Duse")
    page.get_by_role("button", name="Add “None of these”").press("Enter")
    field = page.get_by_label("Answer that excludes the others")
    expect(field).to_be_focused()
    expect(field).to_have_value("None of these")
    field.fill("No vehicle")
    saved(page)
    assert draft.stored["sections"][0]["questions"][0]["none"] == {"en": "No vehicle"}
    visitor.shoot("builder-none")
