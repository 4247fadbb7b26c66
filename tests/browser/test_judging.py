"""A reviewer judges a thousand rules: by keys, by taps, without a script, and where something fails."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import Visit
from tests.browser.visiting import (
    PHONE,
    Hand,
    Visitor,
    box_of,
    desk,
    open_fold,
    shell,
    stated_clicks,
    walk_page,
)
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
LAPTOP: ViewportSize = {"width": 1280, "height": 720}


RULES = """
from django.db import transaction
from reports.review import report_state_changes
from tests.reports.test_listing import many_rules
with transaction.atomic():
    run = many_rules(robin, {rules})
    report_state_changes.create_reviews_of_finished_runs(timezone.now())
print("report", run.pk)
"""
WHERE = "element => element.getBoundingClientRect().top + scrollY"
SHIFTS = """() => {
    window.__shift = 0;
    new PerformanceObserver(list => list.getEntries().forEach(entry => { window.__shift += entry.value; }))
        .observe({type: 'layout-shift'});
}"""


def make_report_and_email(product: Product, rules: int) -> str:
    """What a report's making prints: its number, and the email."""
    return shell(product, RULES.format(rules=rules), MAIL_URL="console:")


def make_report(product: Product, rules: int) -> int:
    """The number of the report, about which reviewers get an email."""
    return int(re.findall(r"^report (\d+)$", make_report_and_email(product, rules), re.MULTILINE)[0])


@pytest.fixture(scope="module")
def report_of_thousand_rules(product: Product) -> int:
    """The tests of this file decide on its rules, each on those that it finds undecided."""
    return make_report(product, 1000)


@pytest.fixture
def page(visit: Visit, report_of_thousand_rules: int) -> Page:
    page = visit("reviewer", viewport=LAPTOP).go(desk(report_of_thousand_rules, "rules"))
    # The script has run: keys that come sooner go nowhere.
    expect(links(page).first).to_be_focused()
    return page


def rules_left_to_judge(page: Page) -> int:
    return int(re.findall(r"[\d,]+", page.locator("[data-left]").inner_text())[0].replace(",", ""))


def links(page: Page) -> Locator:
    return page.locator(".judged .rule-number")


def judged_row(page: Page, at: int) -> Locator:
    return page.locator(".judged").nth(at)


def pressed_button(of: Locator, name: str) -> Locator:
    return of.get_by_role("button", name=name, exact=True, pressed=True)


