"""The steps from a draft to its published report, by keyboard or by touch."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing

from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.building import Draft
from tests.browser.conftest import Visitor
from tests.browser.test_reports import desk

Act = Callable[[Page, Locator], None]
"""How a button is pressed: `press` or `tap`."""


def tap(_page: Page, control: Locator) -> None:
    control.tap()


def opened(robin: Visitor, draft: Draft, act: Act) -> str:
    """The address for respondents."""
    page = robin.go(f"{draft.path}/open")
    act(page, page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    with closing(sqlite3.connect(f"file:{draft.database}?mode=ro", uri=True)) as rows:
        (slug,) = rows.execute("SELECT slug FROM surveys_survey WHERE id = ?", [draft.pk]).fetchone()
    return f"/a/{slug}"


def rehearsed(robin: Visitor, draft: Draft, act: Act) -> None:
    page = robin.go(f"{draft.path}/rehearse")
    page.get_by_role("spinbutton").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1300")
    act(page, page.get_by_role("button", name="Simulate answers"))
    expect(page.get_by_role("button", name="Simulate answers")).to_have_count(0)

    def told() -> bool:
        return "1,300" in robin.go(f"{draft.path}/rehearse").locator("dl.facts").inner_text()

    servers.wait(told, "the answers", pause=0.5)


def mined(robin: Visitor, draft: Draft, act: Act) -> int:
    """The number of the report, which waits."""
    page = robin.go(f"{draft.path}/runs")
    act(page, page.get_by_role("button", name="Start the run"))
    page.wait_for_url(re.compile(r"/runs/\d+/"))
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    found = re.search(r"/runs/(\d+)/", page.url)
    assert found
    robin.go("/reports/")
    return int(found[1])


def published(ruth: Visitor, report: int, act: Act) -> None:
    page = ruth.go(desk(report, "publish"))
    act(page, page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")
