"""A reviewer gets a report of a thousand rules: every page on the way from the home page to publication."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.clicks import Hand, told
from tests.browser.conftest import PHONE, Visit
from tests.browser.roads import walk
from tests.browser.test_judging import LAPTOP, left, made
from tests.browser.test_reports import desk
from tests.product import Product

pytestmark = pytest.mark.browser


def a_measure_is_read_whole_on_a_phone(page: Page) -> None:
    before = page.viewport_size
    assert before
    page.set_viewport_size(PHONE)
    frame = page.get_by_role("region", name="What is known of this rule")
    assert frame.evaluate("e => e.scrollWidth - e.clientWidth") == 0
    page.set_viewport_size(before)


def test_a_thousand_rules_are_judged_and_published(visit: Visit, product: Product) -> None:
    report = made(product, 1000)
    ruth = visit("reviewer", viewport=LAPTOP)
    page = ruth.go("/account/home")
    walk(ruth, "reviewer-home")
    hand = Hand(page)
    hand.click(page.get_by_role("navigation", name="Main").get_by_role("link", name="Reports"))
    walk(ruth, "reviewer-reports", checked=True)
    hand.click(page.locator(f'main a[href="{desk(report, "rules")}"]'))
    expect(page.get_by_role("navigation", name="Main").locator("[aria-current]")).to_have_text("Reports")
    expect(page.locator(".judged").first).to_be_in_viewport(ratio=1)
    walk(ruth, "reviewer-rules", checked=True)
    page.reload()
    before, acts = left(page), hand.acts
    for key, said in {"a": "accepted", "r": "rejected", "n": "needs more data"}.items():
        hand.press(key)
        expect(page.locator("[data-said]")).to_contain_text(said)
    assert left(page) == before - 3
    assert hand.acts - acts == 3 * told("Judge a rule")
    hand.click(page.locator(".judged .rule-number").first)
    expect(page.get_by_role("button", name="Save decision")).to_be_visible()
    walk(ruth, "reviewer-rule", checked=True)
    a_measure_is_read_whole_on_a_phone(page)
    for tab in ("Answers", "Itemsets", "Publish"):
        page.get_by_role("link", name=tab, exact=True).click()
        walk(ruth, f"reviewer-{tab.lower()}", checked=tab != "Answers")
    hand.click(page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")
    robin = visit("researcher")
    page = robin.go(f"/reports/{report}/rules")
    expect(page.locator("main ol.rules a[href*='/rules/']")).to_have_count(1)
    walk(robin, "reviewer-published", checked=True)
