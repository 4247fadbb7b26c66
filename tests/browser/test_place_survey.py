"""The whole road of a survey that asks a place: built, answered, mined, published, read; by keyboard, and by touch."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests.browser.answering import Respondent, arrived
from tests.browser.building import Draft, maker, saved, tab_to
from tests.browser.conftest import Visit, Visitor
from tests.browser.roads import another_language
from tests.browser.test_number_survey import answers_arrived, press
from tests.browser.test_reports import desk
from tests.product import Product
from tests.surveys.builder.placed import grid, place, region
from tests.surveys.builder.written import plain, question
from tests.surveys.drafts import said

pytestmark = pytest.mark.browser

Act = Callable[[Page, Locator], None]
"""How a button is pressed: `press` or `tap`."""


def tap(_page: Page, control: Locator) -> None:
    control.tap()


# --- the road from the draft to the report -----------------------------------------------------------------


def opened(robin: Visitor, draft: Draft, act: Act) -> str:
    """The address for respondents."""
    page = robin.go(f"{draft.path}/open")
    act(page, page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    with closing(sqlite3.connect(f"file:{draft.database}?mode=ro", uri=True)) as rows:
        (slug,) = rows.execute("SELECT slug FROM surveys_survey WHERE id = ?", [draft.pk]).fetchone()
    return f"/a/{slug}"


def rehearsed(robin: Visitor, draft: Draft, act: Act) -> None:
    rehearse = f"{draft.path}/rehearse"
    page = robin.go(rehearse)
    many = page.get_by_role("spinbutton")
    many.focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1200")
    act(page, page.get_by_role("button", name="Simulate answers"))
    expect(page.get_by_role("button", name="Simulate answers")).to_have_count(0)
    answers_arrived(robin, rehearse, "1,200")


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
    page = ruth.go(desk(report, "places"))
    expect(page.get_by_role("heading", name="Sensitive places")).to_be_visible()
    ruth.check()
    ruth.shoot("place-survey-review")
    page = ruth.go(desk(report, "publish"))
    ruth.check()
    act(page, page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")


def place_of(draft: Draft) -> dict[str, Any]:
    """The question as it is stored."""
    found: dict[str, Any] = draft.stored["sections"][1]["questions"][0]
    return found


# --- by keyboard -------------------------------------------------------------------------------------------


def chosen(page: Page, control: Locator) -> None:
    """Come to the radio button's group by Tab, and to the button by the arrows."""
    name = control.get_attribute("name")
    first = page.locator(f'[name="{name}"]').first
    tab_to(page, first)
    page.keyboard.press("Space")
    while not control.is_checked():
        page.keyboard.press("ArrowDown")


def build(visitor: Visitor) -> None:
    """A grid of four by three, with two regions that touch."""
    page = visitor.page
    press(page, page.get_by_role("button", name="Add a sensitive place"))
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("Where do you live?")
    press(page, page.get_by_role("link", name="Choose other cells"))
    page.wait_for_url(re.compile("/edit/cells"))
    expect(page.locator(".lede")).to_have_text("Where do you live?")
    for label, side in (("Columns", "4"), ("Rows", "3")):
        tab_to(page, page.get_by_label(label))
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(side)
    visitor.check()
    visitor.shoot("place-survey-cells")
    press(page, page.get_by_role("button", name="Take this grid"))
    expect(page.locator(".block.open textarea[name=text]")).to_have_value("Where do you live?")
    for row, name in enumerate(("North", "South")):
        press(page, page.get_by_role("button", name="Add a region"))
        expect(page.locator(f"[name=region-{row}]")).to_be_focused()
        page.keyboard.type(name)
        for column in "ABC":
            tab_to(page, page.locator(f'[name=in-{row}][value="{column}{row + 1}"]'))
            page.keyboard.press("Space")
        expect(page.locator("[data-count]").nth(row)).to_have_text("3")
    press(page, page.get_by_role("button", name="Find the best"))
    expect(page.locator(".toast")).to_contain_text("What shows it best is proposed.")
    expect(page.locator("[name=near]")).to_have_value("3")
    saved(page)
    visitor.shoot("place-survey-builder")


