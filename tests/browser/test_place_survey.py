"""A survey that asks a place, by touch on a phone: opened, answered in two languages, mined, published, read."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.answering import Respondent
from tests.browser.building import Draft, maker
from tests.browser.conftest import Visit, Visitor
from tests.browser.roads import another_language
from tests.browser.survey_steps import mined, opened, published, rehearsed, tap
from tests.builder.placed import grid, place, region
from tests.builder.written import plain, question
from tests.product import Product
from tests.surveys.drafts import said

pytestmark = pytest.mark.browser

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
NORTH = region("north", "A3", "B3", "C3") | {"label": said("North", "北区")}
SOUTH = region("south", "A2", "B2", "C2") | {"label": said("South", "南区")}


def bilingual(product: Product) -> Draft:
    work = question("work", "employed", "none") | {"text": said("Do you work?", "您有工作吗？")}
    for choice, (english, chinese) in zip(
        work["choices"], (("Employed", "有工作"), ("Not employed", "没有工作")), strict=True
    ):
        choice["label"] = said(english, chinese)
    cells = [{**cell, "label": said(f"Block {cell['name']}", f"{cell['name']}街区")} for cell in grid()]
    home = place("home", NORTH, SOUTH, near=3, cells=cells, text=said("Where do you live?", "您住在哪里？"))
    return maker(product)(
        plain(work),
        home,
        expected=1200,
        rehearsal=True,
        languages=["en", "zh-hans"],
        title=said("Homes", "住处"),
        asker=said("The works council", "工会"),
        why=said("To learn where people live.", "了解大家住在哪里。"),
        consent=said("I take part of my own free will.", "我自愿参加。"),
    )


def tapped(page: Page, column: int, row: int) -> None:
    """A cell on the map of four by three, whose margins are a 27th of each side; rows from the north."""
    frame = page.locator(".map-frame svg")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    across, down = (0.04 + (column + 0.5) / 4) / 1.08, (0.04 + (row + 0.5) / 3) / 1.08
    page.touchscreen.tap(box["x"] + across * box["width"], box["y"] + down * box["height"])


def asked_on_phone(visitor: Visitor, address: str, *, chinese: bool) -> Respondent:
    """On the page of the place."""
    page = visitor.go(address)
    if chinese:
        page.get_by_role("button", name="中文").tap()
    visitor.shoot(f"place-phone-start{'-chinese' * chinese}")
    page.locator("[data-agree]:visible").tap()
    for answer in ("#group-1", "#answer-0-0"):
        page.locator(answer).tap()
        page.locator("#screen button.primary").tap()
    return Respondent(page)


def told_in_words(visitor: Visitor, name: str, words: re.Pattern[str], look: Callable[[], None]) -> None:
    """The receipt names one of the cells."""
    page = visitor.page
    page.locator("#screen button.primary").tap()
    look()
    visitor.shoot(f"place-phone-check-{name}")
    page.locator("#screen button.primary").tap()
    page.locator("pre.bytes").first.wait_for(state="attached")
    expect(page.locator("table tbody td:nth-child(2)").nth(1)).to_have_text(words)
    look()
    visitor.shoot(f"place-phone-receipt-{name}")


def test_a_place_is_answered_and_its_report_is_read_on_a_phone_in_two_languages(
    visit: Visit, product: Product
) -> None:
    draft = bilingual(product)
    robin, ruth = visit("researcher", **PHONE), visit("reviewer", **PHONE)
    address = opened(robin, draft, tap)

    by_list = visit(**PHONE)
    page = asked_on_phone(by_list, address, chinese=False).page
    page.get_by_label("Search").fill("c3")
    page.locator(".place-list label.answer").tap()
    expect(page.locator(".map-name")).to_have_text("Chosen: Block C3")
    by_list.check()
    by_list.shoot("place-phone-list")
    told_in_words(by_list, "list", re.compile(r"^Block [A-D][1-3], perhaps drawn at random$"), by_list.check)

    by_map = visit(**PHONE)
    page = asked_on_phone(by_map, address, chinese=True).page
    assert page.locator(".place-group h2").all_inner_texts()[:2] == ["北区", "南区"]
    tapped(page, 3, 0)
    expect(page.locator(".map-name")).to_contain_text("D3街区")
    expect(page.get_by_role("radio", name="D3街区")).to_be_checked()
    another_language(page)
    by_map.shoot("place-phone-map")
    # It lies in no region: sent as it is, it counts as not disguised.
    words = re.compile(r"^(D3街区 不伪装|[A-C][23]街区，可能是随机抽取的)$")
    told_in_words(by_map, "map", words, partial(another_language, page))

    rehearsed(robin, draft, tap)
    report = mined(robin, draft, tap)
    published(ruth, report, tap)
    page = robin.go(f"/reports/{report}/places")
    drawing = page.locator("figure[data-map]").first.locator("svg[role=img]")
    whole = drawing.get_attribute("viewBox")
    page.get_by_role("button", name=re.compile("^Enlarge")).first.tap()
    assert drawing.get_attribute("viewBox") != whole
    robin.check()
    tap(page, page.get_by_role("button", name="简体中文"))
    expect(
        page.get_by_role("region", name="您住在哪里？", exact=True).locator("tbody th").first
    ).to_contain_text("北区")
    another_language(page)
    robin.shoot("place-phone-report-chinese")
