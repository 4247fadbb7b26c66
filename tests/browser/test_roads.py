"""The whole road of a survey of numbers and a place, by keyboard."""

import csv
import io
import json
import re
import sqlite3
from contextlib import closing
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.conftest import Draft, Visit, Visitor, wait_for_receipt
from tests.browser.test_builder import questions_of, type_into_field
from tests.browser.test_runs import run_number
from tests.browser.visiting import (
    another_language,
    collect_requests,
    desk,
    draft_maker,
    press_key_on,
    tab_to,
    wait_until_saved,
)
from tests.product import Product
from tests.surveys.drafts import plain, question

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


# --- The steps from a draft to its published report, by keyboard


def open_survey(robin: Visitor, draft: Draft) -> str:
    """The address for respondents."""
    page = robin.go(f"{draft.path}/open")
    press_key_on(page, page.get_by_role("button", name="Open the survey"))
    expect(page.locator(".toast")).to_contain_text("The survey is open.")
    with closing(sqlite3.connect(f"file:{draft.database}?mode=ro", uri=True)) as rows:
        (slug,) = rows.execute("SELECT slug FROM surveys_survey WHERE id = ?", [draft.pk]).fetchone()
    return f"/a/{slug}"


def rehearse(robin: Visitor, draft: Draft) -> None:
    page = robin.go(f"{draft.path}/rehearse")
    page.get_by_role("spinbutton").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1300")
    press_key_on(page, page.get_by_role("button", name="Simulate answers"))
    expect(page.get_by_role("button", name="Simulate answers")).to_have_count(0)
    page.wait_for_load_state()  # else this load and the next one may abort each other

    def counts_everybody() -> bool:
        return "1,300" in robin.go(f"{draft.path}/rehearse").locator("dl.facts").inner_text()

    servers.wait(counts_everybody, "the answers", pause=0.5)


def mine(robin: Visitor, draft: Draft) -> int:
    """The number of the report, which waits."""
    page = robin.go(f"{draft.path}/runs")
    press_key_on(page, page.get_by_role("button", name="Start the run"))
    number = run_number(page)
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    robin.go("/app/reports/")
    return number


def publish_report(ruth: Visitor, report: int) -> None:
    page = ruth.go(desk(report, "publish"))
    press_key_on(page, page.get_by_role("button", name="Publish"))
    expect(page.locator(".toast")).to_contain_text("Published.")


# --- the builder -------------------------------------------------------------------------------------------


def set_step(page: Page) -> None:
    """By hundreds; the limits have followed the range."""
    press_key_on(page, page.locator(".block.open summary", has_text="Details"))
    type_into_field(page, "step", "100")
    page.keyboard.press("Tab")
    expect(page.locator("[name=limit-3]")).to_have_value("8000")
    # An exchange in the midst of tabbing would take the focus away.
    wait_until_saved(page)


def choose_window(page: Page) -> None:
    press_key_on(page, page.locator(".block.open summary", has_text="Details"))
    press_key_on(page, page.get_by_role("button", name="A shape to look at"))
    expect(page.locator(".number-results")).to_contain_text("The margin of error of the curve is")


