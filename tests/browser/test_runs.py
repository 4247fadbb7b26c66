"""Runs and other jobs: begun with a forecast, followed to their end, repeated, cancelled, compared."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.conftest import Visit
from tests.browser.visiting import Visitor, box_of, collect_requests, shell
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
SEAL = """
from tests.runs import sealed
print(sealed.survey(robin, sealed.{design}(), {batches}).pk)
"""


def seal(product: Product, design: str, batches: list[int]) -> str:
    """A survey of the demo's researcher with these batches; the address of its runs."""
    code = SEAL.format(design=design, batches=batches)
    return f"/app/surveys/{shell(product, code)}/runs"


def start(page: Page, **settings: str) -> int:
    """The number of the run."""
    for name, value in settings.items():
        page.fill(f"input[name={name}]", value)
    page.get_by_role("button", name="Start the run").click()
    return run_number(page)


def run_number(page: Page) -> int:
    """Of the run that is opened."""
    page.wait_for_url(re.compile(r"/app/runs/\d+/"))
    return int(re.findall(r"/app/runs/(\d+)/", page.url)[0])


def asks_no_more(page: Page) -> None:
    requests = collect_requests(page)
    page.wait_for_timeout(2500)
    assert requests == []


def test_a_run_is_forecast_followed_repeated_and_compared(visit: Visit, product: Product) -> None:
    path = seal(product, "small_design", [2000, 3000])
    robin = visit("researcher")
    page = robin.go(path)
    expected = page.get_by_role("region", name="Itemsets to expect")
    expect(expected.get_by_role("row")).to_have_count(9)
    before = expected.inner_text()
    forecast, field = box_of(page.locator(".side")), box_of(page.locator("#id_min_support"))
    assert forecast["x"] > field["x"] + field["width"]
    assert forecast["y"] < field["y"]
    page.get_by_label("Count “no”").check()
    expect(expected).not_to_have_text(before)

    page.fill("input[name=min_support]", "0")
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator(".error-summary")).to_be_focused()
    page.get_by_text("How it is counted").click()
    robin.check()

    start(page, min_support="5")
    address = page.url
    expect(page.get_by_text("Finished after")).to_be_visible()
    # What came of it appears by itself, and nothing asks any more.
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    asks_no_more(page)
    assert page.url == address
    robin.check()

    page.get_by_role("button", name="Repeat this run").click()
    page.wait_for_url(lambda url: url != address)
    expect(page.get_by_text("Finished after")).to_be_visible()
    robin.go(path)
    expect(expected.get_by_role("row")).to_have_count(9)
    robin.check()

    ruth = visit("reviewer")
    page = ruth.go(path)
    expect(page.get_by_role("button", name="Start the run")).to_have_count(0)
    page.locator("tbody a").first.click()
    expect(page.get_by_text("The same to the last digit as")).to_be_visible()
    ruth.check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("theft=yes").first).to_be_visible()
    ruth.check()


def start_trial(page: Page, steps: int) -> None:
    page.fill("input[name=steps]", str(steps))
    page.click("main form .primary")
    page.wait_for_url("**/progress")


def moved_past(bar: Locator, value: float) -> None:
    servers.wait(lambda: bool(bar.evaluate("bar => bar.value") > value), "the bar moving")


def test_running_job_updates_itself_and_its_button_stays_in_place(ruth: Visitor) -> None:
    page = ruth.go_and_check("/app/jobs/")
    start_trial(page, 400)
    bar = page.locator("progress")
    moved_past(bar, 0)
    page.focus("text=Cancel")
    page.evaluate("document.activeElement.mine = true")
    moved_past(bar, bar.evaluate("bar => bar.value"))
    assert page.evaluate("document.activeElement.mine")
    ruth.check()
    page.focus("text=Cancel")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Cancelled. Nothing of it was stored.")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('section') !== null")
    asks_no_more(page)
    ruth.check()


def test_finished_job_says_so_and_keeps_the_focus(visit: Visit) -> None:
    page = visit("reviewer").go("/app/jobs/")
    start_trial(page, 40)
    page.focus("text=Cancel")
    expect(page.get_by_text("Finished after")).to_be_visible()
    assert "Finished after" in page.evaluate("document.activeElement.textContent")
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
