"""The builder in a browser that runs no script."""

import pytest
from playwright.sync_api import expect

from tests.browser.building import Make, block, maker, usual
from tests.browser.conftest import Visit, Visitor, unfold
from tests.builder.placed import place
from tests.builder.written import classes, plain, question, sensitive
from tests.product import Product

pytestmark = pytest.mark.browser


def test_everything_works_without_a_script(visit: Visit, product: Product) -> None:
    visitor, make = visit("researcher", java_script_enabled=False), maker(product)
    questions_and_protection(visitor, make)
    numbers(visitor, make)
    regions_of_a_place(visitor, make)


def questions_and_protection(visitor: Visitor, make: Make) -> None:
    draft = make(*usual())
    page = visitor.go(f"{draft.path}/edit")
    page.get_by_role("link", name="age?").click()
    page.fill("textarea[name=text]", "How old?")
    page.get_by_label("Kind", exact=True).select_option("scale")
    page.get_by_role("button", name="Change the kind").click()
    page.fill("input[name=label-0]", "very young")
    page.get_by_role("button", name="Add an answer").click()
    page.fill("input[name=label-2]", "very old")
    page.get_by_role("button", name="Done").click()
    age = draft.stored["sections"][0]["questions"][0]
    assert (age["form"], age["text"]) == ("scale", {"en": "How old?"})
    assert [choice["label"]["en"] for choice in age["choices"]] == ["very young", "old", "very old"]
    block(page, "How old?").get_by_role("button", name="down").click()
    assert draft.names[0][:2] == ["work", "age"]
    before = draft.stored
    page.locator("#section-0").get_by_role("button", name="Delete section 1").click()
    expect(page.locator(".toast.error")).to_contain_text("is shown only after certain answers")
    page.locator("#section-1").get_by_role("button", name="Delete section 2").click()
    expect(page.locator(".sheet")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    assert draft.stored == before
    page.locator(".builder-bar").get_by_role("link", name="Protection").click()
    page.fill("input[name=keep-1]", "30")
    page.get_by_role("button", name="Save and show").click()
    expect(page.locator("#results-1 .verdict")).to_contain_text("About 3 in 10 times")
    assert draft.stored["sections"][1]["keep"] == "0.3000"


def numbers(visitor: Visitor, make: Make) -> None:
    draft = make(classes("debt", 0, 500, 1000))
    page = visitor.go(f"{draft.path}/edit?open=debt")
    page.fill("[name=limit-0]", "1500")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".error-summary")).to_contain_text("1000 lies below the last limit, 1500")
    page.fill("[name=limit-0]", "400")
    page.get_by_label("What do you want to learn?").select_option("mean")
    page.get_by_role("button", name="Change what you learn").click()
    assert draft.stored["sections"][0]["questions"][0]["wanted"] == "mean"
    page.get_by_role("button", name="Delete limit 20").click()
    page.get_by_role("button", name="Delete limit 19").click()
    page.get_by_role("button", name="Add a limit").click()
    assert len(draft.stored["sections"][0]["questions"][0]["limits"]) == 19


def regions_of_a_place(visitor: Visitor, make: Make) -> None:
    draft = make(plain(question("work", "employed", "none")), place("home"), sensitive(question("theft")))
    page = visitor.go(f"{draft.path}/edit?open=home")
    unfold(page, "Cells of region 2")
    page.locator('[name=in-1][value="A3"]').check()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".error-summary")).to_contain_text("“A3” lies in region 1 already.")
    page.locator('[name=in-1][value="A3"]').uncheck()
    page.locator('[name=in-1][value="C1"]').check()
    page.get_by_role("button", name="Add a region").click()
    regions = draft.stored["sections"][1]["questions"][0]["regions"]
    assert {each["name"]: each["cells"] for each in regions} == {
        "north": ["A3", "B3", "C3", "D3"],
        "south": ["A1", "B1", "C1"],
        "region-1": [],
    }
