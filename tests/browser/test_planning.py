"""The precision is planned before the first question, and the builder opens with the design."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import maker, press, tab_to
from tests.browser.conftest import PHONE, Visit, Visitor
from tests.builder.written import classes, plain, question
from tests.product import Product

pytestmark = pytest.mark.browser
GOALS = {
    "share": "A share: how many people say yes",
    "average": "An average: the mean of a number",
    "difference": "A difference: between the shares of two groups",
    "association": "An association: whether two sensitive answers go together",
}


def forecast_is(page: Page, words: str) -> None:
    expect(page.locator("#forecast [role=status]")).to_contain_text(words)


def test_a_survey_is_planned_and_built_at_a_desk(visit: Visit) -> None:
    visitor = visit("researcher")
    page = visitor.go("/surveys/new")
    visitor.shoot("planning-new")
    page.get_by_role("link", name="Plan the precision").click()
    forecast_is(page, "of people say yes")
    every_goal_is_answered_while_one_chooses(visitor)
    answers_that_make_no_sense_are_named(page)
    page.get_by_label(GOALS["share"]).check()
    page.get_by_label("How many answers do you expect?").fill("4000")
    forecast_is(page, "± 1.2 points")
    page.get_by_label("Stronger").check()
    forecast_is(page, "± 1.8 points")
    page.get_by_label("Title").fill("Work and worry")
    page.get_by_role("button", name="Open the builder with this").click()
    page.wait_for_url(re.compile(r"/surveys/\d+/edit$"))
    price = page.locator(".price")
    expect(price).to_have_count(1)
    expect(price).to_contain_text("the other margin grows from ± 1.8 to ± 4.0 points")
    visitor.shoot("planning-builder")
    the_price_is_what_it_then_costs(page)


def every_goal_is_answered_while_one_chooses(visitor: Visitor) -> None:
    page = visitor.page
    for goal, label in GOALS.items():
        page.get_by_label(label).check()
        number = page.get_by_label("Largest number that people can give")
        expect(number).to_be_visible(visible=goal == "average")
        expect(page.get_by_label("to say yes (%)")).to_be_visible(visible=goal != "average")
        expect(page.locator("#forecast h2 + div")).to_contain_text(
            {"share": "say yes", "average": "average", "difference": "groups", "association": "ratio"}[goal]
        )
        visitor.check()
        visitor.shoot(f"planning-{goal}")


def answers_that_make_no_sense_are_named(page: Page) -> None:
    respondents = page.get_by_label("How many answers do you expect?")
    respondents.fill("")
    forecast_is(page, "Nothing can be computed from these answers yet.")
    respondents.fill("20")
    forecast_is(page, "Nothing is estimated from so few answers")


def the_price_is_what_it_then_costs(page: Page) -> None:
    page.get_by_role("button", name="Add a sensitive section (disguised)").click()
    page.locator("#section-2 .add-question").get_by_role("button", name="Add a question", exact=True).click()
    expect(page.locator("#section-2 .block")).to_have_count(1)
    expect(page.locator(".price")).to_contain_text("every other margin grows from ± 4.0")
    page.get_by_role("link", name="Protection").first.click()
    expect(page.locator("#margin-1-0")).to_have_text("±4.0 points")


@pytest.mark.release
def test_it_is_planned_on_a_phone_by_keyboard(visit: Visit) -> None:
    visitor = visit("researcher", viewport=PHONE)
    page = visitor.go("/surveys/new/plan")
    tab_to(page, page.get_by_label(GOALS["share"]))
    page.keyboard.press("ArrowDown")
    forecast_is(page, "the average is 50")
    tab_to(page, page.get_by_label("Largest number that people can give"))
    page.keyboard.press("Control+A")
    page.keyboard.type("20")
    forecast_is(page, "the average is 10")
    tab_to(page, page.get_by_label("Title"))
    page.keyboard.type("Hours")
    press(page, page.get_by_role("button", name="Open the builder with this"))
    page.wait_for_url(re.compile(r"/surveys/\d+/edit$"))
    expect(page.locator("#section-1")).to_contain_text("Number from 0 to 20")
    expect(page.locator(".price")).to_contain_text("every other margin grows, the widest from ±")


@pytest.mark.release
def test_without_a_script_the_plan_stands_below_its_form(visit: Visit) -> None:
    visitor = visit("researcher", java_script_enabled=False)
    page = visitor.go("/surveys/new/plan")
    page.get_by_label(GOALS["difference"]).check()
    page.get_by_label("How many answers do you expect?").fill("2500")
    page.get_by_role("button", name="Show the precision").click()
    forecast_is(page, "If two groups of the same size do not differ")
    page.get_by_label("Title").fill("Two plants")
    page.get_by_role("button", name="Open the builder with this").click()
    page.wait_for_url(re.compile(r"/surveys/\d+/edit$"))
    expect(page.locator(".price")).to_contain_text("the other margin grows")


@pytest.mark.release
def test_a_draft_of_numbers_says_the_price_above_the_buttons_for_sections(
    visit: Visit, product: Product
) -> None:
    draft = maker(product)(classes("debt", 0, 25, 50, 100), plain(question("age")), open_answers=False)
    page = visit("researcher").go(f"{draft.path}/edit")
    expect(page.locator("#section-1 .price")).to_contain_text("less protected")
