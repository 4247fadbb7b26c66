"""The reports of surveys that ask numbers and places, and of studies."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.conftest import Visit, open_visitor
from tests.browser.test_reports import drawings, wait_for_report
from tests.browser.test_runs import start
from tests.browser.visiting import (
    PHONE,
    Profiles,
    Visitor,
    another_language,
    box_of,
    desk,
    fits_a_phone,
    open_fold,
    press_key_on,
    shell,
    tab_to,
    walk_page,
)
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]

MADE = """
from reports.models import Review
from reports.review import report_state_changes
from tests.reports import made_nodes
from tests.surveys.conftest import NOW
run = made_nodes.{kind}_run(made_nodes.{kind}_survey(robin))
report_state_changes.create_reviews_of_finished_runs(NOW)
print(f"report={{Review.objects.get(run=run).pk}}.")
"""


def make_report_of_kind(product: Product, kind: str) -> int:
    """The number of a report that waits: of a run made by hand."""
    said = shell(product, MADE.format(kind=kind))
    found = re.search(r"report=(\d+)\.", said)  # a letter is printed too
    assert found, said
    return int(found[1])


# --- numbers

PICTURES = 2
"""Of the one distribution everybody, and by age."""


@pytest.fixture(scope="module")
def numbers_report(product: Product) -> int:
    return make_report_of_kind(product, "numbers")


def test_number_pages_are_accessible(ruth: Visitor, numbers_report: int) -> None:
    page = ruth.go(desk(numbers_report, "numbers"))
    drawings(page, 0)
    ruth.check()
    page.get_by_role("link", name="What do you earn?").click()
    figures = drawings(page, PICTURES)
    ruth.check()
    titles = [figure.locator("h3").inner_text() for figure in figures.all()]
    assert len(set(titles)) == PICTURES
    for figure, title in zip(figures.all(), titles, strict=True):
        expect(figure.get_by_role("img")).to_have_accessible_name(title)
        figure.locator("summary").click()
        expect(figure.get_by_role("region", name=title)).to_be_visible()
    for tab in ("report", "groups"):
        page = ruth.go(desk(numbers_report, tab))
        expect(page.get_by_text("500 euros or more").first).to_be_visible()
        expect(page.get_by_text("debt=>=500")).to_have_count(0)
        fits_a_phone(page)
    open_fold(ruth.go(desk(numbers_report, "report")), "All numbers, by group and as pictures")
    expect(page.get_by_role("heading", name="Sensitive numbers")).to_be_visible()


# --- places

MAPS = 5
"""Drawings of the page: shares, as received, the illustration, and a panel for each of two classes."""
ENLARGE = re.compile("^Enlarge")


@pytest.fixture(scope="module")
def places_report(product: Product) -> int:
    """One that no test decides on."""
    return make_report_of_kind(product, "places")


@dataclass
class Map:
    """The first one of the page: its figure, the group that takes the keys, and the drawing."""

    figure: Locator

    def __post_init__(self) -> None:
        self.keys, self.drawing = self.figure.locator("[data-panels]"), self.figure.locator("svg[role=img]")
        self.whole = self.visible_range

    @property
    def visible_range(self) -> tuple[float, float]:
        """Where what is shown begins on the left, and how wide it is."""
        left, _top, width, _height = (self.drawing.get_attribute("viewBox") or "").split()
        return float(left), float(width)


@pytest.fixture
def first_map(visit: Visit, places_report: int) -> Map:
    return Map(visit("reviewer").go(desk(places_report, "places")).locator("figure[data-map]").first)


def test_place_pages_are_accessible_and_fit_phone_and_paper(ruth: Visitor, places_report: int) -> None:
    page = ruth.go(desk(places_report, "places"))
    expect(page.locator("svg.map[viewBox][role=img]")).to_have_count(MAPS)
    ruth.check()
    for name in ("Shares of regions", "Observed (disguised)", "Illustration"):
        expect(page.get_by_role("img", name=f"{name} · Where do you live?", exact=True)).to_be_visible()
    enlarge = page.locator(".place-map").get_by_role("button", name=ENLARGE)
    expect(enlarge.first).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("svg[role=img]").first).to_be_visible()
    expect(page.get_by_role("list", name="Legend").first).to_be_visible()
    expect(enlarge).to_have_count(0)
    sizes = "all => new Set(all.map(e => getComputedStyle(e).fontSize)).size"
    assert page.locator(".table :is(th, td > div, strong, .beside)").evaluate_all(sizes) == 1


def test_a_map_has_lines_a_legend_and_controls(visit: Visit, places_report: int) -> None:
    for options, least in (({}, 24), ({"viewport": PHONE, "has_touch": True}, 44)):
        page = visit("reviewer", **options).go(desk(places_report, "places"))
        found = Map(page.locator("figure[data-map]").first)
        around = box_of(found.drawing)
        for name in ("Enlarge", "Reduce"):
            label = f"{name}: Shares of regions · Where do you live?"
            box = box_of(page.get_by_role("button", name=label, exact=True))
            assert min(box["width"], box["height"]) >= least
            assert around["x"] <= box["x"] <= around["x"] + around["width"] - box["width"]
            bottom = around["y"] + around["height"]
            # On a phone they are as wide as a region, so they stand below the drawing.
            assert box["y"] >= bottom if options else around["y"] <= box["y"] <= bottom - box["height"]
        if not options:
            regions = found.drawing.locator(".region")
            expect(regions).to_have_count(2)
            style = "e => [getComputedStyle(e).paintOrder, getComputedStyle(e).strokeWidth]"
            assert [one.evaluate(style) for one in regions.all()] == [["stroke", "4px"]] * 2
            tops = [box_of(each)["y"] for each in page.locator(".tint-legend").first.locator("li").all()]
            assert tops[0] == tops[1] >= around["y"] + around["height"] + 12


def test_a_map_is_enlarged_and_moved_by_keys_which_are_said_where_they_work(first_map: Map) -> None:
    keyboard, said = first_map.figure.page.keyboard, first_map.figure.page.locator(".map-keys").first
    expect(said).to_be_hidden()
    first_map.keys.press("Shift")
    expect(said).to_be_visible()
    keyboard.press("+")
    before, width = first_map.visible_range
    assert width == pytest.approx(first_map.whole[1] / 1.5)
    keyboard.press("ArrowRight")
    assert first_map.visible_range[0] > before
    for _press in range(9):
        keyboard.press("ArrowRight")
    assert sum(first_map.visible_range) == pytest.approx(first_map.whole[1])
    keyboard.press("0")
    assert first_map.visible_range == first_map.whole


def test_a_map_is_enlarged_by_controls_and_where_somebody_points_and_is_dragged(first_map: Map) -> None:
    page, drawing, figure = first_map.figure.page, first_map.drawing, first_map.figure
    whole = first_map.whole[1]
    figure.get_by_role("button", name=ENLARGE).click()
    before, width = first_map.visible_range
    assert width < whole
    drawing.scroll_into_view_if_needed()
    box = box_of(drawing)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 40, box["y"] + 50, steps=4)
    page.mouse.up()
    assert first_map.visible_range[0] > before
    figure.get_by_role("button", name=re.compile("^Reduce")).click()
    assert first_map.visible_range == first_map.whole
    # A double click a quarter from the left leaves what lies there where it is.
    page.mouse.dblclick(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    left, width = first_map.visible_range
    assert width == pytest.approx(whole / 1.5)
    assert left + width / 4 == pytest.approx(whole / 4)
    # A wheel alone scrolls the page; with Control it zooms.
    scrolled = page.evaluate("scrollY")
    page.mouse.wheel(0, 60)
    page.wait_for_function("before => scrollY !== before", arg=scrolled)
    assert first_map.visible_range[1] == width
    page.keyboard.down("Control")
    page.mouse.wheel(0, 60)
    page.keyboard.up("Control")
    servers.wait(lambda: first_map.visible_range[1] == whole, "the whole map")
    # All panels of a map show the same part.
    figure = page.locator("figure[data-map]").last
    panels = figure.locator("svg[role=img]")
    expect(panels).to_have_count(2)
    figure.get_by_role("button", name=ENLARGE).click()
    assert len({panel.get_attribute("viewBox") for panel in panels.all()}) == 1


def test_pictures_are_drawn_without_a_script(visit: Visit, numbers_report: int, places_report: int) -> None:
    visitor = visit("reviewer", java_script_enabled=False)
    page = visitor.go(desk(numbers_report, "numbers?question=3"))
    for figure in drawings(page, PICTURES).all():
        expect(figure.locator("svg.plot").first).to_be_visible()
        expect(figure.locator("table")).to_be_hidden()
        figure.get_by_text("The numbers as a table").click()
        expect(figure.locator("table")).to_be_visible()
    visitor.go(desk(places_report, "places"))
    expect(page.locator("svg[role=img]").first).to_be_visible()
    expect(page.get_by_role("button", name=ENLARGE)).to_have_count(0)
    page.get_by_text("The numbers as a table").first.click()
    expect(page.locator("figure table").first).to_be_visible()


# --- The pages *Study* and *Models* of a report and *Models* of a run

STUDY = """
from tests.runs import sealed
print(sealed.study_survey(robin, sealed.study(plan=sealed.PLAN), [1500, 1000]).pk)
"""
CUT_OFF = """() => [...document.querySelectorAll("main table")].filter(table => table.checkVisibility())
    .filter(table => { const frame = table.closest("[role=region]") ?? table.parentElement;
        return frame.scrollWidth > frame.clientWidth + 1; })
    .map(table => table.closest("[aria-label]")?.getAttribute("aria-label"))"""
UNDER_LABEL = """() => [...document.querySelectorAll("main [data-label] > span:only-child")]
    .filter(span => span.checkVisibility())
    .filter(span => span.getBoundingClientRect().top > span.parentElement.getBoundingClientRect().top + 8)
    .map(span => span.textContent.trim())"""


@dataclass(frozen=True)
class StudyReport:
    run: str
    number: int


@pytest.fixture(scope="module")
def study(product: Product, profiles: Profiles) -> StudyReport:
    """A run with one model, which no test decides on."""
    survey = shell(product, STUDY)
    with open_visitor(profiles, product, "researcher") as robin:
        page = robin.go(f"/app/surveys/{survey}/runs")
        number = start(page, min_support="10", min_confidence="50")
        expect(page.get_by_role("heading", name="Result")).to_be_visible()
        page.get_by_role("link", name="Models", exact=True).click()
        page.locator("select[name=item]").select_option("theft=yes")
        for covariate in ("age", "arm"):
            page.locator(f"select[name=covariate_{covariate}]").select_option("categories")
        page.get_by_role("button", name="Estimate the model").click()
        expect(page.get_by_text("A reviewer sees whether the model could be fitted")).to_be_visible()
    with open_visitor(profiles, product, "reviewer") as ruth:
        wait_for_report(ruth, number, "models")
    return StudyReport(f"/app/runs/{number}/models", number)


def assert_fits_phone(page: Page) -> None:
    """No table is cut off on a phone, and no value stands below its own name."""
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT_OFF) == []
        assert page.evaluate(UNDER_LABEL) == []
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("tab", ["study", "models"])
def test_study_and_model_tabs_fit_phone_zoom_and_paper(visit: Visit, study: StudyReport, tab: str) -> None:
    ruth = visit("reviewer")
    page = ruth.go(desk(study.number, tab))
    page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")
    walk_page(ruth)
    assert_fits_phone(page)
    page.click("button[name=language][value=zh-hans]")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    another_language(page)
    assert_fits_phone(page)
    # On paper a column of words needs no width of its own.
    page.emulate_media(media="print")
    widths = "all => [...new Set(all.map(e => getComputedStyle(e).minWidth))]"
    assert page.locator(".table th.words").evaluate_all(widths) == ["0px"]


def test_model_pages_fit_in_both_languages(robin: Visitor, study: StudyReport) -> None:
    page = robin.go(study.run)
    page.evaluate("document.querySelectorAll('#main details').forEach(e => { e.open = true })")
    walk_page(robin)
    page.click("button[name=language][value=zh-hans]")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    another_language(page)


def test_model_is_decided_by_keyboard(visit: Visit, study: StudyReport) -> None:
    page = visit("reviewer").go(desk(study.number, "models"))
    tab_to(page, page.get_by_role("radio", name="Accept"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    press_key_on(page, page.get_by_role("button", name="Save decision"))
    expect(page.locator("#model-1 .badge")).to_have_text("needs more data")
