"""The languages of a survey in the builder: found by searching, and fixed sentences that are translated."""

import pytest
from playwright.sync_api import expect

from tests.browser.building import Make, maker, saved
from tests.browser.conftest import Visit
from tests.builder.written import question, sensitive
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def test_a_language_is_found_by_any_of_its_names_and_chosen_by_keyboard(visit: Visit, make: Make) -> None:
    page = visit("researcher").go(f"{make(sensitive(question('debt'))).path}/edit/translations")
    field = page.get_by_role("combobox", name="Add a language")
    options = page.get_by_role("option")
    for typed, found in {
        "germ": "Deutsch",
        "francais": "français",
        "(pt)": "Português",
        "日本": "日本語",
    }.items():
        field.fill(typed)
        expect(options.first).to_contain_text(found)
    field.fill("portug")
    expect(options).to_have_count(2)
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("Português Brasileiro · Brazilian Portuguese (pt-br)")
    expect(options).to_have_count(0)
    field.press("Enter")
    page.wait_for_url("**/translations?to=pt-br")
    field.fill("nonsense")
    expect(page.get_by_text("No language matches. Give its code.")).to_be_visible()


def test_a_mark_is_inserted_by_its_button_and_the_list_counts(visit: Visit, make: Make) -> None:
    draft = make(sensitive(question("debt")), languages=["en", "pt"])
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit/translations?to=pt")
    # Of all sentences one is enough.
    visitor.check(within="#phrases-pt > :not([role=group]), #phrase-minutes")
    visitor.shoot("languages-phrases")
    progress = page.locator("[data-progress]")
    expect(progress).to_contain_text("0 of")
    row = page.locator("#phrase-minutes")
    field = row.locator("[name=words]")
    field.fill("Cerca de ")
    expect(page.locator("[data-saved]")).to_contain_text("{minutes} is missing")
    field.press("End")
    row.get_by_role("button", name="Insert {minutes}").click()
    expect(field).to_have_value("Cerca de {minutes}")
    saved(page)
    assert draft.stored["phrases"] == {"minutes": {"pt": "Cerca de %(minutes)s"}}
    field.blur()
    expect(progress).to_contain_text("1 of")
