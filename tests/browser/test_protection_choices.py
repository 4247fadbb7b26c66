"""The protection of a questionnaire is chosen in words."""

import pytest
from playwright.sync_api import Page, expect

from privacy.guarantee.presets import DEFAULT
from surveys.kinds.presets import with_preset
from tests.browser.building import Draft, saved, tab_to
from tests.browser.conftest import Visit, Visitor
from tests.builder.written import draft as written, question, sensitive
from tests.product import Product

pytestmark = pytest.mark.browser


def following(product: Product) -> Draft:
    sections = [sensitive(*(question(f"p{part}q{row}") for row in range(4))) for part in range(2)]
    return Draft(product, with_preset(written(*sections, expected=1000), DEFAULT).as_json())


def test_a_protection_is_chosen_in_words(visit: Visit, product: Product) -> None:
    draft = following(product)
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit/protection")
    a_preset_is_chosen_by_keyboard_and_taken_back(page, draft)
    an_expected_share_moves_the_margins_while_it_is_typed(page, draft)
    a_merging_is_named_and_agreed_to_before_it_happens(visitor, draft)


def a_preset_is_chosen_by_keyboard_and_taken_back(page: Page, draft: Draft) -> None:
    expect(page.get_by_text("ε", exact=True).first).to_be_hidden()
    expect(page.locator("#presets [aria-pressed=true]")).to_contain_text("Balanced")
    tab_to(page, page.get_by_role("button", name="Use this protection Stronger"))
    page.keyboard.press("Enter")
    expect(page.locator("#presets [aria-pressed=true]")).to_contain_text("Stronger")
    expect(page.locator("#person-results .verdict")).to_contain_text("25.0\u00a0%")
    assert {section["preset"] for section in draft.stored["sections"]} == {"stronger"}
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#presets [aria-pressed=true]")).to_contain_text("Balanced")
    page.wait_for_load_state()  # it is another page, whose fields do nothing before its scripts


def an_expected_share_moves_the_margins_while_it_is_typed(page: Page, draft: Draft) -> None:
    """Half the people: the same margin is a smaller part of the share."""
    relative = page.locator("#relative-0-0")
    before = relative.inner_text()
    field = page.get_by_label("Expected share (%): p0q0?")
    field.fill("50")
    expect(relative).not_to_have_text(before)
    expect(field).to_be_focused()
    saved(page)
    assert draft.stored["sections"][0]["questions"][0]["share"] == "0.5000"
    assert "preset" in draft.stored["sections"][0]


def a_merging_is_named_and_agreed_to_before_it_happens(visitor: Visitor, draft: Draft) -> None:
    page = visitor.page
    page.get_by_text("Or set a limit").click()
    merging = page.locator("#proposals > ul > li", has_text="are merged into one").first
    button = merging.get_by_role("button", name="Change the sections")
    expect(button).to_be_hidden()
    visitor.check()
    visitor.shoot("protection-proposals")
    shown = merging.locator(".preview dd").all_inner_texts()
    merging.get_by_text("Apply …").click()
    button.click()
    expect(page.locator("#person-results .verdict")).to_contain_text(shown[0])
    table = page.locator("#person-results tbody tr td:last-of-type, #person-results tbody td")
    for words in shown[1:]:
        expect(table.filter(has_text=words).first).to_be_visible()
    assert len(draft.stored["sections"]) == 1