def numbers_built(page: Page, draft: Draft) -> None:
    """One by each law: an average, and a shape."""
    press_key_on(page, page.get_by_role("button", name="Add a sensitive number"))
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("How much do you owe?")
    type_into_field(page, "unit", "euros")
    type_into_field(page, "high", "10000")
    set_step(page)
    for row, point in enumerate((500, 2000, 5000)):
        type_into_field(page, f"limit-{row}", str(point))
    wait_until_saved(page)
    [debt] = questions_of(draft)
    assert (debt["limits"], debt["step"], debt["unit"]) == ([500, 2000, 5000, 8000], 100, {"en": "euros"})
    # The picture has moved with the numbers; Enter adds a limit below.
    expect(page.locator(".number-results table")).to_contain_text("5,000")
    press_key_on(page, page.locator("[name=limit-0]"))
    expect(page.locator("[name=limit-1]")).to_be_focused()
    expect(page.locator("[name=limit-1]")).to_have_value("1200")
    press_key_on(page, page.get_by_role("button", name="Delete limit 2"))
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    assert questions_of(draft)[0]["limits"] == [500, 2000, 5000, 8000]
    tab_to(page, page.get_by_label("What do you want to learn?"))
    page.keyboard.press("ArrowDown")
    wait_until_saved(page)
    press_key_on(page, page.locator(".block.open button.primary"))
    expect(page.locator(".block.open")).to_have_count(0)
    tab_to(page, page.locator("#section-0-kind"))
    page.keyboard.type("A sensitive number")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#section-1 textarea[name=text]")).to_be_focused()
    page.keyboard.type("What do you earn?")
    type_into_field(page, "high", "1000")
    wanted = page.get_by_label("What do you want to learn?")
    tab_to(page, wanted)
    aims = {"mean": "The margin of error of the average is", "quantiles": "How close the results come"}
    for choice, words in aims.items():
        page.keyboard.press("ArrowDown")
        expect(page.locator(".number-results")).to_contain_text(words)
        expect(wanted).to_have_value(choice)
        expect(wanted).to_be_focused()
    choose_window(page)
    type_into_field(page, "width", "77")
    expect(page.locator("[data-saved]")).to_contain_text("The nearest that does not: 79.")
    type_into_field(page, "width", "79")
    wait_until_saved(page)
    income, debt = questions_of(draft)
    assert (income["law"], income["values"], income["window"]) == ("window", 1001, 39)
    assert debt["law"] == "classes"
    press_key_on(page, page.locator("#section-1-down"))
    expect(page.locator("#section-2-down")).to_be_focused()
    assert [each["law"] for each in questions_of(draft)] == ["classes", "window"]
    press_key_on(page, page.locator(".block.open button.primary"))
    expect(page.locator(".block.open")).to_have_count(0)


def place_built(page: Page, draft: Draft) -> None:
    """A grid of four by three, with two regions that touch."""
    press_key_on(page, page.get_by_role("button", name="Add a sensitive place"))
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("Where do you live?")
    expect(page.locator(".number-results")).to_contain_text("Nothing can be said yet.")
    press_key_on(page, page.get_by_role("link", name="Choose other cells"))
    page.wait_for_url("**/edit/cells*")
    expect(page.locator(".lede")).to_have_text("Where do you live?")
    for label, side in (("Columns", "4"), ("Rows", "3")):
        tab_to(page, page.get_by_label(label))
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(side)
    press_key_on(page, page.get_by_role("button", name="Take this grid"))
    expect(page.locator(".block.open textarea[name=text]")).to_have_value("Where do you live?")
    for row, name in enumerate(("North", "South")):
        press_key_on(page, page.get_by_role("button", name="Add a region"))
        expect(page.locator(f"[name=region-{row}]")).to_be_focused()
        page.keyboard.type(name)
        for column in "ABC":
            tab_to(page, page.locator(f'[name=in-{row}][value="{column}{row + 1}"]'))
            page.keyboard.press("Space")
            drawn = page.locator(f'[data-cell="{column}{row + 1}"]')
            expect(drawn).to_have_attribute("data-region", str(row))
        expect(page.locator("[data-count]").nth(row)).to_have_text("3")
    expect(page.locator(".number-results table")).to_contain_text("North")
    press_key_on(page, page.get_by_role("button", name="Find the best"))
    expect(page.locator(".toast")).to_contain_text("What shows it best is proposed.")
    expect(page.locator("[name=near]")).to_have_value("3")
    wait_until_saved(page)
    regions = draft.draft_json["sections"][-1]["questions"][0]["regions"]
    assert [each["cells"] for each in regions] == [["A1", "B1", "C1"], ["A2", "B2", "C2"]]


# --- the respondent ----------------------------------------------------------------------------------------


def choose_by_keyboard(page: Page, control: Locator) -> None:
    """Come to the radio button's group by Tab, and to the button by the arrows."""
    name = control.get_attribute("name")
    tab_to(page, page.locator(f'[name="{name}"]').first)
    page.keyboard.press("Space")
    while not control.is_checked():
        page.keyboard.press("ArrowDown")


