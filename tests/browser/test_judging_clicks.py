"""A reviewer's tasks, each with no more clicks than bench/figures/clicks.md tells."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.clicks import Hand, told
from tests.browser.conftest import Visit
from tests.browser.test_judging import LAPTOP, PHONE, announced, made, row
from tests.browser.test_reports import desk
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def report(product: Product) -> int:
    return made(product, 200)


def test_a_rule_is_judged_and_a_decision_undone_and_all_about_one_answer_rejected(
    visit: Visit, report: int
) -> None:
    page = visit("reviewer", viewport=LAPTOP).go(desk(report, "rules"))
    hand = Hand(page)
    hand.press("a")
    expect(page.locator("[data-said]")).to_contain_text("accepted")
    assert hand.acts == told("Judge a rule")

    page.keyboard.press("r")
    hand = Hand(page)
    hand.press("u")
    expect(page.locator("[data-said]")).to_contain_text("undecided")
    assert hand.acts == told("Undo the last decision on a rule")

    hand = Hand(page)
    hand.click(page.locator("summary", has_text="Filter"))
    hand.choose(page.locator("select[name=item]"), "Yes")
    page.wait_for_url(re.compile(r"item=\d"))
    many = page.locator("#many")
    hand.click(many.get_by_label(re.compile("matching rules")))
    hand.click(many.get_by_label("Reject"))
    hand.click(many.get_by_role("button", name="Save decision"))
    expect(page.locator(".toast")).to_contain_text("Decision saved for")
    assert hand.acts == told("Reject all rules about one answer")


def test_a_rule_is_judged_on_a_phone(visit: Visit, report: int) -> None:
    visitor = visit("reviewer", viewport=PHONE, has_touch=True, is_mobile=True)
    hand = Hand(visitor.go(desk(report, "rules")))
    hand.tap(row(hand.page, 0).get_by_role("button", name="Accept"))
    expect(hand.page.locator("[data-said]")).to_contain_text("accepted")
    assert hand.acts == told("Judge a rule on a phone")


def test_the_first_rule_of_a_report_is_judged(visit: Visit, report: int) -> None:
    hand = Hand(visit("reviewer", viewport=LAPTOP).go("/reports/"))
    hand.click(hand.page.locator(f'main a[href="{desk(report, "rules")}"]'))
    expect(hand.page.locator(".judged .rule-number").first).to_be_focused()
    hand.press("a")
    expect(hand.page.locator("[data-said]")).to_contain_text("accepted")
    assert hand.acts == told("Judge the first rule of a new report")


def test_the_first_rule_is_judged_from_the_email(visit: Visit, product: Product) -> None:
    link = re.search(r"https?://[^/\s]+(/\S+)", announced(product, 30))
    assert link
    page = visit("reviewer", viewport=LAPTOP).page
    hand = Hand(page)
    hand.follow(product.url + link[1])
    expect(page.locator(".judged .rule-number").first).to_be_focused()
    hand.press("n")
    expect(page.locator("[data-said]")).to_contain_text("needs more data")
    assert hand.acts == told("Judge the first rule, coming from the email")


def test_a_report_is_published(visit: Visit, product: Product) -> None:
    page = visit("reviewer", viewport=LAPTOP).go(desk(made(product, 3), "rules"))
    hand = Hand(page)
    hand.click(page.get_by_role("link", name="Publish", exact=True))
    hand.click(page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")
    assert hand.acts == told("Publish a report")
