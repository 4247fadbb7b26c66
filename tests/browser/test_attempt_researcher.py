"""A social scientist comes to an open survey of 12 questions by pages alone, from a questionnaire."""

import pytest
from playwright.sync_api import expect

from tests.browser.clicks import Hand, told
from tests.browser.conftest import Visit
from tests.browser.roads import walk

pytestmark = pytest.mark.browser


def begun(hand: Hand) -> None:
    page = hand.page
    hand.click(page.get_by_role("link", name="New survey"))
    expect(page.get_by_label("Title")).to_be_focused()
    page.keyboard.type("Trust at work")
    hand.click(page.get_by_role("button", name="Create survey"))
    expect(page.locator("#section-0 textarea[name=text]")).to_be_focused()
    assert hand.acts == told("New survey with its first question focused")


def opened(hand: Hand) -> str:
    """The survey link, from the builder."""
    page = hand.page
    hand.click(page.get_by_role("link", name="Overview"))
    hand.click(page.get_by_role("main").get_by_role("link", name="Open survey"))
    hand.click(page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    return page.get_by_label("Link for respondents").input_value()


def test_a_survey_is_opened_from_a_questionnaire(visit: Visit) -> None:
    robin = visit("researcher")
    hand = Hand(robin.go("/surveys/"))
    hand.click(hand.page.get_by_role("link", name="New survey"))
    walk(robin, "researcher-new")
    hand.click(hand.page.get_by_role("button", name="Use this questionnaire Safety at work"))
    expect(hand.page.get_by_text("Nothing is missing")).to_be_visible()
    for tab in ("Preview", "Invitations", "Settings", "People", "Activity log"):
        hand.page.get_by_role("link", name=tab, exact=True).click()
        walk(robin, f"researcher-{tab.lower().replace(' ', '-')}")
    link = opened(hand)
    assert hand.acts == told("Survey from a questionnaire, opened")
    guest = visit()
    guest.page.goto(link)
    expect(guest.page.get_by_role("heading", name="Safety at work")).to_be_visible()


def test_nothing_is_called_missing_before_its_field_was_left(visit: Visit) -> None:
    page = visit("researcher").go("/surveys/")
    begun(Hand(page))
    expect(page.locator("#questionnaire")).not_to_contain_text("missing")
    expect(page.locator(".toast")).to_have_count(0)
