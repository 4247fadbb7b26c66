"""A survey inside a tool is answered in Firefox and in WebKit as in Chromium."""

import pandas as pd
import pytest

import candor
from tests import servers
from tests.browser.conftest import ANSWER
from tests.browser.test_answering_inside import TRUTH, Tool, fields, make_inside, tool
from tests.engines.conftest import Visit
from tests.product import Product

__all__ = ["tool"]
pytestmark = [
    pytest.mark.apart,
    pytest.mark.browser,
    pytest.mark.night(smaller="browser/test_answering_inside.py"),
]
PEOPLE = 20
STORED = "(() => { try { return localStorage.length + sessionStorage.length } catch { return 0 } })()"


def test_twenty_people_at_one_computer_give_twenty_records(
    visit: Visit, product: Product, tool: Tool
) -> None:
    tool.got.clear()
    inside = make_inside(product, tool, tool.url)
    tool.pages["/sent"] = "<!doctype html><title>Sent</title>"
    page = visit(size=(1280, 1100))
    for person in range(PEOPLE):
        page.goto(f"{tool.url}/form")
        with page.inside("iframe"):
            page.locator("[data-agree]:visible").click()
            page.get_by_role("button", name="Continue", exact=True).wait_for()
            page.evaluate(ANSWER, [TRUTH, 1, 50])
            page.locator("[data-send]").click()
            page.get_by_text("Handed over to localhost").wait_for()
            assert page.evaluate(STORED) == 0
            assert page.evaluate("document.cookie") == ""
        page.get_by_role("button", name="Next", exact=True).click()
        servers.wait(lambda: len(tool.got) > person, "the record of the tool's form")  # noqa: B023
    read = candor.read_export(pd.DataFrame({"candor": fields(tool)}), inside.design)
    assert (len(read), dict(read.records.left_out)) == (PEOPLE, {})
