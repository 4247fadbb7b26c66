"""The points of charts in a real browser: they name their rules and lead to them."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_reports import desk, drawings, survey, waiting

__all__ = ["survey", "waiting"]

pytestmark = pytest.mark.browser

MIDDLES_APART = """figure => {
    const middle = e => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
    const marks = [...figure.querySelectorAll('.linked_marks path')].map(middle);
    const points = [...figure.querySelectorAll('[data-points] a')].map(middle);
    const apart = points.map(([x, y], i) => Math.hypot(x - marks[i][0], y - marks[i][1]));
    return {points: points.length, marks: marks.length, most: Math.max(...apart)};
}"""


def test_points_lie_over_their_marks_name_their_rules_and_lead_to_them(visit: Visit, waiting: int) -> None:
    visitor = visit("reviewer", viewport={"width": 320, "height": 700})
    page = visitor.go(desk(waiting, "pictures"))
    drawings(page, 9)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    for name in ("rules", "forest", "matrix", "graph"):
        figure = page.locator(f'figure[data-picture*="/{name}.json"]')
        far: Any = figure.evaluate(MIDDLES_APART)
        assert far["points"] == far["marks"] > 0, name
        assert far["most"] < 2, name
        points = figure.locator("[data-points] a")
        for place in (0, far["points"] - 1):
            points.nth(place).focus()
            box = figure.locator("[data-words]").bounding_box()
            assert box
            assert box["x"] >= 0, name
            assert box["x"] + box["width"] <= 320, name

    figure = page.locator('figure[data-picture*="/rules.json"]')
    points, words = figure.locator("[data-points] a"), figure.locator("[data-words]")
    expect(points).to_have_count(40)
    expect(words).to_be_hidden()
    # One stop of the keyboard for all points; arrows, Home and End go from one to the next.
    expect(figure.locator('[data-points] a[tabindex="0"]')).to_have_count(1)
    points.first.focus()
    for key, place in (("ArrowRight", 1), ("End", 39), ("ArrowRight", 39), ("Home", 0), ("ArrowDown", 1)):
        page.keyboard.press(key)
        expect(points.nth(place)).to_be_focused()
        expect(points.nth(place)).to_have_accessible_name(re.compile(r"^Rule [\d,]+: .+ → .+; support .+ %"))
        expect(words).to_have_text(str(points.nth(place).get_attribute("aria-label")))
        expect(words).to_be_in_viewport()
    visitor.shoot("reports-point")
    page.keyboard.press("Escape")
    expect(words).to_be_hidden()
    points.nth(3).dispatch_event("pointerover", {"bubbles": True})
    expect(words).to_have_text(str(points.nth(3).get_attribute("aria-label")))
    points.nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/rules/\d+$"))
    expect(page.get_by_role("heading", name=re.compile(r"^Rule \d"))).to_be_visible()


def test_without_a_script_tables_are_read_and_a_rule_in_one_is_a_link(visit: Visit, waiting: int) -> None:
    page = visit("reviewer", java_script_enabled=False).go(desk(waiting, "pictures"))
    figure = page.locator('figure[data-picture*="/forest.json"]')
    expect(page.locator("noscript .notice")).to_be_visible()
    figure.locator("summary").click()
    expect(figure.locator("tbody tr")).to_have_count(20)
    expect(figure.locator("tbody tr").first).to_be_visible()
    figure.locator("tbody a").first.click()
    page.wait_for_url(re.compile(r"/rules/\d+$"))
