"""On respondents' pages no string becomes markup or a script, and none of these pages needs that."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Error, Page

from tests import servers
from tests.browser.answering import asked
from tests.browser.conftest import Visit, Visitor
from tests.product import Product

pytestmark = pytest.mark.browser

SINKS = {
    "markup": "document.createElement('p').innerHTML = '<b>x</b>'",
    "a script's address": "document.createElement('script').src = '/static/intake/answer.js'",
    "a script's text": "document.createElement('script').textContent = '1'",
    "a parser": "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    "a policy of its own": "trustedTypes.createPolicy('mine', {createHTML: text => text})",
    "a default policy": "trustedTypes.createPolicy('default', {createHTML: text => text})",
}


def stopped(page: Page, sink: str) -> str:
    """What the browser says to this; nothing if it does it."""
    try:
        page.evaluate(f"() => {{ {sink}; }}")
    except Error as error:
        return error.message
    return ""


def pages(product: Product) -> Iterator[str]:
    for name in ("fourteen", "invited", "closed", "rehearsed", "demo"):
        yield asked(product, name).address
    yield from ("/a/receipt", "/a/no-such-survey", "/a/no/such/page", "/a/")


def test_no_string_becomes_markup_or_a_script_on_any_page(visit: Visit, product: Product) -> None:
    """Each attempt is reported too, so that no page of ours could do this unnoticed by the other tests."""
    visitor = visit()
    for path in pages(product):
        page = visitor.go(path)
        found = {name: stopped(page, sink) for name, sink in SINKS.items()}
        assert all("TypeError" in said for said in found.values()), (path, found)
        until(page, lambda: len(reported(visitor)) >= len(SINKS))
        visitor.complaints.clear()


def until(page: Page, holds: Callable[[], bool]) -> None:
    """What a page says arrives only while it is asked something."""
    servers.wait(lambda: bool(page.evaluate("true")) and holds(), "the reports of the policy")


def reported(visitor: Visitor) -> list[str]:
    return [said for said in visitor.complaints if said.startswith("Content Security Policy: ")]
