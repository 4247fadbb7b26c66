"""A draft that is saved as one types, whatever the network, the session or somebody else does."""

import re
import time

import pytest
from playwright.sync_api import Dialog, Route, expect

from tests import servers
from tests.browser.building import Draft, Make, block, maker, saved, usual
from tests.browser.conftest import Visit, Visitor, axe
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def test_a_draft_saves_as_one_types_and_says_so(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=age")
    status, field = page.locator("[data-saved]"), page.locator("textarea[name=text]")
    expect(status).to_have_text("Everything is saved")
    field.fill("How old?")
    saved(page)
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old?"}

    def fail(route: Route) -> None:
        route.abort()

    page.route("**/edit/save", fail)
    field.fill("How old are you?")
    expect(status).to_have_text("Not saved: there is no connection. Trying again …")
    page.unroute("**/edit/save", fail)
    saved(page)
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old are you?"}
    page.route("**/edit/save", lambda route: route.fulfill(status=503))
    field.fill("How old are you now?")
    expect(status).to_contain_text("the server did not answer as it should. Trying again")
    page.unroute("**/edit/save")
    saved(page)
    page.fill("input[name=label-0]", "")
    expect(page.locator("[data-lacking]")).to_have_text("1 thing is missing")


@pytest.mark.release
def test_whoever_was_signed_out_goes_on_after_signing_in_elsewhere(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit?open=age")
    page.context.clear_cookies()
    page.locator("textarea[name=text]").fill("How old?")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved: you have been signed out.")
    elsewhere = Visitor(page.context.new_page(), visitor.product)
    elsewhere.sign_in("researcher")
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved"))
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old?"}


def test_whoever_leaves_with_something_unsaved_is_asked(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=age")
    page.route("**/edit/save", lambda route: route.abort())
    page.locator("textarea[name=text]").press_sequentially("Not yet. ")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    page.evaluate("() => { location.href = '/' }")
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    page.unroute("**/edit/save")
    page.once("dialog", lambda dialog: dialog.accept())


@pytest.mark.release
def test_what_was_typed_is_stored_before_a_link_is_followed(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=age")
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.locator("textarea[name=text]").fill("How old?")
    page.get_by_role("link", name="Protection").first.click()
    page.wait_for_url("**/edit/protection")
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old?"}
    assert asked == []


@pytest.mark.release
def test_what_was_typed_is_stored_before_a_button_changes_the_page(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=age&open=debt")
    page.locator("#section-0 textarea[name=text]").fill("How old?")
    page.locator("#section-1 textarea[name=text]").fill("In debt?")
    block(page, "work?").get_by_role("button", name="down").click()
    expect(page.locator("[data-said]")).to_contain_text("“work?” is question 3")
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "How old?"}
    assert draft.stored["sections"][1]["questions"][1]["text"] == {"en": "In debt?"}
    expect(page.locator("#section-0 textarea[name=text]")).to_have_value("How old?")


def test_of_two_people_the_later_one_sees_both_and_decides(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    mine = visit("researcher").go(f"{draft.path}/edit?open=age")
    theirs = draft.stored
    theirs["sections"][0]["questions"][0]["text"]["en"] = "Their words?"
    draft.store(theirs)
    mine.fill("textarea[name=text]", "My words?")
    notice = mine.locator("[data-conflict]")
    expect(notice).to_contain_text("Their words?")
    expect(notice).to_be_focused()
    assert axe(mine, ".block.open") == []
    expect(mine.locator("textarea[name=text]")).to_have_value("My words?")
    expect(mine.locator("[data-saved]")).to_have_text("Not saved: the same was changed elsewhere meanwhile.")
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "Their words?"}
    notice.get_by_role("button", name="Save mine instead").click()
    expect(mine.locator("#section-0 .block h3").first).to_have_text("My words?")
    assert draft.stored["sections"][0]["questions"][0]["text"] == {"en": "My words?"}


@pytest.mark.release
def test_saved_never_covers_a_part_that_is_not(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=age&open=%3Dstart")
    status = page.locator("[data-saved]")
    refused = "Not saved: Page for people who leave: Enter an address that begins with https://."
    page.fill("input[name=leave_to]", "http://plain.example")
    expect(status).to_have_text(refused)
    page.locator(".block.open textarea[name=text]").fill("How old?")
    until_stored(draft, "How old?")
    expect(status).to_have_text(refused)
    page.fill("input[name=leave_to]", "https://www.wikipedia.org/")
    saved(page)
    assert draft.stored["leave_to"] == "https://www.wikipedia.org/"


def until_stored(draft: Draft, text: str) -> None:
    """Wait until the first question is stored with this text."""
    end = time.monotonic() + servers.PATIENCE
    while draft.stored["sections"][0]["questions"][0]["text"] != {"en": text}:
        assert time.monotonic() < end
        time.sleep(0.1)
