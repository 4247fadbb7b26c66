"""A survey's life: planned, begun, opened, closed, destroyed."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.visiting import PHONE, Visitor, press_key_on, shell, tab_to
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
MAKE = "print(Survey.objects.create(owner=robin, draft=drafts.{draft}()).pk)"
COLLEAGUE = """
from accounts import role_assignment
from accounts.models import RESEARCHERS
carla = Person.objects.create_user("carla", email="carla@example.org", name="Carla Colleague")
role_assignment.give_role(carla, RESEARCHERS, by=None)
"""


def make(product: Product, draft: str) -> str:
    """A survey of the demo's researcher with this draft of tests.surveys.drafts; its address."""
    return f"/app/surveys/{shell(product, MAKE.format(draft=draft))}"


def test_researcher_begins_a_survey_and_reads_what_is_missing(robin: Visitor) -> None:
    page = robin.go("/app/surveys/new")
    page.click("main button.primary")
    expect(page.locator(".error-summary")).to_be_focused()
    robin.check()
    page.fill("input[name=title]", "Rest and worry")
    page.click("main button.primary")
    page.wait_for_url(re.compile(r"/app/surveys/\d+/"))
    page = robin.go_and_check(re.findall(r"/app/surveys/\d+/", page.url)[0])
    expect(page.get_by_role("heading", name="things are missing")).to_be_visible()
    page = robin.go_and_check("/app/surveys/")
    expect(page.get_by_role("link", name="Rest and worry", exact=True)).to_be_visible()
    robin.go_and_check("/app/surveys/?search=nothing+of+the+kind")


def test_a_survey_lives_from_its_opening_to_its_destruction(robin: Visitor, product: Product) -> None:
    path = make(product, "complete")
    page = robin.page
    state, toast = page.locator("h1 + .buttons .badge"), page.locator(".toast")
    robin.go_and_check(f"{path}/settings")
    robin.go_and_check(f"{path}/open")
    page.click("text=Open the survey")
    expect(toast).to_contain_text("The survey is open.")
    robin.check()
    assert page.get_by_label("Link for respondents").input_value().startswith(f"{product.url}/a/")
    for name, state_after in (("Pause survey", "paused"), ("Resume survey", "open")):
        page.get_by_role("link", name=name).click()
        robin.check()
        page.get_by_role("button", name=name).click()
        page.wait_for_url(re.compile(rf"{path}/$"))
        expect(state).to_have_text(state_after)
        robin.check()
    robin.go(f"{path}/settings")
    page.get_by_label("Deletion date").fill("2098-01-01")
    page.click("text=Save")
    expect(page.locator(".error-summary")).to_contain_text("Confirm this date")
    robin.check()
    page.get_by_label("Yes, delete everything on").check()
    page.click("text=Save")
    expect(toast).to_contain_text("The settings are saved.")
    robin.go_and_check(f"{path}/close")
    page.click("text=Close the survey")
    expect(state).to_have_text("closed")
    for step in ("reopen", "finish"):
        robin.go_and_check(f"{path}/{step}", within="main")
    page.click("text=Finish the survey >> nth=-1")
    robin.go_and_check(f"{path}/close")
    robin.go(f"{path}/destroy")
    page.fill("input[name=typed]", "something else")
    page.click("text=Delete permanently")
    expect(page.locator(".error-summary")).to_contain_text("That is not its title")
    robin.check()
    page.fill("input[name=typed]", "Work and health")
    page.click("text=Delete permanently")
    expect(page.get_by_text("This survey has been deleted")).to_be_visible()
    robin.check()
    robin.go_and_check(f"{path}/history")


def test_the_owner_asks_somebody_to_work_on_it(robin: Visitor, product: Product) -> None:
    shell(product, COLLEAGUE)
    page = robin.go(f"{make(product, 'complete')}/people")
    colleague = page.get_by_role("row", name="Carla Colleague")
    for who in ("demo-reviewer", "carla"):
        page.fill("input[name=who]", who)
        page.get_by_label("May edit the draft").check()
        page.get_by_role("button", name="Add").click()
        if who != "carla":
            refusal = "Ruth Reviewer may review this survey, and nobody who works on it does."
            expect(page.get_by_text(refusal).first).to_be_visible()
    expect(colleague).to_contain_text("edit the draft")
    robin.check()
    page.get_by_role("button", name="Remove Carla Colleague").click()
    expect(page.locator(".toast")).to_contain_text("is no longer a collaborator")
    expect(colleague).to_have_count(0)