def test_rules_and_buttons_are_visible_beside_the_bar(page: Page) -> None:
    first, bar = judged_row(page, 0), page.locator(".judging-bar")
    assert page.evaluate("scrollY") == 0
    for at in (0, 1):
        expect(judged_row(page, at)).to_be_in_viewport(ratio=1)
        expect(judged_row(page, at).get_by_role("button", name="Accept")).to_be_in_viewport(ratio=1)
    # A row is one sentence, one interval, two keys; twenty-five of them end within 2,000 px.
    ends = page.locator(".judged").evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")
    assert len(ends) >= 25
    assert ends[24] <= 2000
    expect(first.locator("svg.iv")).to_have_count(1)
    expect(first.locator(".keys button:visible")).to_have_text(["Accept", "Reject"])
    for at in range(1, 10):
        page.keyboard.press("ArrowDown")
        expect(links(page).nth(at)).to_be_focused()
    expect(bar).to_be_in_viewport(ratio=1)
    for at in range(8, -1, -1):
        page.keyboard.press("ArrowUp")
        expect(links(page).nth(at)).to_be_focused()
        below = bar.evaluate("one => one.getBoundingClientRect().bottom")
        assert links(page).nth(at).evaluate("one => one.getBoundingClientRect().top") >= below
    # The evidence of a rule unfolds in its row.
    expect(first.locator(".evidence")).to_be_hidden()
    first.locator("summary").click()
    expect(first.locator(".evidence")).to_contain_text("The other way round")
    expect(first.get_by_role("button", name="Needs more data")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= LAPTOP["width"]


def test_u_and_ctrl_z_undo_the_last_decisions_one_by_one(page: Page) -> None:
    before = rules_left_to_judge(page)
    page.keyboard.press("a")
    page.keyboard.press("r")
    expect(page.locator("[data-left]")).to_contain_text(f"{before - 2:,}")
    page.keyboard.press("u")
    expect(links(page).nth(1)).to_be_focused()
    expect(pressed_button(judged_row(page, 1), "Reject")).to_have_count(0)
    expect(page.locator("[data-said]")).to_contain_text("undecided")
    page.keyboard.press("Control+z")
    expect(links(page).nth(0)).to_be_focused()
    assert rules_left_to_judge(page) == before
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.keyboard.press("u")  # nothing is left to undo
    assert rules_left_to_judge(page) == before


def test_other_keys_and_letters_outside_the_list_judge_nothing(page: Page) -> None:
    before = rules_left_to_judge(page)
    for key in ("Control+a", "Alt+r", "Shift+N"):
        page.keyboard.press(key)
    page.get_by_role("link", name="Rules", exact=True).focus()
    page.keyboard.press("a")
    open_fold(page, "Decide on many rules")
    page.get_by_role("textbox", name="Note").focus()
    page.keyboard.type("arnu")
    page.reload()
    assert rules_left_to_judge(page) == before


def test_a_decided_page_is_followed_by_the_next(page: Page) -> None:
    before = rules_left_to_judge(page)
    numbers = [one.get_attribute("data-rule") for one in page.locator(".judged").all()]
    for _number in numbers:
        page.keyboard.press("r")
    expect(page.locator(".judged[data-verdict=reject]")).to_have_count(0)
    expect(links(page).first).to_be_focused()
    assert rules_left_to_judge(page) == before - len(numbers)
    assert judged_row(page, 0).get_attribute("data-rule") not in numbers
    page.keyboard.press("u")
    expect(page.locator("[data-left]")).to_contain_text(f"{before - len(numbers) + 1:,}")
    expect(judged_row(page, 0)).to_have_attribute("data-rule", str(numbers[-1]))
    expect(judged_row(page, 0)).to_have_attribute("data-verdict", "")
    expect(links(page).first).to_be_focused()


def test_a_rule_is_judged_on_a_phone(visit: Visit, report_of_thousand_rules: int) -> None:
    """By one tap, and another undoes it."""
    page = visit("reviewer", viewport=PHONE, has_touch=True, is_mobile=True).go(
        desk(report_of_thousand_rules, "rules")
    )
    before, hand = rules_left_to_judge(page), Hand(page)
    button = judged_row(page, 0).get_by_role("button", name="Reject")
    assert box_of(button)["height"] >= 44
    hand.tap(button)
    expect(page.locator("[data-said]")).to_contain_text("rejected")
    assert hand.acts == stated_clicks("Judge a rule on a phone")
    assert rules_left_to_judge(page) == before - 1
    page.get_by_role("button", name="Undo").tap()
    expect(page.locator("[data-left]")).to_contain_text(f"{before:,}")


def test_decision_that_did_not_arrive_is_undone_and_reported(page: Page) -> None:
    before = rules_left_to_judge(page)
    page.context.set_offline(True)
    page.keyboard.press("a")
    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_contain_text("there is no connection")
    expect(judged_row(page, 0)).to_have_attribute("data-verdict", "")
    expect(links(page).first).to_be_focused()
    page.context.set_offline(False)
    page.keyboard.press("a")
    expect(page.locator("[data-left]")).to_contain_text(f"{before - 1:,}")
    expect(page.locator("[data-refused]")).to_be_empty()
    page.keyboard.press("u")
    expect(page.locator("[data-left]")).to_contain_text(f"{before:,}")


def test_all_matching_rules_are_decided_and_undone_by_a_key(visit: Visit, product: Product) -> None:
    visitor = visit("reviewer", viewport=LAPTOP)
    page = visitor.go(desk(make_report(product, 30), "rules"))
    expect(links(page).first).to_be_focused()
    page.keyboard.press("a")
    everything = page.get_by_label("all 29 matching rules")
    expect(everything).to_have_count(1)
    open_fold(page, "Decide on many rules")
    everything.check()
    # To tick a rule means the ticked ones.
    page.locator("input[name=rule]").first.check()
    expect(page.get_by_label("the selected rules")).to_be_checked()
    everything.check()
    many: Any = page.locator("#many")
    many.get_by_label("Reject").check()
    many.get_by_role("button", name="Save decision").click()
    expect(page.locator(".toast")).to_contain_text("Decision saved for 29 rules.")
    expect(page.get_by_role("heading", name="No rule is left to decide")).to_be_visible()
    expect(page.get_by_role("link", name="Go to publishing")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_contain_text("29 decisions undone.")
    assert rules_left_to_judge(page) == 29
    visitor.check()


def test_a_decision_is_undone_and_all_rules_about_one_answer_rejected(visit: Visit, product: Product) -> None:
    page = visit("reviewer", viewport=LAPTOP).go(desk(make_report(product, 200), "rules"))
    expect(links(page).first).to_be_focused()
    page.keyboard.press("r")
    hand = Hand(page)
    hand.press("u")
    expect(page.locator("[data-said]")).to_contain_text("undecided")
    assert hand.acts == stated_clicks("Undo the last decision on a rule")

    hand = Hand(page)
    hand.click(page.locator("summary", has_text="Filter"))
    hand.choose(page.locator("select[name=item]"), "Yes")
    page.wait_for_url(re.compile(r"item=\d"))
    many = page.locator("#many")
    hand.click(many.get_by_label(re.compile("matching rules")))
    hand.click(many.get_by_label("Reject"))
    hand.click(many.get_by_role("button", name="Save decision"))
    expect(page.locator(".toast")).to_contain_text("Decision saved for")
    assert hand.acts == stated_clicks("Reject all rules about one answer")


def test_the_first_rule_is_judged_from_the_email(visit: Visit, product: Product) -> None:
    link = re.findall(r"https?://[^/\s]+(/\S+)", make_report_and_email(product, 30))[0]
    page = visit("reviewer", viewport=LAPTOP).page
    hand = Hand(page)
    hand.follow(product.url + link)
    expect(links(page).first).to_be_focused()
    hand.press("n")
    expect(page.locator("[data-said]")).to_contain_text("needs more data")
    assert hand.acts == stated_clicks("Judge the first rule, coming from the email")


def test_judging_a_thousand_rules_and_publishing_works(
    visit: Visit, robin: Visitor, product: Product
) -> None:
    report = make_report(product, 1000)
    ruth = visit("reviewer", viewport=LAPTOP)
    page = ruth.go("/app/account/home")
    walk_page(ruth)
    main = page.get_by_role("navigation", name="Main")
    main.get_by_role("link", name="Reports").click()
    walk_page(ruth, checked=True)
    hand = Hand(page)
    hand.click(page.locator(f'main a[href="{desk(report, "rules")}"]'))
    expect(main.locator("[aria-current]")).to_have_text("Reports")
    expect(page.locator(".judged").first).to_be_in_viewport(ratio=1)
    expect(links(page).first).to_be_focused()
    hand.press("a")
    expect(page.locator("[data-said]")).to_contain_text("accepted")
    assert hand.acts == stated_clicks("Judge the first rule of a new report")
    walk_page(ruth, checked=True)
    page.reload()
    expect(links(page).first).to_be_focused()
    before, hand = rules_left_to_judge(page), Hand(page)
    for key, said in {"r": "rejected", "n": "needs more data"}.items():
        hand.press(key)
        expect(page.locator("[data-said]")).to_contain_text(said)
    assert rules_left_to_judge(page) == before - 2
    assert hand.acts == 2 * stated_clicks("Judge a rule")
    links(page).first.click()
    expect(page.get_by_role("button", name="Save decision")).to_be_visible()
    walk_page(ruth, checked=True)
    page.set_viewport_size(PHONE)
    measures = page.get_by_role("region", name="What is known of this rule")
    assert measures.evaluate("e => e.scrollWidth - e.clientWidth") == 0
    page.set_viewport_size(LAPTOP)
    for tab in ("Report", "Combinations (itemsets)"):
        page.get_by_role("link", name=tab, exact=True).click()
        walk_page(ruth, checked=tab != "Report")
    page.get_by_role("link", name="Rules", exact=True).click()
    hand = Hand(page)
    hand.click(page.get_by_role("link", name="Publish", exact=True))
    walk_page(ruth, checked=True)
    hand.click(page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")
    assert hand.acts == stated_clicks("Publish a report")
    page = robin.go(f"/app/reports/{report}/rules")
    expect(page.locator("main ol.rules a[href*='/rules/']")).to_have_count(1)
    walk_page(robin, checked=True)