def answered_by_keyboard(visitor: Visitor, address: str) -> None:
    """Nothing is sent before the one record."""
    page = visitor.go(address)
    asked = collect_requests(page)

    def go_on() -> None:
        press_key_on(page, page.get_by_role("button", name="Continue", exact=True))

    press_key_on(page, page.locator("[data-agree]:visible"))
    choose_by_keyboard(page, page.locator("#group-1"))
    go_on()
    choose_by_keyboard(page, page.locator("#answer-0-1"))
    go_on()
    for words, number in (("How much do you owe?", "700"), ("What do you earn?", "12")):
        expect(page.locator("#screen")).to_contain_text(words)
        tab_to(page, page.locator("#screen input[inputmode]"))
        page.keyboard.type(number)
        go_on()
    tab_to(page, page.get_by_label("Search"))
    page.keyboard.type("B2")
    expect(page.locator("#places-shown")).to_have_text("Places shown: 1 of 12")
    choose_by_keyboard(page, page.locator(".place-list input"))
    go_on()
    expect(page.locator(".summary")).to_contain_text("B2")
    assert asked == []
    press_key_on(page, page.get_by_role("button", name="Send", exact=True))
    wait_for_receipt(page)
    assert [(one.method, one.url) for one in asked] == [("POST", f"{visitor.product.url}{address}/record")]
    told, *numbers, sent = page.locator("table tbody td:nth-child(2)").all_inner_texts()
    assert told == "none not disguised"
    assert len(numbers) == 2
    assert re.fullmatch("[A-D][1-3], perhaps drawn at random", sent.strip())


# --- the road ----------------------------------------------------------------------------------------------


def download_zip(page: Page, name: str) -> ZipFile:
    with page.expect_download() as download:
        press_key_on(page, page.get_by_role("link", name=name, exact=True))
    return ZipFile(download.value.path())


def test_numbers_and_a_place_are_built_mined_and_published_by_keyboard(
    visit: Visit, product: Product
) -> None:
    draft = draft_maker(product)(
        plain(question("work", "employed", "none")), expected=1300, rehearsal=True, title={"en": "Homes"}
    )
    robin, ruth = visit("researcher"), visit("reviewer")
    page = robin.go(f"{draft.path}/edit")
    numbers_built(page, draft)
    place_built(page, draft)
    debt, income, home = (section["questions"][0]["name"] for section in draft.draft_json["sections"][1:])

    answered_by_keyboard(visit(), open_survey(robin, draft))
    rehearse(robin, draft)
    report = mine(robin, draft)
    page = ruth.go(desk(report, "numbers"))
    press_key_on(page, page.get_by_role("link", name="What do you earn?"))
    expect(page.get_by_role("heading", name="What do you earn?").first).to_be_visible()
    page = ruth.go(desk(report, "numbers"))
    # The truth of a rehearsal stands beside the estimates.
    expect(page.get_by_text(re.compile(r"The true average \(simulated\): [\d,]+ euros"))).to_be_visible()
    page = ruth.go(desk(report, "places"))
    expect(page.get_by_role("heading", name="Sensitive places")).to_be_visible()
    publish_report(ruth, report)

    page = robin.go(f"/app/reports/{report}/places")
    shares = page.get_by_role("region", name="Where do you live?", exact=True)
    expect(shares.locator("tbody th")).to_have_text([re.compile(each) for each in ("North", "South", "Else")])
    robin.go(f"/app/reports/{report}/files")
    files = download_zip(page, "CSV")
    assert files.read("cells.csv").count(b"\n") == 13
    numbers = csv.DictReader(io.StringIO(files.read("numbers.csv").decode()))
    assert {row["question"] for row in numbers} == {debt, income}
    features = json.loads(download_zip(page, "GeoJSON").read(f"1-{home}-regions.geojson"))["features"]
    assert len(features) == 3

    robin.go(f"/app/reports/{report}/numbers")
    expect(page.get_by_text(re.compile(r"The average lies between [\d,]+ and [\d,]+ euros"))).to_be_visible()
    robin.check()
    press_key_on(page, page.get_by_role("button", name="简体中文"))
    expect(page.get_by_text("平均值在").first).to_be_visible()
    another_language(page)
    robin.go(f"/app/reports/{report}/places")
    expect(page.locator("svg[role=img]").first).to_be_visible()
    another_language(page)
