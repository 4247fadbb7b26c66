"""The report of a survey that asks a place, in a real browser: reviewed, published, read, printed and withdrawn."""

import json
import re
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.conftest import Visit, Visitor
from tests.browser.roads import another_language
from tests.browser.test_reports import desk
from tests.product import Product

pytestmark = pytest.mark.browser

MADE = """
from reports.review import publishing
from reports.models import Review
from accounts.models import Person
from tests.reports import made_places
from tests.surveys.conftest import NOW
run = made_places.run(made_places.survey(Person.objects.get(username="demo-researcher")))
publishing.add_finished_runs(NOW)
print(f"report={Review.objects.get(run=run).pk}.")
"""
MAP = "svg.map[viewBox][role=img]"
MAPS = 5
"""Drawings of the page: shares, as received, the illustration, and a panel for each of two classes."""


def made(product: Product) -> int:
    """The number of a report that waits: of a run made by hand."""
    said = servers.manage(product.env, "shell", "--verbosity=0", "-c", MADE)
    found = re.search(r"report=(\d+)\.", said)  # a letter is printed too
    assert found, said
    return int(found[1])


@pytest.fixture(scope="module")
def waiting(product: Product) -> int:
    """One that no test decides on."""
    return made(product)


def look(visitor: Visitor, path: str, name: str) -> Page:
    page = visitor.go(path)
    expect(page.locator(MAP)).to_have_count(MAPS)
    visitor.check()
    visitor.shoot(f"reports-{name}")
    return page


def first_map(page: Page) -> tuple[Locator, Locator]:
    """The group that takes the keys, and its drawing."""
    figure = page.locator("figure[data-map]").first
    return figure.locator("[data-panels]"), figure.locator("svg[role=img]")


def width(drawing: Locator) -> float:
    return float((drawing.get_attribute("viewBox") or "").split()[2])


def left(drawing: Locator) -> float:
    return float((drawing.get_attribute("viewBox") or "").split()[0])


def test_maps_are_reviewed_published_read_taken_away_and_withdrawn(visit: Visit, product: Product) -> None:
    report = made(product)
    ruth, robin = visit("reviewer"), visit("researcher")
    page = ruth.go(desk(report, "report"))
    tabs = page.get_by_role("navigation", name="Report", exact=True)
    tabs.get_by_role("link", name="Places").click()
    expect(page.get_by_role("heading", name="Sensitive places")).to_be_visible()
    tabs.get_by_role("link", name="Publish").click()
    expect(page.get_by_text("The maps of sensitive places are published with them.")).to_be_visible()
    page.get_by_label("How old are you?").check()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".toast")).to_contain_text("Published.")

    page = robin.go(f"/reports/{report}/places")
    expect(page.locator(MAP)).to_have_count(MAPS)
    robin.shoot("reports-places")
    expect(page.get_by_role("region", name="Where do you live?", exact=True)).to_contain_text("The north")
    page.goto(re.sub(r"/places$", "/files", page.url))
    with page.expect_download() as download:
        page.get_by_role("link", name="GeoJSON").click()
    with ZipFile(download.value.path()) as files:
        regions = json.loads(files.read("1-home-regions.geojson"))["features"]
    assert [one["properties"]["name"] for one in regions] == ["north", "south", "elsewhere"]

    page = ruth.go(desk(report, "withdraw"))
    page.get_by_role("textbox").fill("The map was wrong.")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(".toast")).to_contain_text("Withdrawn.")
    answer = robin.page.goto(f"{product.url}/reports/{report}/places")
    assert answer
    assert answer.status == 403


