"""A social scientist comes to an open survey of 12 questions by pages alone: from scratch, and from a questionnaire."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import saved
from tests.browser.clicks import Hand, told
from tests.browser.conftest import Visit
from tests.browser.roads import walk

pytestmark = pytest.mark.browser

PLAIN = {
    "one": ("What is your work?", "Office", "Workshop"),
    "agreement-5": ("My colleagues trust me.",),
    "yes-no": ("Do you lead others?",),
}
SENSITIVE = [
    [
        f"Have you {what} this year?"
        for what in ("taken goods home", "called in sick falsely", "drunk at work")
    ],
    [
        f"Have you ever {what}?"
        for what in ("lied on a CV", "hidden a mistake", "faked expenses", "taken a bribe")
    ],
]


def begun(hand: Hand) -> None:
    page = hand.page
    hand.click(page.get_by_role("link", name="New survey"))
    expect(page.get_by_label("Title")).to_be_focused()
    page.keyboard.type("Trust at work")
    hand.click(page.get_by_role("button", name="Create survey"))
    expect(page.locator("#section-0 textarea[name=text]")).to_be_focused()
    assert hand.acts == told("New survey with its first question focused")


def answers(page: Page, section: int, *words: str) -> None:
    """The fields of the answers come with the question from the server."""
    if words:
        arrived(page)
    for number, each in enumerate(words):
        page.locator(f"#section-{section} .block.open input[name=label-{number}]").last.fill(each)


def add(hand: Hand, section: int, kind: str, text: str, *words: str) -> None:
    page = hand.page
    form = page.locator(f"#section-{section}-kind")
    if form.input_value() != kind:
        hand.acts += 1
        form.select_option(kind)
    hand.click(page.locator(f"#section-{section}").get_by_role("button", name="Add a question"))
    page.keyboard.type(text)
    answers(page, section, *words)


def arrived(page: Page) -> None:
    """The server has answered whatever was added."""
    expect(page.locator("[data-waiting]")).to_have_count(0)


def twelve_questions(hand: Hand) -> None:
    page = hand.page
    page.keyboard.type("How old are you?")
    answers(page, 0, "Under 40", "40 or older")
    for kind, (text, *words) in PLAIN.items():
        add(hand, 0, kind, text, *words)
    hand.click(page.locator("#section-1").get_by_text("Untitled question"))
    page.keyboard.type("Have you slept at work this year?")
    for text in SENSITIVE[0]:
        add(hand, 1, "yes-no", text)
    hand.click(page.get_by_role("button", name="Add a sensitive section (disguised)"))
    expect(page.locator("#section-2-kind")).to_be_visible()
    for text in SENSITIVE[1]:
        add(hand, 2, "yes-no", text)
    arrived(page)
    saved(page)


def opened(hand: Hand) -> str:
    """The survey link, from the builder."""
    page = hand.page
    hand.click(page.get_by_role("link", name="Overview"))
    hand.click(page.get_by_role("main").get_by_role("link", name="Open survey"))
    hand.click(page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    return page.get_by_label("Link for respondents").input_value()


def test_a_survey_of_12_questions_is_opened_from_scratch(visit: Visit) -> None:
    robin = visit("researcher")
    page = robin.go("/surveys/")
    walk(robin, "researcher-list", checked=True)
    hand = Hand(page)
    begun(hand)
    # Nothing is called missing before its field was left.
    expect(page.locator("#questionnaire")).not_to_contain_text("missing")
    expect(page.locator(".toast")).to_have_count(0)
    twelve_questions(hand)
    expect(page.locator(".block")).to_have_count(12)
    hand.click(page.get_by_role("link", name="Edit the start page"))
    page.get_by_label("Why it is asked").fill("To learn how much people trust each other at work.")
    saved(page)
    expect(page.get_by_text("Nothing is missing")).to_be_visible()
    walk(robin, "researcher-questions", checked=True)
    hand.click(page.get_by_role("link", name="Protection", exact=True).first)
    verdict = page.locator("#person-results .verdict")
    after = re.search(r"at most ([\d.]+)", verdict.inner_text())
    assert after
    assert float(after[1]) <= 50
    walk(robin, "researcher-protection", checked=True)
    link = opened(hand)
    walk(robin, "researcher-open", checked=True)
    assert hand.acts == told("Survey of 12 questions from scratch, opened")
    guest = visit()
    guest.page.goto(link)
    expect(guest.page.get_by_role("heading", name="Trust at work")).to_be_visible()


def test_a_survey_is_opened_from_a_questionnaire(visit: Visit) -> None:
    robin = visit("researcher")
    hand = Hand(robin.go("/surveys/"))
    hand.click(hand.page.get_by_role("link", name="New survey"))
    walk(robin, "researcher-new", checked=True)
    hand.click(hand.page.get_by_role("button", name="Use this questionnaire Safety at work"))
    expect(hand.page.get_by_text("Nothing is missing")).to_be_visible()
    for tab in ("Preview", "Invitations", "Settings", "People", "Activity log"):
        hand.page.get_by_role("link", name=tab, exact=True).click()
        walk(robin, f"researcher-{tab.lower().replace(' ', '-')}", checked=tab != "Preview")
    link = opened(hand)
    assert hand.acts == told("Survey from a questionnaire, opened")
    guest = visit()
    guest.page.goto(link)
    expect(guest.page.get_by_role("heading", name="Safety at work")).to_be_visible()
