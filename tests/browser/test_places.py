"""Questions for a place: the list that can be searched, the map beside it, what is said before and after sending."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Asked, Respondent, Visit, fix_words, get_survey, inbox
from tests.browser.test_answering_receipt import receipt_verdict, save_download
from tests.browser.visiting import PHONE, Visitor, another_language, box_of
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True


def open_place_page(visitor: Visitor, survey: Asked, group: int = 1) -> Respondent:
    """On the page of the first place."""
    return Respondent(visitor.go(survey.address)).answer({}, group, screens=2)


def view_of(page: Page) -> list[float]:
    return [float(side) for side in str(page.get_attribute(".map-frame svg", "viewBox")).split()]


def centre(page: Page, code: int) -> tuple[float, float]:
    """Where on the screen the map draws a quarter of the grid of four by four."""
    box, view = box_of(page.locator(".map-frame svg")), view_of(page)
    column, row = divmod(code, 4)
    shown = min(box["width"] / view[2], box["height"] / view[3])
    left = box["x"] + (box["width"] - view[2] * shown) / 2
    top = box["y"] + (box["height"] - view[3] * shown) / 2
    # Of the drawing, 1000 units wide, a 27th on each side is margin.
    side = 1000 / 1.08 / 4
    return (
        left + (40 / 1.08 + side * (column + 0.5) - view[0]) * shown,
        top + (40 / 1.08 + side * (3 - row + 0.5) - view[1]) * shown,
    )


def chosen_answer_ids(page: Page) -> list[str]:
    """The ids of the answers that are chosen."""
    found: list[str] = page.locator("#screen input[type=radio]:checked").evaluate_all("a => a.map(e => e.id)")
    return found


def receipt_answers(page: Page) -> list[str]:
    """The answers on the receipt."""
    return page.locator("table tbody td:nth-child(2)").all_inner_texts()


def test_place_questions_are_accessible_and_listed_on_the_receipt(
    visit: Visit, visitor: Visitor, product: Product, places: Asked, tmp_path: Path
) -> None:
    # Home: 2 (738 - 100) + 700 = 1976 sides, from 738 on Quarter A2. Work: from 1,800 of 2,000 sides on the first place
    # of the yard.
    fix_words(visitor.page, [800, 1800])
    page = visitor.go_and_check(places.address)
    respondent = Respondent(page)
    names = iter(("choice", "work", "home", "work-place", "check"))
    for _screen in respondent.screens({0: 0, 1: 0, 2: 5}):
        # A map of cells without shapes is folded until it is wanted.
        for folded in page.locator(".places > details").all():
            assert folded.get_attribute("open") is None
            folded.locator("summary").click()
        if next(names) != "work":  # which is checked in a survey without places
            visitor.check()
    assert next(names, None) is None
    summary = page.locator(".summary > div").all_inner_texts()
    assert "Quarter A1" in summary[2]
    assert "What could be sent: a place near it, or any place inside the regions." in summary[2]
    assert "What could be sent: this place, which then counts as not disguised" in summary[3]
    expect(page.locator(".illustration")).to_contain_text(re.compile("or one near it|any place inside"))
    respondent.deliver()
    visitor.check()
    perhaps = ", perhaps drawn at random"
    said = ["Employed not disguised", f"Quarter A2{perhaps}", f"Stop 1{perhaps}"]
    assert receipt_answers(page) == said
    assert inbox(product, places) == ["10011"]
    receipt, design = (
        save_download(page, "Save the receipt", tmp_path),
        save_download(page, "Save the design", tmp_path),
    )
    page = visit().go("/a/receipt")
    assert receipt_verdict(page, receipt, design) == "This is a possible record of the design."
    assert receipt_answers(page) == said


def test_place_outside_the_regions_is_warned_of_and_sent_unchanged(visit: Visit, places: Asked) -> None:
    visitor = visit()
    fix_words(visitor.page, [0, 0])
    respondent = Respondent(visitor.go(places.address))
    page = respondent.page
    respondent.agree_and_begin()
    hints = page.locator("label.answer .hint").all_inner_texts()
    assert ["outside the sensitive regions" in hint for hint in hints] == [True, False]
    respondent.answer({0: 0, 1: 15, 2: 1}, is_begun=True)
    respondent.deliver()
    assert receipt_answers(page)[1:] == ["Quarter D4 not disguised", "Stop 1, perhaps drawn at random"]
    page = open_place_page(visit(), places, group=0).page
    expect(page.locator("#law")).to_have_count(0)
    expect(page.locator(".place-group h2 .mark")).to_have_count(0)


# --- the list -----------------------------------------------------------------------------------------


def test_page_says_what_a_place_reveals(visit: Visit, places: Asked) -> None:
    """With the search in sight on a phone, and remembered by no browser."""
    page = open_place_page(visit(viewport=PHONE), places).page
    search = page.get_by_label("Search")
    expect(search).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("radio").first).to_be_in_viewport()
    question = page.get_by_role("group", name="Where did you sleep last night?")
    groups = {"Harbour": 4, "Station": 3, "Outside the regions": 9}
    for name, count in groups.items():
        expect(question.get_by_role("group", name=name).get_by_role("radio")).to_have_count(count)
    assert page.locator(".place-group h2").all_inner_texts() == [*groups]
    law = page.locator("#law")
    expect(law).to_be_hidden()
    for words in (
        "any one place inside the regions at most 13.8 times as likely, compared with any other place",
        "In Harbour: at most 7.4 times.",
        "In Station: at most 13.8 times.",
        # b = 1276 / 1976
        "it is not protected. Your exact place is sent about 2 in 3 times (64.6 %)",
    ):
        expect(law).to_contain_text(words)
    # Two sentences above the answer, the rest folded.
    assert page.locator("#protection").inner_text() == (
        "Sensitive area: we may send a neighbouring place instead. Elsewhere: your place may be sent as it is."
    )
    wanted = {"type": "search", "autocomplete": "off", "spellcheck": "false", "name": None}
    assert {name: search.get_attribute(name) for name in wanted} == wanted
    expect(page.locator("form, input[type=radio]:not([autocomplete=off])")).to_have_count(0)


def test_place_search_shows_matches_and_the_chosen_place(visitor: Visitor, places: Asked) -> None:
    respondent = open_place_page(visitor, places)
    page = respondent.page
    search, shown = page.get_by_label("Search"), page.locator("#places-shown")
    respondent.press_button("Continue")
    summary = page.locator(".error-summary")
    expect(summary).to_be_focused()
    assert summary.get_by_role("button").inner_text() == "Select a place from the list"
    visitor.check()
    summary.get_by_role("button").click()
    expect(search).to_be_focused()
    assert shown.get_attribute("role") == "status"
    for words, said, count in (
        ("quárter C", "Places shown: 4 of 16", 4),
        ("nowhere", "No place matches the search.", 0),
        ("", "Places shown: 16 of 16", 16),
    ):
        search.fill(words)
        assert shown.inner_text() == said
        expect(page.get_by_role("radio")).to_have_count(count)
    # The arrow keys choose in the list, and the map follows.
    page.locator("#answer-1-1").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowUp")
    assert chosen_answer_ids(page) == ["answer-1-0"]
    for drawn in (".chosen", ".chosen-sign"):
        assert page.locator(f".map-frame {drawn}").get_attribute("d")
    search.fill("station")
    kept = page.get_by_role("group", name="Chosen")
    expect(kept.get_by_role("radio")).to_have_count(1)
    search.fill("")
    expect(kept).to_have_count(0)
    respondent.press_button("Continue")
    respondent.press_button("Back")
    assert chosen_answer_ids(page) == ["answer-1-0"]
    assert page.locator(".map-name").inner_text() == "Chosen: Quarter A1"


def test_place_question_works_in_chinese(visit: Visit, places: Asked) -> None:
    page = open_place_page(visit(), places).page
    page.check("#answer-1-0")
    page.get_by_role("button", name="中文").click()
    assert page.locator(".place-group h2").all_inner_texts()[:2] == ["港口", "车站"]
    assert chosen_answer_ids(page) == ["answer-1-0"]
    name = page.locator(".map-name")
    expect(name).to_contain_text("A1区")
    expect(name).not_to_contain_text("Chosen")
    page.locator("#search-1").fill("车站")
    expect(page.locator(".place-list input")).to_have_count(4)
    another_language(page)


# --- the map ------------------------------------------------------------------------------------------


def test_map_click_chooses_in_the_list(visit: Visit, places: Asked) -> None:
    page = open_place_page(visit(), places).page
    name = page.locator(".map-name")
    page.get_by_label("Search").fill("harbour")
    assert name.inner_text() == "No place is chosen."
    page.mouse.move(*centre(page, 6))
    assert name.inner_text() == "Quarter B3"
    assert page.locator(".map-frame .hovered").get_attribute("d")
    page.mouse.move(1, 1)
    assert name.inner_text() == "No place is chosen."
    page.mouse.click(*centre(page, 13))
    assert chosen_answer_ids(page) == ["answer-1-13"]
    assert name.inner_text() == "Chosen: Quarter D2"
    # North is up: the first row of names lies at the bottom.
    assert centre(page, 0)[1] > centre(page, 3)[1]
    box = box_of(page.locator(".map-frame svg"))
    page.mouse.click(box["x"] + 3, box["y"] + 3)
    assert chosen_answer_ids(page) == ["answer-1-13"]
    # Right to left leaves the map as it is.
    page.evaluate("document.documentElement.dir = 'rtl'")
    page.mouse.click(*centre(page, 5))
    assert chosen_answer_ids(page) == ["answer-1-5"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_regions_are_named_on_the_map(visit: Visit, places: Asked) -> None:
    page = open_place_page(visit(viewport=PHONE), places).page
    frame, names = page.locator(".map-frame svg"), page.locator(".map-frame text:not([hidden])")
    assert names.all_text_contents() == ["Harbour", "Station"]
    frame.scroll_into_view_if_needed()
    drawing = box_of(frame)
    for box in map(box_of, names.all()):
        assert box["height"] >= 13
        assert drawing["x"] <= box["x"] <= drawing["x"] + drawing["width"] - box["width"]
    # A name is no obstacle: a click on it chooses the cell beneath.
    names.first.click(force=True)
    assert len(chosen_answer_ids(page)) == 1
    # As large on the screen when the map is near.
    page.get_by_role("button", name="Zoom in").click()
    sizes = page.locator(".map-frame text").evaluate_all("a => a.map(e => +e.getAttribute('font-size'))")
    assert sizes == pytest.approx([0.04 * view_of(page)[2]] * 2, abs=0.01)


def test_the_map_zooms_and_moves_by_buttons_keys_wheel_and_drag(visit: Visit, places: Asked) -> None:
    page = open_place_page(visit(), places).page
    whole = view_of(page)
    page.get_by_role("button", name="Zoom in").click()
    assert view_of(page)[2] < whole[2]
    page.get_by_role("button", name="Zoom out").click()
    assert view_of(page) == whole
    page.get_by_role("group", name="Map", exact=True).focus()
    page.keyboard.press("+")
    near = view_of(page)
    assert near[2] < whole[2]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    before = view_of(page)
    assert before[0] > near[0]
    assert before[1] < near[1]
    x, y = centre(page, 5)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y - 30, steps=4)
    page.mouse.up()
    assert view_of(page)[0] > before[0]
    assert view_of(page)[1] > before[1]
    assert chosen_answer_ids(page) == []
    page.keyboard.press("-")
    page.keyboard.press("-")
    page.mouse.wheel(0, -200)
    assert view_of(page) == whole
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    assert view_of(page)[2] < whole[2]


def test_places_are_shown_two_hundred_at_a_time(visitor: Visitor, product: Product) -> None:
    survey = get_survey(product, "many places")

    def with_land(route: Route) -> None:
        answer = route.fetch()
        page = re.sub('"land":"[^"]*"', '"land":"M0 0h63v63h-63z"', answer.text())
        route.fulfill(response=answer, body=page)

    visitor.page.route(f"**{survey.address}", with_land)
    respondent = Respondent(visitor.go(survey.address)).agree_and_begin()
    page = respondent.page
    land, cells = (box_of(page.locator(f".map-frame {name}").last) for name in (".land", ".cells"))
    # Parish 0 stands at 0, 0 and the last one at 63, 63, each in the middle of its disc.
    assert land["x"] > cells["x"] - 20
    assert [land["y"], land["width"]] == pytest.approx([cells["y"], cells["width"]], abs=20)
    rows = page.get_by_role("radio")
    expect(rows).to_have_count(200)
    assert page.locator("#places-shown").inner_text() == "Places shown: 200 of 4,096"
    respondent.press_button("Show more places")
    expect(rows).to_have_count(400)
    page.get_by_label("Search").fill("parish 4095")
    expect(rows).to_have_count(1)
    rows.first.check()
    page.get_by_label("Search").fill("")
    expect(rows).to_have_count(201)
    assert chosen_answer_ids(page) == ["answer-0-4095"]
    visitor.check()
