"""A survey's life in a real browser, every page of it checked in both themes, on a phone and by keyboard."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests import servers
from tests.browser.conftest import Visit, Visitor
from tests.product import Product

pytestmark = pytest.mark.browser

MAKE = """
from accounts.models import Person
from surveys.models import Collaborator, Survey
from tests.surveys import drafts
robin = Person.objects.get(username="demo-researcher")
survey = Survey.objects.create(owner=robin, draft=drafts.{draft}())
print(survey.pk)
"""


def make(product: Product, draft: str) -> str:
    """A survey of the demo's researcher with this draft of tests.surveys.drafts; its address."""
    number = servers.manage(product.env, "shell", "--verbosity=0", "-c", MAKE.format(draft=draft))
    return f"/surveys/{number.strip()}"


def look(visitor: Visitor, path: str, name: str) -> Page:
    page = visitor.go(path)
    visitor.check()
    visitor.shoot(f"surveys-{name}")
    return page


def test_a_researcher_begins_a_survey_and_reads_what_it_still_lacks(visit: Visit) -> None:
    visitor = visit("researcher")
    page = visitor.go("/surveys/new")
    page.click("main button.primary")
    expect(page.locator(".error-summary")).to_be_focused()
    visitor.check()
    visitor.shoot("surveys-new")
    page.fill("input[name=title]", "Rest and worry")
    page.click("main button.primary")
    page.wait_for_url(re.compile(r"/surveys/\d+/"))
    pk = re.search(r"/surveys/(\d+)/", page.url)
    assert pk
    page = look(visitor, f"/surveys/{pk[1]}/", "draft")
    expect(page.get_by_role("heading", name="things are missing")).to_be_visible()
    page = look(visitor, "/surveys/", "list")
    expect(page.get_by_role("link", name="Rest and worry", exact=True)).to_be_visible()
    look(visitor, "/surveys/?search=nothing+of+the+kind", "list-nothing-found")


def test_a_survey_lives_from_its_opening_to_its_destruction(visit: Visit, product: Product) -> None:
    path = make(product, "complete")
    visitor = visit("researcher")
    look(visitor, f"{path}/settings", "settings-draft")
    page = look(visitor, f"{path}/open", "open")
    page.click("text=Open the survey")
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    visitor.check()
    visitor.shoot("surveys-opened")
    link = page.get_by_label("Link for respondents").input_value()
    assert link.startswith(f"{product.url}/a/")
    page = visitor.go(f"{path}/settings")
    page.get_by_label("Deletion date").fill("2098-01-01")
    page.click("text=Save")
    expect(page.locator(".error-summary")).to_contain_text("Confirm this date")
    visitor.check()
    visitor.shoot("surveys-settings-destroyed-sooner")
    page.get_by_label("Yes, delete everything on").check()
    page.click("text=Save")
    expect(page.locator(".toast")).to_contain_text("The settings are saved.")
    page = look(visitor, f"{path}/close", "close")
    page.click("text=Close the survey")
    expect(page.locator("h1 + .buttons .badge")).to_have_text("closed")
    for step in ("reopen", "finish"):
        page = visitor.go(f"{path}/{step}")
        visitor.check(within="main")
        visitor.shoot(f"surveys-{step}")
    page.click("text=Finish the survey >> nth=-1")
    look(visitor, f"{path}/close", "obstacle")
    page = visitor.go(f"{path}/destroy")
    page.fill("input[name=typed]", "something else")
    page.click("text=Delete permanently")
    expect(page.locator(".error-summary")).to_contain_text("That is not its title")
    visitor.check()
    visitor.shoot("surveys-destroy")
    page.fill("input[name=typed]", "Work and health")
    page.click("text=Delete permanently")
    expect(page.get_by_text("This survey has been deleted")).to_be_visible()
    visitor.check()
    visitor.shoot("surveys-destroyed")
    look(visitor, f"{path}/history", "history")


def test_weak_settings_wait_for_a_reviewer_who_says_yes(visit: Visit, product: Product) -> None:
    path = make(product, "weak")
    robin, ruth = visit("researcher"), visit("reviewer")
    page = look(robin, f"{path}/open", "open-weak")
    page.get_by_role("link", name="Request approval").click()
    robin.check()
    robin.shoot("surveys-ask")
    page.fill("textarea[name=reason]", "A clinic of sixty people; nobody else would be counted.")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_text("A reviewer decides on its settings")).to_be_visible()

    look(ruth, "/surveys/review", "queue")
    page = look(ruth, f"{path}/review", "review")
    expect(page.get_by_text("A clinic of sixty people")).to_be_visible()
    page.get_by_label("Approve").check()
    page.get_by_role("button", name="Save decision").click()
    expect(page.locator(".toast")).to_contain_text("Your decision is written down.")

    page = robin.go(f"{path}/open")
    page.click("text=Open the survey")
    expect(page.locator(".toast")).to_contain_text("The survey is open.")


@pytest.mark.release
def test_the_owner_asks_somebody_to_work_on_it(visit: Visit, product: Product) -> None:
    path = make(product, "complete")
    visitor = visit("researcher")
    page = visitor.go(f"{path}/people")
    page.fill("input[name=who]", "demo-reviewer")
    page.get_by_label("May edit the draft").check()
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("row", name="Ruth Reviewer")).to_contain_text("edit the draft")
    visitor.check()
    visitor.shoot("surveys-people-two")
    page.get_by_role("button", name="Remove Ruth Reviewer").click()
    expect(page.locator(".toast")).to_contain_text("is no longer a collaborator")
    expect(page.get_by_role("row", name="Ruth Reviewer")).to_have_count(0)


@pytest.mark.release
def test_a_rehearsal_is_marked_on_all_its_pages(visit: Visit, product: Product) -> None:
    path = make(product, "bilingual")
    visitor = visit("researcher")
    page = look(visitor, f"{path}/duplicate", "duplicate")
    page.get_by_label("A test run (rehearsal) with simulated answers").check()
    page.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_text("This is a rehearsal")).to_be_visible()
    visitor.check()
    visitor.shoot("surveys-rehearsal")
    copy = re.search(r"/surveys/\d+", page.url)
    assert copy
    visitor.go(f"{copy[0]}/open").click("text=Open the survey")
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    look(visitor, f"{copy[0]}/rehearse", "rehearse")
    expect(page.get_by_role("button", name="Simulate answers")).to_be_visible()
    page = visitor.go(f"{copy[0]}/invitations/poster")
    expect(page.get_by_text("rehearsal").first).to_be_visible()


@pytest.mark.release
def test_of_two_who_settle_a_draft_the_later_sees_both(visit: Visit, product: Product) -> None:
    path = make(product, "complete")
    visitor = visit("researcher")
    other = visitor.page.context.new_page()
    for page, cap in ((visitor.page, "700"), (other, "300")):
        page.goto(f"{product.url}{path}/settings")
        page.get_by_label("Maximum number of answers").fill(cap)
    other.click("text=Save")
    expect(other.locator(".toast")).to_contain_text("The settings are saved.")
    visitor.page.click("text=Save")
    expect(visitor.page.locator(".error-summary")).to_contain_text("300")
    visitor.check()
    visitor.shoot("surveys-settings-conflict")
    visitor.page.click("text=Save mine instead")
    expect(visitor.page.locator(".toast")).to_contain_text("The settings are saved.")