def test_a_rehearsal_is_marked_on_all_its_pages(robin: Visitor, product: Product) -> None:
    path = make(product, "bilingual")
    page = robin.go_and_check(f"{path}/duplicate")
    page.get_by_label("A test run (rehearsal) with simulated answers").check()
    page.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_text("This is a rehearsal")).to_be_visible()
    robin.check()
    copy = re.findall(r"/app/surveys/\d+", page.url)[0]
    robin.go(f"{copy}/open").click("text=Open the survey")
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    robin.go_and_check(f"{copy}/rehearse")
    expect(page.get_by_role("button", name="Simulate answers")).to_be_visible()
    page = robin.go(f"{copy}/invitations/poster")
    expect(page.get_by_text("rehearsal").first).to_be_visible()


GOALS = {
    "share": "A share: how many people say yes",
    "average": "An average: the mean of a number",
    "difference": "A difference: between the shares of two groups",
    "association": "An association: whether two sensitive answers go together",
}


def forecast_is(page: Page, words: str) -> None:
    expect(page.locator("#forecast [role=status]")).to_contain_text(words)


def test_a_survey_is_planned_and_built_at_a_desk(robin: Visitor) -> None:
    page = robin.go("/app/surveys/new")
    page.get_by_role("link", name="Plan the precision").click()
    forecast_is(page, "of people say yes")
    # Every goal is answered while one chooses.
    about = {"share": "say yes", "average": "average", "difference": "groups", "association": "ratio"}
    for goal, label in GOALS.items():
        page.get_by_label(label).check()
        number = page.get_by_label("Largest number that people can give")
        expect(number).to_be_visible(visible=goal == "average")
        expect(page.get_by_label("to say yes (%)")).to_be_visible(visible=goal != "average")
        expect(page.locator("#forecast h2 + div")).to_contain_text(about[goal])
        robin.check()
    # Answers that make no sense are named.
    respondents = page.get_by_label("How many answers do you expect?")
    respondents.fill("")
    forecast_is(page, "Nothing can be computed from these answers yet.")
    respondents.fill("20")
    forecast_is(page, "Nothing is estimated from so few answers")
    page.get_by_label(GOALS["share"]).check()
    respondents.fill("4000")
    forecast_is(page, "±1.2 points")
    page.get_by_label("Stronger").check()
    forecast_is(page, "±1.8 points")
    page.get_by_label("Title").fill("Work and worry")
    page.get_by_role("button", name="Open the builder with this").click()
    page.wait_for_url(re.compile(r"/app/surveys/\d+/edit$"))
    price = page.locator(".price")
    expect(price).to_have_count(1)
    expect(price).to_contain_text("the other margin grows from ±1.8 to ±4.0 points")
    # The price is what it then costs.
    page.get_by_role("button", name="Add a sensitive section (disguised)").click()
    page.locator("#section-2 .add-question").get_by_role("button", name="Add a question", exact=True).click()
    expect(page.locator("#section-2 .block")).to_have_count(1)
    expect(price).to_contain_text("every other margin grows from ±4.0")
    page.get_by_role("link", name="Protection").first.click()
    expect(page.locator("#margin-1-0")).to_have_text("±4.0 points")


def test_survey_is_planned_on_a_phone_by_keyboard(visit: Visit) -> None:
    page = visit("researcher", viewport=PHONE).go("/app/surveys/new/plan")
    tab_to(page, page.get_by_label(GOALS["share"]))
    page.keyboard.press("ArrowDown")
    forecast_is(page, "the average is 50")
    tab_to(page, page.get_by_label("Largest number that people can give"))
    page.keyboard.press("Control+A")
    page.keyboard.type("20")
    forecast_is(page, "the average is 10")
    tab_to(page, page.get_by_label("Title"))
    page.keyboard.type("Hours")
    press_key_on(page, page.get_by_role("button", name="Open the builder with this"))
    page.wait_for_url(re.compile(r"/app/surveys/\d+/edit$"))
    expect(page.locator("#section-1")).to_contain_text("Number from 0 to 20")
    expect(page.locator(".price")).to_contain_text("every other margin grows, the widest from ±")
