"""The whole road of a survey of two numbers and a place: opened, answered, mined, published, read; by keyboard."""

import csv
import io
import json
import re
import sqlite3
from contextlib import closing
from typing import Any
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests import servers
from tests.browser.answering import arrived
from tests.browser.building import Draft, maker, press, tab_to
from tests.browser.conftest import Visit, Visitor
from tests.browser.test_reports import desk
from tests.product import Product
from tests.surveys.builder.placed import place, region
from tests.surveys.builder.written import plain, question, thresholds, window

pytestmark = pytest.mark.browser

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def written(product: Product) -> Draft:
    """A number by each law, an average and a shape, and a place with two regions that touch."""
    return maker(product)(
        plain(question("work", "employed", "none")),
        thresholds("debt", 0, 250, 500, 1000, keep="0.5000", mean=True, unit={"en": "euros"}),
        window("income", values=101, half=20, wanted="shape"),
        place("home", region("north", "A3", "B3", "C3"), region("south", "A2", "B2", "C2"), near=3),
        expected=1200,
        rehearsal=True,
        title={"en": "Homes"},
    )


def opened(robin: Visitor, draft: Draft) -> str:
    """The address for respondents."""
    page = robin.go(f"{draft.path}/open")
    press(page, page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    with closing(sqlite3.connect(f"file:{draft.database}?mode=ro", uri=True)) as rows:
        (slug,) = rows.execute("SELECT slug FROM surveys_survey WHERE id = ?", [draft.pk]).fetchone()
    return f"/a/{slug}"


def rehearsed(robin: Visitor, draft: Draft) -> None:
    page = robin.go(f"{draft.path}/rehearse")
    tab_to(page, page.get_by_role("spinbutton"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1300")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Simulate answers")).to_have_count(0)

    def told() -> bool:
        return "1,300" in robin.go(f"{draft.path}/rehearse").locator("dl.facts").inner_text()

    servers.wait(told, "the answers", pause=0.5)


def mined(robin: Visitor, draft: Draft) -> int:
    """The number of the report, which waits."""
    page = robin.go(f"{draft.path}/runs")
    press(page, page.get_by_role("button", name="Start the run"))
    page.wait_for_url(re.compile(r"/runs/\d+/"))
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    found = re.search(r"/runs/(\d+)/", page.url)
    assert found
    robin.go("/reports/")
    return int(found[1])


def published(ruth: Visitor, report: int) -> None:
    page = ruth.go(desk(report, "numbers"))
    expect(page.get_by_role("heading", name="income?").first).to_be_visible()
    ruth.go(desk(report, "places"))
    expect(page.get_by_role("heading", name="Sensitive places")).to_be_visible()
    ruth.go(desk(report, "publish"))
    press(page, page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")


# --- respondents -------------------------------------------------------------------------------------------


def chosen(page: Page, control: Locator) -> None:
    """Come to the radio button's group by Tab, and to the button by the arrows."""
    name = control.get_attribute("name")
    first = page.locator(f'[name="{name}"]').first
    tab_to(page, first)
    page.keyboard.press("Space")
    while not control.is_checked():
        page.keyboard.press("ArrowDown")


def answered_by_keyboard(visitor: Visitor, address: str) -> None:
    """Nothing is sent before the one record."""
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
    for words, number in (("debt?", "750"), ("income?", "12")):
        expect(page.locator("#screen")).to_contain_text(words)
        tab_to(page, page.locator("#screen input[inputmode]"))
        page.keyboard.type(number)
        go_on()
    tab_to(page, page.get_by_label("Search"))
    page.keyboard.type("B2")
    expect(page.locator("#places-shown")).to_have_text("Places shown: 1 of 12")
    chosen(page, page.locator(".place-list input"))
    visitor.shoot("survey-question")
    go_on()
    expect(page.locator(".summary")).to_contain_text("B2")
    assert asked == []
    press(page, page.get_by_role("button", name="Send", exact=True))
    arrived(page)
    assert [(one.method, one.url) for one in asked] == [("POST", f"{visitor.product.url}{address}/record")]
    told, *numbers, sent = page.locator("table tbody td:nth-child(2)").all_inner_texts()
    assert told == "none"
    assert len(numbers) == 2
    assert re.fullmatch("[A-D][1-3]", sent)
    visitor.shoot("survey-receipt")


def tapped(page: Page, column: int, row: int) -> None:
    """A cell on the map of four by three, whose margins are a 27th of each side; rows from the north."""
    frame = page.locator(".map-frame svg")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    across, down = (0.04 + (column + 0.5) / 4) / 1.08, (0.04 + (row + 0.5) / 3) / 1.08
    page.touchscreen.tap(box["x"] + across * box["width"], box["y"] + down * box["height"])


def answered_on_a_phone(visitor: Visitor, address: str) -> None:
    page = visitor.go(address)
    page.locator("[data-agree]:visible").tap()
    go_on = page.locator("#screen button.primary")
    for answer in ("#group-1", "#answer-0-0"):
        page.locator(answer).tap()
        go_on.tap()
    for words, number in (("debt?", "50"), ("income?", "99")):
        expect(page.locator("#screen")).to_contain_text(words)
        page.locator("#screen input[inputmode]").fill(number)
        go_on.tap()
    tapped(page, 3, 0)
    expect(page.locator(".map-name")).to_have_text("Chosen: D3")
    expect(page.get_by_role("radio", name="D3")).to_be_checked()
    go_on.tap()
    expect(page.locator(".summary")).to_contain_text("D3")
    go_on.tap()
    arrived(page)


# --- the road ----------------------------------------------------------------------------------------------


def downloaded(page: Page, name: str) -> ZipFile:
    with page.expect_download() as download:
        press(page, page.get_by_role("link", name=name, exact=True))
    return ZipFile(download.value.path())


def test_numbers_and_a_place_go_from_the_questionnaire_to_a_published_report_by_keyboard(
    visit: Visit, product: Product
) -> None:
    draft = written(product)
    robin, ruth = visit("researcher"), visit("reviewer")
    address = opened(robin, draft)
    answered_by_keyboard(visit(), address)
    answered_on_a_phone(visit(**PHONE), address)
    rehearsed(robin, draft)
    report = mined(robin, draft)
    published(ruth, report)

    page = robin.go(f"/reports/{report}/numbers")
    expect(page.get_by_text(re.compile(r"The average lies between [\d,]+ and [\d,]+ euros"))).to_be_visible()
    robin.go(f"/reports/{report}/places")
    shares = page.get_by_role("region", name="home?", exact=True)
    expect(shares.locator("tbody th")).to_have_text([re.compile(each) for each in ("North", "South", "Else")])

    robin.go(f"/reports/{report}/files")
    files = downloaded(page, "CSV")
    assert files.read("cells.csv").count(b"\n") == 13
    numbers = csv.DictReader(io.StringIO(files.read("numbers.csv").decode()))
    assert {row["question"] for row in numbers} == {"debt", "income"}
    features = json.loads(downloaded(page, "GeoJSON").read("1-home-regions.geojson"))["features"]
    assert len(features) == 3