def answered_by_keyboard(visitor: Visitor, address: str, search: str) -> None:
    page = visitor.go(address)
    asked: list[Request] = []

    def heard(request: Request) -> None:
        asked.append(request)

    page.on("request", heard)

    def go_on() -> None:
        press(page, page.get_by_role("button", name="Continue", exact=True))

    press(page, page.locator("[data-agree]:visible"))
    chosen(page, page.locator("#group-1"))
    go_on()
    chosen(page, page.locator("#answer-0-1"))
    go_on()
    tab_to(page, page.get_by_label("Search"))
    page.keyboard.type(search)
    expect(page.locator("#places-shown")).to_have_text("Places shown: 1 of 12")
    chosen(page, page.locator(".place-list input"))
    visitor.shoot("place-survey-question")
    go_on()
    expect(page.locator(".summary")).to_contain_text(search)
    visitor.shoot("place-survey-check")
    assert asked == []
    press(page, page.get_by_role("button", name="Send", exact=True))
    arrived(page)
    assert [(one.method, one.url) for one in asked] == [("POST", f"{visitor.product.url}{address}/record")]
    told, sent = page.locator("table tbody td:nth-child(2)").all_inner_texts()
    assert told == "none"
    assert re.fullmatch("[A-D][1-3]", sent)
    visitor.shoot("place-survey-receipt")


def zoomed_by_keyboard(page: Page) -> None:
    figure = page.locator("figure[data-map]").first
    drawing = figure.locator("svg[role=img]")
    whole = drawing.get_attribute("viewBox")
    tab_to(page, figure.locator("[data-panels]"), most=300)
    page.keyboard.press("+")
    assert drawing.get_attribute("viewBox") != whole
    page.keyboard.press("0")
    assert drawing.get_attribute("viewBox") == whole


def downloaded(page: Page, name: str) -> ZipFile:
    with page.expect_download() as download:
        press(page, page.get_by_role("link", name=name, exact=True))
    return ZipFile(download.value.path())


def test_a_place_goes_from_the_builder_to_a_published_report_by_keyboard(
    visit: Visit, product: Product
) -> None:
    draft = maker(product)(
        plain(question("work", "employed", "none")), expected=1200, rehearsal=True, title={"en": "Homes"}
    )
    robin, ruth = visit("researcher"), visit("reviewer")
    robin.go(f"{draft.path}/edit")
    build(robin)
    assert [each["cells"] for each in place_of(draft)["regions"]] == [["A1", "B1", "C1"], ["A2", "B2", "C2"]]
    robin.go(f"{draft.path}/edit/protection")
    robin.check()
    robin.shoot("place-survey-protection")

    address = opened(robin, draft, press)
    for search in ("B2", "D3"):
        answered_by_keyboard(visit(), address, search)
    rehearsed(robin, draft, press)
    report = mined(robin, draft, press)
    published(ruth, report, press)

    page = robin.go(f"/reports/{report}/places")
    shares = page.get_by_role("region", name="Where do you live?", exact=True)
    expect(shares.locator("tbody th")).to_have_text([re.compile(each) for each in ("North", "South", "Else")])
    zoomed_by_keyboard(page)
    robin.check()
    robin.shoot("place-survey-report")
    page.emulate_media(media="print")
    expect(page.locator("svg[role=img]").first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Enlarge"))).to_have_count(0)
    robin.shoot("place-survey-print")
    page.emulate_media(media="screen")

    page = robin.go(f"/reports/{report}/files")
    cells = downloaded(page, "CSV").read("cells.csv").decode()
    assert cells.count("\n") == 13
    name = place_of(draft)["name"]
    features = json.loads(downloaded(page, "GeoJSON").read(f"1-{name}-regions.geojson"))["features"]
    assert len(features) == 3


# --- by touch ----------------------------------------------------------------------------------------------

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
    told_in_words(by_list, "list", re.compile(r"^Block [A-D][1-3]$"), by_list.check)

    by_map = visit(**PHONE)
    page = asked_on_phone(by_map, address, chinese=True).page
    assert page.locator(".place-group h2").all_inner_texts()[:2] == ["北区", "南区"]
    tapped(page, 3, 0)
    expect(page.locator(".map-name")).to_contain_text("D3街区")
    expect(page.get_by_role("radio", name="D3街区")).to_be_checked()
    another_language(page)
    by_map.shoot("place-phone-map")
    told_in_words(by_map, "map", re.compile(r"^[A-D][1-3]街区$"), partial(another_language, page))

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
