"""Sensitive places in the builder: regions drawn by keyboard and by pointer, on a phone, without a script."""

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.browser.building import Draft, Make, maker
from tests.browser.conftest import Visit, unfold
from tests.builder.placed import grid, place, region
from tests.builder.written import plain, question, sensitive
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def drawn(draft: Draft, section: int = 1) -> dict[str, list[str]]:
    regions: list[dict[str, Any]] = draft.stored["sections"][section]["questions"][0]["regions"]
    return {each["name"]: each["cells"] for each in regions}


def becomes(draft: Draft, regions: dict[str, list[str]]) -> None:
    """Autosave stores it soon; what the page says of an earlier save does not tell."""
    servers.wait(lambda: drawn(draft) == regions, f"{regions}")


def with_place(make: Make, **more: Any) -> Draft:
    return make(
        plain(question("work", "employed", "none")), place("home", **more), sensitive(question("theft"))
    )


def cell(page: Page, name: str) -> Locator:
    return page.locator(f'[data-cell="{name}"]')


def middle(of: Locator) -> tuple[float, float]:
    box = of.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_regions_are_drawn_with_the_pointer(visit: Visit, make: Make) -> None:
    draft = with_place(make)
    page = visit("researcher").go(f"{draft.path}/edit?open=home")
    page.get_by_role("radio", name="2 South").check()
    # On one of its own the stroke takes away.
    cell(page, "A1").click()
    becomes(draft, {"north": ["A3", "B3", "C3", "D3"], "south": ["B1"]})
    # Over the cells of another region: they change sides.
    page.mouse.move(*middle(cell(page, "A1")))
    page.mouse.down()
    for name in ("A2", "A3", "B3"):
        page.mouse.move(*middle(cell(page, name)), steps=4)
    page.mouse.up()
    expect(page.locator('[name=in-0][value="A3"]')).not_to_be_checked()
    expect(page.locator('[name=in-1][value="A3"]')).to_be_checked()
    expect(page.locator("[data-count]").nth(1)).to_have_text("5")
    becomes(draft, {"north": ["C3", "D3"], "south": ["A1", "B1", "A2", "A3", "B3"]})
    expect(page.locator(".number-results tbody tr").nth(1)).to_contain_text("5")


def test_the_form_of_a_place_looks_like_the_others(visit: Visit, make: Make) -> None:
    regions = [region("north", "A3", "B3", "C3", "D3", near=4, odds="4.19"), region("south", "A1", "B1")]
    page = visit("researcher").go(
        f"{make(plain(question('work')), place('home', *regions)).path}/edit?open=home"
    )
    assert page.locator("[name=draws]").first.evaluate("e => getComputedStyle(e).appearance") == "none"
    # The levels in two rows: near cells beside odds.
    tops = [middle(page.locator(f"[name={name}]"))[1] for name in ("near", "odds", "own-near", "own-odds")]
    assert tops[0] == tops[1] < tops[2] == tops[3]


def test_each_source_of_cells_stands_on_a_card_of_its_own(visit: Visit, make: Make) -> None:
    page = visit("researcher").go(f"{with_place(make).path}/edit/cells?key=home")
    cards = [
        page.get_by_role("region", name=name).locator("xpath=self::*[contains(@class, 'card')]")
        for name in ("A grid", "A map of your own", "A list of names")
    ]
    boxes = [card.bounding_box() for card in cards]
    assert all(one and next_ and one["y"] + one["height"] < next_["y"] for one, next_ in pairwise(boxes))


def test_a_tick_moves_a_cell_out_of_another_region(visit: Visit, make: Make) -> None:
    draft = with_place(make)
    page = visit("researcher").go(f"{draft.path}/edit?open=home")
    unfold(page, "Cells of region 2")
    page.locator('[name=in-1][value="A3"]').check()
    expect(page.locator('[name=in-0][value="A3"]')).not_to_be_checked()
    expect(cell(page, "A3")).to_have_attribute("data-region", "1")
    becomes(draft, {"north": ["B3", "C3", "D3"], "south": ["A1", "B1", "A3"]})


def test_many_cells_are_lines_and_the_map_writes_them(visit: Visit, make: Make) -> None:
    cells = [{**each, "shape": [[0, 0, 0]]} for each in grid(10, 60)]
    draft = with_place(make, cells=cells)
    page = visit("researcher").go(f"{draft.path}/edit?open=home")
    expect(page.locator(".block.open input[type=checkbox]")).to_have_count(0)
    unfold(page, "Cells of region 2")
    lines = page.locator("textarea[name=in-1]")
    expect(lines).to_have_value("A1\nB1")
    page.get_by_role("radio", name="2 South").check()
    cell(page, "E9").click()
    expect(lines).to_have_value("A1\nB1\nE9")
    becomes(draft, {"north": ["A3", "B3", "C3", "D3"], "south": ["A1", "B1", "E9"]})