def test_the_page_of_places_is_accessible_and_fits_a_phone_and_paper(visit: Visit, waiting: int) -> None:
    visitor = visit("reviewer")
    page = look(visitor, desk(waiting, "places"), "places-desk")
    for name in ("Shares of regions", "Observed (disguised)", "Illustration"):
        drawing = page.get_by_role("img", name=f"{name} · Where do you live?", exact=True)
        expect(drawing).to_be_visible()
    enlarge = page.locator(".place-map").get_by_role("button", name=re.compile("^Enlarge"))
    expect(enlarge.first).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("svg[role=img]").first).to_be_visible()
    expect(page.get_by_role("list", name="Legend").first).to_be_visible()
    expect(enlarge).to_have_count(0)
    sizes = page.locator(".table :is(th, td > div, strong, .beside)").evaluate_all(
        "all => all.map(e => getComputedStyle(e).fontSize)"
    )
    assert len(set(sizes)) == 1
    visitor.shoot("reports-places-print")


def test_a_map_has_areas_with_lines_around_them_and_a_legend_below(visit: Visit, waiting: int) -> None:
    page = visit("reviewer").go(desk(waiting, "places"))
    _keys, drawing = first_map(page)
    regions = drawing.locator(".region")
    expect(regions).to_have_count(2)
    style = "e => [getComputedStyle(e).paintOrder, getComputedStyle(e).strokeWidth]"
    assert [one.evaluate(style) for one in regions.all()] == [["stroke", "4px"]] * 2
    boxes = (
        page.locator(".tint-legend")
        .first.locator("li")
        .evaluate_all("all => all.map(e => e.getBoundingClientRect().top)")
    )
    assert boxes[0] == boxes[1]
    box = drawing.bounding_box()
    assert box
    assert boxes[0] >= box["y"] + box["height"] + 12


def test_a_map_is_enlarged_and_moved_by_keys(visit: Visit, waiting: int) -> None:
    page = visit("reviewer").go(desk(waiting, "places"))
    keys, drawing = first_map(page)
    whole = width(drawing)
    keys.focus()
    page.keyboard.press("+")
    assert width(drawing) == pytest.approx(whole / 1.5)
    before = left(drawing)
    page.keyboard.press("ArrowRight")
    assert left(drawing) > before
    for _press in range(9):
        page.keyboard.press("ArrowRight")
    assert left(drawing) + width(drawing) == pytest.approx(whole)
    page.keyboard.press("0")
    assert (left(drawing), width(drawing)) == (0, whole)


def test_a_map_is_enlarged_by_buttons_and_dragged(visit: Visit, waiting: int) -> None:
    page = visit("reviewer").go(desk(waiting, "places"))
    _keys, drawing = first_map(page)
    whole = width(drawing)
    figure = page.locator("figure[data-map]").first
    figure.get_by_role("button", name=re.compile("^Enlarge")).click()
    assert width(drawing) < whole
    drawing.scroll_into_view_if_needed()
    box, before = drawing.bounding_box(), left(drawing)
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 40, box["y"] + 50, steps=4)
    page.mouse.up()
    assert left(drawing) > before
    figure.get_by_role("button", name=re.compile("^Whole map")).click()
    assert width(drawing) == whole
    # All panels of a map show the same part.
    figure = page.locator("figure[data-map]").last
    expect(figure.locator("svg[role=img]")).to_have_count(2)
    figure.get_by_role("button", name=re.compile("^Enlarge")).click()
    one, other = (width(drawing) for drawing in figure.locator("svg[role=img]").all())
    assert one == other


def test_without_a_script_maps_are_drawn_and_their_buttons_are_not(visit: Visit, waiting: int) -> None:
    page = visit("reviewer", java_script_enabled=False).go(desk(waiting, "places"))
    expect(page.locator("svg[role=img]").first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Enlarge"))).to_have_count(0)
    page.get_by_text("The numbers as a table").first.click()
    expect(page.locator("figure table").first).to_be_visible()


def test_places_are_read_in_chinese(visit: Visit, waiting: int) -> None:
    visitor = visit("reviewer")
    page = visitor.go(desk(waiting, "places"))
    page.click("button[name=language][value=zh-hans]")
    expect(page.get_by_role("heading", name=re.compile("您住在哪里"), level=2)).to_be_visible()
    another_language(page)
    visitor.shoot("reports-places-chinese")
