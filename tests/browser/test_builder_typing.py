"""What is typed while the server is slow or away: nothing of it is lost."""

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests import servers
from tests.browser.conftest import Visit
from tests.browser.visiting import Draft, Visitor, axe_violations, block, wait_until_saved

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
DELAY = 300
"""Milliseconds that every answer of the server takes longer."""
KEY = 25
"""Milliseconds from one key to the next: a fast typist."""


def slow_network(page: Page, latency: int = DELAY) -> None:
    conditions = {"offline": False, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", conditions)


def open_builder(visit: Visit, draft: Draft, *keys: str) -> Page:
    asked = "&".join(f"open={key}" for key in keys)
    page = visit("researcher").go(f"{draft.path}/edit?{asked}")
    slow_network(page)
    return page


def add(page: Page, section: int, kind: str = "yes-no") -> None:
    page.locator(f"#section-{section}-kind").select_option(kind)
    page.locator(f"#section-{section}").get_by_role("button", name="Add a question").click()


def type_on(page: Page, words: str) -> None:
    page.keyboard.type(words, delay=KEY)


def nothing_waits(page: Page) -> None:
    expect(page.locator("[data-waiting]")).to_have_count(0)


def wait_stored(page: Page, wanted: object, stored: Callable[[], object]) -> None:
    """Until the draft says so, as it is saved a moment after the last key."""
    end = time.monotonic() + servers.PATIENCE
    while stored() != wanted and time.monotonic() < end:
        page.wait_for_timeout(100)
    assert stored() == wanted


def texts(draft: Draft, section: int) -> list[str]:
    return [each["text"].get("en", "") for each in draft.draft_json["sections"][section]["questions"]]


def answers(draft: Draft, number: int = 0) -> list[str]:
    """Those of this question of the first section."""
    asked = draft.draft_json["sections"][0]["questions"][number]
    return [each["label"].get("en", "") for each in asked["choices"]]


def options(draft: Draft) -> list[str]:
    found = [each for each in draft.draft_json["sections"][0]["questions"] if each.get("of") == "use"]
    return [each["choices"][1]["label"].get("en", "") for each in found]


def test_several_questions_are_added_in_a_row_each_with_its_words(visit: Visit, draft: Draft) -> None:
    """The last one keeps the focus when the server has answered."""
    page = open_builder(visit, draft)
    for number, section in enumerate((0, 1, 0)):
        add(page, section, "one")
        type_on(page, f"Number {number}?")
    nothing_waits(page)
    expect(page.locator("#section-0 textarea[name=text]").last).to_be_focused()
    type_on(page, " On most days?")
    wait_stored(page, ["Number 0?", "Number 2? On most days?"], lambda: texts(draft, 0)[-2:])
    wait_stored(page, "Number 1?", lambda: texts(draft, 1)[-1])


def test_a_question_with_a_section_of_its_own_is_written_at_once(visit: Visit, draft: Draft) -> None:
    page = open_builder(visit, draft)
    add(page, 0, "number")
    type_on(page, "How many cups?")
    page.get_by_role("button", name="Add a sensitive number").click()
    type_on(page, "How much debt?")
    add(page, 0)
    type_on(page, "A plain one?")
    nothing_waits(page)
    wait_stored(page, "A plain one?", lambda: texts(draft, 0)[-1])
    wait_stored(
        page, ["How many cups?", "How much debt?"], lambda: [texts(draft, number)[-1] for number in (1, 3)]
    )


def test_answers_and_options_are_added_and_written_one_after_another(visit: Visit, draft: Draft) -> None:
    page = open_builder(visit, draft, "age", "of%3Duse")
    page.locator("[data-key=age] input[name=label-0]").focus()
    page.keyboard.press("End")
    for words in ("middle", "older", "oldest"):
        page.keyboard.press("Enter")
        type_on(page, words)
    page.locator("[data-key=age]").get_by_role("button", name="Add an answer").click()
    type_on(page, "no age")
    nothing_waits(page)
    type_on(page, " at all")
    wait_stored(page, ["young", "middle", "older", "oldest", "old", "no age at all"], lambda: answers(draft))
    page.locator("[data-key='of=use']").get_by_role("button", name="Add an answer").click()
    type_on(page, "train")
    page.keyboard.press("Enter")
    type_on(page, "ferry")
    nothing_waits(page)
    wait_stored(page, ["bus", "car", "train", "ferry"], lambda: options(draft))


@pytest.mark.parametrize("button", ["Duplicate", "Delete"])
def test_words_typed_while_a_question_is_added_or_removed_stay(
    visit: Visit, draft: Draft, button: str
) -> None:
    page = open_builder(visit, draft, "age", "theft")
    words = page.locator("#section-1 textarea[name=text]")
    page.locator("#section-0 .block.open").get_by_role("button", name=button, exact=True).click()
    words.click()
    page.keyboard.press("ControlOrMeta+A")
    type_on(page, "Did you take anything home?")
    expect(words).to_be_focused()
    if button == "Delete":
        page.get_by_role("button", name="Undo").click()
        words.click()
        page.keyboard.press("End")
        type_on(page, " Ever?")
        expect(page.locator("[data-said]")).to_contain_text("It is back.")
    asked = "Did you take anything home?" + (" Ever?" if button == "Delete" else "")
    expect(words).to_have_value(asked)
    wait_stored(page, asked, lambda: texts(draft, 1)[0])
    assert len(draft.names[0]) == (4 if button == "Delete" else 5)


def test_words_typed_elsewhere_while_a_section_is_added_stay(visit: Visit, draft: Draft) -> None:
    page = open_builder(visit, draft, "theft")
    page.get_by_role("button", name="Add a sensitive section (disguised)").click()
    words = page.locator("#section-1 textarea[name=text]")
    words.click()
    page.keyboard.press("End")
    type_on(page, " Really and truly?")
    expect(page.locator("#section-2")).to_be_visible()
    expect(words).to_be_focused()
    wait_stored(page, "theft? Really and truly?", lambda: texts(draft, 1)[0])


def test_additions_wait_for_the_connection(visit: Visit, draft: Draft) -> None:
    page = open_builder(visit, draft)
    page.route("**/edit/act", lambda route: route.abort())
    add(page, 0)
    type_on(page, "Written without a connection?")
    expect(page.locator("[data-saved]")).to_have_text("Not saved: there is no connection. Trying again …")
    expect(page.locator("[data-waiting] textarea[name=text]")).to_have_value("Written without a connection?")
    page.unroute("**/edit/act")
    nothing_waits(page)
    wait_stored(page, "Written without a connection?", lambda: texts(draft, 0)[-1])


def test_refused_addition_stays_with_its_reason_and_can_be_repeated(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit")
    slow_network(page)
    theirs = draft.draft_json
    theirs["sections"][0]["questions"].insert(1, theirs["sections"][0]["questions"].pop(0))
    draft.store(theirs)
    add(page, 0)
    type_on(page, "NotAllowed at first?")
    note = page.locator("[data-refused]")
    expect(note).to_contain_text("Not saved: Someone else has changed this section.")
    expect(page.locator("[data-waiting] textarea[name=text]")).to_have_value("NotAllowed at first?")
    assert axe_violations(page, "[data-waiting]") + axe_violations(page, "#start") == []
    page.locator("#section-0 .block h3 a").first.click()
    expect(page.locator("#section-0 .block.open:not([data-waiting])")).to_have_count(1)
    note.get_by_role("button", name="Try again").click()
    nothing_waits(page)
    wait_stored(page, "NotAllowed at first?", lambda: texts(draft, 0)[-1])


def test_a_refused_question_is_discarded(visit: Visit, draft: Draft) -> None:
    page = open_builder(visit, draft)
    page.route("**/edit/act", lambda route: route.fulfill(status=403))
    add(page, 0)
    type_on(page, "Not allowed?")
    expect(page.locator("[data-refused]")).to_contain_text(re.compile("you may not edit this survey"))
    page.get_by_role("button", name="Discard").click()
    nothing_waits(page)
    assert "Not allowed?" not in texts(draft, 0)


def test_signed_out_editor_goes_on_after_signing_in_elsewhere(draft: Draft, robin: Visitor) -> None:
    page = robin.go(f"{draft.path}/edit?open=age")
    page.context.clear_cookies()
    page.locator("textarea[name=text]").fill("How old?")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved: you have been signed out.")
    Visitor(page.context.new_page(), robin.product).sign_in("researcher")
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"))
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "How old?"}


def test_leaving_with_unsaved_text_asks_first(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit?open=age")
    page.route("**/edit/save", lambda route: route.abort())
    page.locator("textarea[name=text]").press_sequentially("Not yet. ")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved")
    asked: list[str] = []

    def dismiss_dialog(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", dismiss_dialog)
    page.evaluate("() => { location.href = '/' }")
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    page.unroute("**/edit/save")
    page.once("dialog", lambda dialog: dialog.accept())


def test_typed_text_is_stored_before_following_a_link(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit?open=age")
    asked: list[str] = []

    def accept_dialog(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept_dialog)
    page.locator("textarea[name=text]").fill("How old?")
    page.get_by_role("link", name="Protection").first.click()
    page.wait_for_url("**/edit/protection")
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "How old?"}
    assert asked == []


def test_typed_text_is_stored_before_a_page_change_by_button(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit?open=age&open=debt")
    page.locator("#section-0 textarea[name=text]").fill("How old?")
    page.locator("#section-1 textarea[name=text]").fill("In debt?")
    block(page, "work?").get_by_role("button", name="down").click()
    expect(page.locator("[data-said]")).to_contain_text("“work?” is question 3")
    assert draft.draft_json["sections"][0]["questions"][0]["text"] == {"en": "How old?"}
    assert draft.draft_json["sections"][1]["questions"][1]["text"] == {"en": "In debt?"}
    expect(page.locator("#section-0 textarea[name=text]")).to_have_value("How old?")


def test_saved_notice_never_covers_unsaved_parts(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit?open=age&open=%3Dstart")
    status = page.locator("[data-saved]")
    refused = "Not saved: Page for people who leave: Enter an address that begins with https://."
    page.fill("input[name=leave_to]", "http://plain.example")
    expect(status).to_have_text(refused)
    page.locator(".block.open textarea[name=text]").fill("How old?")
    wait_stored(page, {"en": "How old?"}, lambda: draft.draft_json["sections"][0]["questions"][0]["text"])
    expect(status).to_have_text(refused)
    page.fill("input[name=leave_to]", "https://www.wikipedia.org/")
    wait_until_saved(page)
    assert draft.draft_json["leave_to"] == "https://www.wikipedia.org/"
