"""Questions for a place: the list that can be searched, the map beside it, what is said before and after sending."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Page, Route, expect

from intake.pages.respondent_views import respondent_context
from tests.browser.answering import Asked, Respondent, asked, inbox, throws
from tests.browser.conftest import Visit, somebody
from tests.browser.test_answering_receipt import check, saved
from tests.browser.visiting import Profiles, Visitor, another_language
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True

# Home: 2 (738 - 100) + 700 = 1976 sides, Quarter A1 and A2 are near A1, with 738 sides each.
NEAR = [0, 0]


def at_home(visitor: Visitor, survey: Asked, group: int = 1) -> Respondent:
    """On the page of the first place."""
    respondent = Respondent(visitor.go(survey.address))
    respondent.answer({}, group, screens=2)
    return respondent


@pytest.fixture(scope="module")
def home(profiles: Profiles, product: Product) -> Iterator[Page]:
    """The page of the first place, for tests that leave it as it was."""
    with somebody(profiles, product, used=True) as visitor:
        yield at_home(visitor, asked(product, "places")).page


def centre(page: Page, code: int) -> tuple[float, float]:
    """Where on the screen the map draws a quarter of the grid of four by four."""
    box = page.locator(".map-frame svg").bounding_box()
    assert box
    column, row = divmod(code, 4)
    view = [float(side) for side in str(page.get_attribute(".map-frame svg", "viewBox")).split()]
    shown = min(box["width"] / view[2], box["height"] / view[3])
    left = box["x"] + (box["width"] - view[2] * shown) / 2
    top = box["y"] + (box["height"] - view[3] * shown) / 2
    # Of the drawing, 1000 units wide, a 27th on each side is margin.
    side = 1000 / 1.08 / 4
    return (
        left + (40 / 1.08 + side * (column + 0.5) - view[0]) * shown,
        top + (40 / 1.08 + side * (3 - row + 0.5) - view[1]) * shown,
    )


def view_of(page: Page) -> list[float]:
    return [float(side) for side in str(page.get_attribute(".map-frame svg", "viewBox")).split()]


def chosen(page: Page) -> list[str]:
    """The ids of the answers that are chosen."""
    ids: list[str] = page.locator("#screen input[type=radio]:checked").evaluate_all(
        "all => all.map(e => e.id)"
    )
    return ids


def test_every_screen_with_a_place_is_whole(visit: Visit, places: Asked) -> None:
    """axe in both themes, 390 pixels, the keyboard and, where SCREENSHOTS asks for them, pictures."""
    visitor = visit()
    throws(visitor.page, NEAR)
    page = visitor.go(places.address)
    visitor.check()
    respondent = Respondent(page)
    names = iter(("choice", "work", "home", "work-place", "check"))
    for _screen in respondent.screens({1: 0, 2: 3}):
        # A map of cells without shapes is folded until it is wanted.
        for folded in page.locator(".places > details").all():
            assert folded.get_attribute("open") is None
            folded.locator("summary").click()
        name = next(names)
        if name != "work":  # which is checked in a survey without places
            visitor.check()
    assert next(names, None) is None
    respondent.deliver()
    visitor.check()


def test_the_question_is_the_legend_of_its_places_and_regions_are_groups(home: Page) -> None:
    question = home.get_by_role("group", name="Where did you sleep last night?")
    expect(question.locator("input[type=radio]")).to_have_count(16)
    expect(question.get_by_role("group", name="Harbour").get_by_role("radio")).to_have_count(4)
    expect(question.get_by_role("group", name="Station").get_by_role("radio")).to_have_count(3)
    expect(question.get_by_role("group", name="Outside the regions").get_by_role("radio")).to_have_count(9)
    assert list(home.locator(".place-group h2").all_inner_texts()) == [
        "Harbour",
        "Station",
        "Outside the regions",
    ]


def test_before_the_answer_the_page_says_what_it_gives_away(home: Page) -> None:
    law = home.locator("#law").text_content() or ""
    assert (
        "any one place inside the regions at most 13.8 times as likely, compared with any other place" in law
    )
    assert "In Harbour: at most 7.4 times." in law
    assert "In Station: at most 13.8 times." in law
    # b = 1276 / 1976
    assert "it is not protected. Your exact place is sent about 2 in 3 times (64.6 %)" in law
    # Two sentences above the answer, the rest folded.
    assert home.locator("#protection").inner_text() == (
        "Sensitive area: we may send a neighbouring place instead. Elsewhere: your place may be sent as it is."
    )
    expect(home.locator("#law")).to_be_hidden()


def test_on_a_phone_the_search_is_in_sight_without_scrolling(visit: Visit, places: Asked) -> None:
    page = at_home(visit(viewport={"width": 390, "height": 844}), places).page
    expect(page.get_by_label("Search")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("radio").first).to_be_in_viewport()


def test_whoever_chooses_the_disguise_is_warned_of_places_outside(visit: Visit, places: Asked) -> None:
    respondent = Respondent(visit().go(places.address))
    respondent.begin()
    hints = respondent.page.locator("label.answer .hint").all_inner_texts()
    assert ["outside the sensitive regions" in hint for hint in hints] == [True, False]


def test_an_open_answer_is_told_of_no_disguise(visit: Visit, places: Asked) -> None:
    page = at_home(visit(), places, group=0).page
    expect(page.locator("#law")).to_have_count(0)
    expect(page.locator(".place-group h2 .mark")).to_have_count(0)


def test_a_search_shows_what_matches_and_says_how_many(home: Page) -> None:
    shown = home.locator("#places-shown")
    assert shown.get_attribute("role") == "status"
    assert shown.inner_text() == "Places shown: 16 of 16"
    home.get_by_label("Search").fill("quárter C")
    assert shown.inner_text() == "Places shown: 4 of 16"
    home.get_by_label("Search").fill("harbour 2")
    expect(home.get_by_role("radio")).to_have_count(2)
    home.get_by_label("Search").fill("nowhere")
    assert shown.inner_text() == "No place matches the search."
    expect(home.get_by_role("radio")).to_have_count(0)
    home.get_by_label("Search").fill("")
    assert shown.inner_text() == "Places shown: 16 of 16"


def test_the_chosen_place_stays_in_sight_whatever_is_searched(visit: Visit, places: Asked) -> None:
    respondent = at_home(visit(), places)
    page = respondent.page
    page.check("#answer-1-0")
    page.get_by_label("Search").fill("station")
    kept = page.get_by_role("group", name="Chosen")
    expect(kept.get_by_role("radio")).to_have_count(1)
    assert chosen(page) == ["answer-1-0"]
    page.get_by_label("Search").fill("")
    expect(page.get_by_role("group", name="Chosen")).to_have_count(0)
    respondent.press("Continue")
    respondent.press("Back")
    assert chosen(page) == ["answer-1-0"]
    assert page.locator(".map-name").inner_text() == "Chosen: Quarter A1"


def test_arrow_keys_choose_in_the_list_and_the_map_follows(visit: Visit, places: Asked) -> None:
    page = at_home(visit(), places).page
    page.locator("#answer-1-0").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert chosen(page) == ["answer-1-1"]
    assert page.locator(".map-name").inner_text() == "Chosen: Quarter A2"
    assert page.locator(".map-frame .chosen").get_attribute("d")
    assert page.locator(".map-frame .chosen-sign").get_attribute("d")


def test_a_click_on_the_map_chooses_in_the_list(visit: Visit, places: Asked) -> None:
    page = at_home(visit(), places).page
    page.get_by_label("Search").fill("harbour")
    page.mouse.click(*centre(page, 13))
    assert chosen(page) == ["answer-1-13"]
    assert page.locator(".map-name").inner_text() == "Chosen: Quarter D2"
    # North is up: the first row of names lies at the bottom.
    assert centre(page, 0)[1] > centre(page, 3)[1]
    box = page.locator(".map-frame svg").bounding_box()
    assert box
    page.mouse.click(box["x"] + 3, box["y"] + 3)
    assert chosen(page) == ["answer-1-13"]


def test_the_regions_are_named_on_the_map(visit: Visit, places: Asked) -> None:
    page = at_home(visit(viewport={"width": 390, "height": 844}), places).page
    names = page.locator(".map-frame text:not([hidden])")
    assert names.all_text_contents() == ["Harbour", "Station"]
    page.locator(".map-frame svg").scroll_into_view_if_needed()
    drawing = page.locator(".map-frame svg").bounding_box()
    boxes = [name.bounding_box() for name in names.all()]
    assert drawing
    for box in boxes:
        assert box
        assert box["height"] >= 13
        assert drawing["x"] <= box["x"] <= drawing["x"] + drawing["width"] - box["width"]
    # A name is no obstacle: a click on it chooses the cell beneath.
    harbour = boxes[0]
    assert harbour
    page.mouse.click(harbour["x"] + harbour["width"] / 2, harbour["y"] + harbour["height"] / 2)
    assert len(chosen(page)) == 1
    # As large on the screen when the map is near.
    page.get_by_role("button", name="Zoom in").click()
    sizes = page.locator(".map-frame text").evaluate_all(
        "all => all.map(e => Number(e.getAttribute('font-size')))"
    )
    assert sizes == pytest.approx([0.04 * view_of(page)[2]] * 2, abs=0.01)


def test_the_place_under_the_mouse_is_named(home: Page) -> None:
    name = home.locator(".map-name")
    assert name.inner_text() == "No place is chosen."
    home.mouse.move(*centre(home, 6))
    assert name.inner_text() == "Quarter B3"
    assert home.locator(".map-frame .hovered").get_attribute("d")
    home.mouse.move(1, 1)
    assert name.inner_text() == "No place is chosen."


def test_the_map_zooms_and_moves_by_buttons_keys_wheel_and_drag(visit: Visit, places: Asked) -> None:
    page = at_home(visit(), places).page
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
    assert view_of(page)[0] > near[0]
    assert view_of(page)[1] < near[1]
    before = view_of(page)
    x, y = centre(page, 5)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y - 30, steps=4)
    page.mouse.up()
    assert view_of(page)[0] > before[0]
    assert view_of(page)[1] > before[1]
    assert chosen(page) == []
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert view_of(page) == whole
    page.mouse.wheel(0, -200)
    assert view_of(page) == whole
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    assert view_of(page)[2] < whole[2]


def test_a_missing_place_is_asked_for_and_the_search_gets_the_focus(visit: Visit, places: Asked) -> None:
    visitor = visit()
    respondent = at_home(visitor, places)
    page = respondent.page
    respondent.press("Continue")
    summary = page.locator(".error-summary")
    expect(summary).to_be_focused()
    assert summary.get_by_role("button").inner_text() == "Select a place from the list"
    visitor.check()
    summary.get_by_role("button").click()
    expect(page.get_by_label("Search")).to_be_focused()


def test_the_browser_remembers_neither_search_nor_place(home: Page) -> None:
    search = home.get_by_label("Search")
    wanted = {"type": "search", "autocomplete": "off", "spellcheck": "false", "name": None}
    assert {name: search.get_attribute(name) for name in wanted} == wanted
    expect(home.locator("form")).to_have_count(0)
    expect(home.locator("input[type=radio]:not([autocomplete=off])")).to_have_count(0)


def test_a_place_is_asked_and_told_in_chinese(visit: Visit, places: Asked) -> None:
    visitor = visit()
    respondent = at_home(visitor, places)
    page = respondent.page
    page.check("#answer-1-0")
    page.get_by_role("button", name="中文").click()
    assert page.locator(".place-group h2").all_inner_texts()[:2] == ["港口", "车站"]
    assert chosen(page) == ["answer-1-0"]
    page.locator("#search-1").fill("车站")
    expect(page.locator(".place-list input")).to_have_count(4)
    another_language(page)


def test_the_sign_before_the_chosen_place_is_translated(visit: Visit, places: Asked) -> None:
    visitor = visit()

    def with_words(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"Chosen:"', '"Gewählt ·"'))

    visitor.page.route(f"**{places.address}", with_words)
    page = at_home(visitor, places).page
    page.check("#answer-1-0")
    assert page.locator(".map-name").inner_text() == "Gewählt · Quarter A1"


def test_right_to_left_leaves_the_map_as_it_is(visit: Visit, places: Asked) -> None:
    page = at_home(visit(), places).page
    page.evaluate("document.documentElement.dir = 'rtl'")
    page.mouse.click(*centre(page, 13))
    assert chosen(page) == ["answer-1-13"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_preview_asks_for_a_place_and_sends_nothing(visit: Visit, places: Asked, product: Product) -> None:
    shown = render_to_string("intake/answer.html", respondent_context(places.design, "preview"))
    page = visit().page
    page.route("**/preview", lambda route: route.fulfill(body=shown, content_type="text/html"))
    page.goto(product.url + "/preview")
    respondent = Respondent(page)
    respondent.answer({0: 0, 1: 0, 2: 0})
    respondent.send()
    page.get_by_role("heading", name="Preview: nothing was sent").wait_for()
    assert inbox(product, places) == []


# --- A question with as many places as there may be, and the outline of land below them


def test_four_thousand_places_are_shown_two_hundred_at_a_time(visit: Visit, product: Product) -> None:
    visitor = visit()
    respondent = Respondent(visitor.go(asked(product, "many places").address))
    respondent.begin()
    page = respondent.page
    rows = page.get_by_role("radio")
    expect(rows).to_have_count(200)
    assert page.locator("#places-shown").inner_text() == "Places shown: 200 of 4,096"
    respondent.press("Show more places")
    expect(rows).to_have_count(400)
    page.get_by_label("Search").fill("parish 4095")
    expect(rows).to_have_count(1)
    rows.first.check()
    page.get_by_label("Search").fill("")
    expect(rows).to_have_count(201)
    assert chosen(page) == ["answer-0-4095"]
    visitor.check()


def test_the_outline_of_land_is_drawn_where_the_places_are(visit: Visit, product: Product) -> None:
    survey = asked(product, "many places")
    visitor = visit()

    def with_land(route: Route) -> None:
        answer = route.fetch()
        page = re.sub('"land":"[^"]*"', '"land":"M0 0h63v63h-63z"', answer.text())
        route.fulfill(response=answer, body=page)

    visitor.page.route(f"**{survey.address}", with_land)
    respondent = Respondent(visitor.go(survey.address))
    respondent.begin()
    land, cells = (
        respondent.page.locator(f".map-frame {name}").last.bounding_box() for name in (".land", ".cells")
    )
    assert land
    assert cells
    # Parish 0 stands at 0, 0 and the last one at 63, 63, each in the middle of its disc.
    assert land["x"] > cells["x"] - 20
    assert land["y"] == pytest.approx(cells["y"], abs=20)
    assert land["width"] == pytest.approx(cells["width"], abs=20)


# --- What is said of a place after its question


def test_the_check_and_the_receipt_say_places_in_words(
    visit: Visit, product: Product, places: Asked, tmp_path: Path
) -> None:
    visitor = visit()
    # Home: near, from 738 on Quarter A2. Work: from 1,800 of 2,000 sides on the first place of the yard.
    throws(visitor.page, [800, 1800])
    page = visitor.go(places.address)
    respondent = Respondent(page)
    respondent.answer({0: 0, 1: 0, 2: 5})
    summary = page.locator(".summary > div").all_inner_texts()
    assert "Quarter A1" in summary[2]
    assert "What could be sent: a place near it, or any place inside the regions." in summary[2]
    assert "What could be sent: this place, which then counts as not disguised" in summary[3]
    assert (
        "or one near it" in page.locator(".illustration").inner_text()
        or "any place inside" in page.locator(".illustration").inner_text()
    )
    respondent.deliver()
    said = [
        "Employed not disguised",
        "Quarter A2, perhaps drawn at random",
        "Stop 1, perhaps drawn at random",
    ]
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == said
    assert inbox(product, places) == ["10011"]
    receipt, design = saved(page, "Save the receipt", tmp_path), saved(page, "Save the design", tmp_path)
    page = visit().go("/a/receipt")
    assert check(page, receipt, design) == "This is a possible record of the design."
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == said


def test_a_receipt_says_that_a_place_outside_goes_out_as_it_is(visit: Visit, places: Asked) -> None:
    visitor = visit()
    throws(visitor.page, [0, 0])
    page = visitor.go(places.address)
    respondent = Respondent(page)
    respondent.answer({0: 0, 1: 15, 2: 1})
    respondent.deliver()
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == [
        "Employed not disguised",
        "Quarter D4 not disguised",
        "Stop 1, perhaps drawn at random",
    ]
