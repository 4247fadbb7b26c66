"""A job's box in a real browser: it moves by itself, keeps the focus, stops asking, and does without scripts."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.conftest import Visit

pytestmark = [pytest.mark.browser, pytest.mark.waits]


def start_trial(page: Page, steps: int) -> None:
    page.fill("input[name=steps]", str(steps))
    page.click("main form .primary")
    page.wait_for_url("**/progress")


def moved_past(bar: Locator, value: float) -> None:
    servers.wait(lambda: bool(bar.evaluate("bar => bar.value") > value), "the bar moving")


def test_the_overview_is_accessible(visit: Visit) -> None:
    visitor = visit("reviewer")
    visitor.go("/jobs/")
    visitor.check()
    visitor.shoot("jobs-overview")


def test_a_running_job_moves_by_itself_and_the_button_stays_under_the_finger(visit: Visit) -> None:
    visitor = visit("reviewer")
    page = visitor.go("/jobs/")
    start_trial(page, 400)
    bar = page.locator("progress")
    moved_past(bar, 0)
    page.focus("text=Cancel")
    page.evaluate("document.activeElement.mine = true")
    moved_past(bar, bar.evaluate("bar => bar.value"))
    assert page.evaluate("document.activeElement.mine")
    visitor.check()
    visitor.shoot("jobs-running")
    page.focus("text=Cancel")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Cancelled. Nothing of it was stored.")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('section') !== null")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(2500)
    assert asked == []
    visitor.check()


def test_when_a_job_is_done_its_box_says_so_and_the_focus_is_not_lost(visit: Visit) -> None:
    visitor = visit("reviewer")
    page = visitor.go("/jobs/")
    start_trial(page, 40)
    page.focus("text=Cancel")
    expect(page.get_by_text("Finished after")).to_be_visible()
    assert "Finished after" in page.evaluate("document.activeElement.textContent")
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    visitor.shoot("jobs-done")


def test_without_scripts_a_job_is_reloaded_and_cancelled_by_hand(visit: Visit) -> None:
    page = visit("reviewer", java_script_enabled=False).go("/jobs/")
    start_trial(page, 400)
    address = page.url
    page.click("noscript a")
    assert page.url == address
    page.click("text=Cancel")
    page.wait_for_url(address)
    expect(page.get_by_text("cancelled", exact=False)).to_be_visible()
