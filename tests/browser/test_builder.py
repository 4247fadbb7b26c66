"""The questionnaire in a real browser: by keyboard, by mouse, on a phone, without scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import Draft, Make, block, maker, saved, tab_to, usual
from tests.browser.conftest import Visit, axe
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def test_a_small_survey_is_built_with_the_keyboard_alone(visit: Visit, product: Product) -> None:
    page = visit("researcher").go("/surveys/new")
    tab_to(page, page.locator("input[name=title]"))
    page.keyboard.type("Work and worry")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/surveys/\d+/edit\?open=q1"))
    draft = Draft.__new__(Draft)
    draft.pk, draft.database = int(page.url.split("/")[-2]), product.var / "candor.sqlite3"

    expect(page.locator("#section-0 textarea[name=text]")).to_be_focused()
    page.keyboard.type("How old are you?")
    tab_to(page, page.locator("#section-0 input[name=label-0]"))
    page.keyboard.type("under 40")
    page.keyboard.press("Tab")
    tab_to(page, page.locator("#section-0 input[name=label-1]"))
    page.keyboard.type("40 to 59")
    page.keyboard.press("Enter")
    expect(page.locator("#section-0 input[name=label-2]")).to_be_focused()
    page.keyboard.type("60 or older")
    tab_to(page, page.locator("#section-0 .block button.primary"))
    page.keyboard.press("Enter")
    expect(page.locator("#section-0 .block h3 a")).to_be_focused()
    expect(page.locator("#section-0 .block h3")).to_have_text("How old are you?")

    tab_to(page, page.locator("#section-1-kind"))
    page.keyboard.type("How often")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#section-1 textarea[name=text]")).to_be_focused()
    page.keyboard.type("How often do you take something home?")
    saved(page)
    often = page.locator("#section-1 .block.open > .tools button").first
    tab_to(page, often)
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("question 1 of 2 in section 2")
    expect(page.locator("#section-1 .block.open > .tools button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("question 2 of 2 in section 1, sent as answered")
    expect(page.locator("#section-0 .block.open > .tools button").first).to_be_focused()
    tab_to(page, page.locator("#section-0 .block.open > .tools button").nth(1))
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("question 1 of 2 in section 2, disguised")

    assert [len(names) for names in draft.names] == [1, 2]
    age, often_asked = (draft.stored["sections"][number]["questions"][0] for number in (0, 1))
    assert [choice["label"]["en"] for choice in age["choices"]] == ["under 40", "40 to 59", "60 or older"]
    assert often_asked["text"] == {"en": "How often do you take something home?"}
    assert [choice["label"]["en"] for choice in often_asked["choices"]][::5] == ["Never", "Prefer not to say"]


def test_a_question_is_dragged_within_and_between_sections(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit")

    def drag(words: str, target: str, escape: bool = False) -> None:
        block(page, words).hover()
        grip = block(page, words).locator("[data-grip]").bounding_box()
        goal = block(page, target).bounding_box()
        assert grip
        assert goal
        page.mouse.move(grip["x"] + 5, grip["y"] + 5)
        page.mouse.down()
        page.mouse.move(goal["x"] + 60, goal["y"] + goal["height"] / 2)
        page.mouse.move(goal["x"] + 60, goal["y"] + goal["height"] - 3)
        if escape:
            page.keyboard.press("Escape")
        page.mouse.up()

    drag("age?", "work?", escape=True)
    expect(page.locator(".landing")).to_have_count(0)
    assert draft.names[0][0] == "age"
    drag("age?", "work?")
    expect(page.locator("[data-said]")).to_contain_text("question 2 of 3 in section 1")
    assert draft.names[0][:2] == ["work", "age"]
    drag("age?", "debt?")
    expect(page.locator("[data-said]")).to_contain_text("question 3 of 4 in section 2, disguised")
    assert draft.names == [["work", "bus", "car"], ["theft", "debt", "age", "drink"]]
    drag("work?", "drink?")
    expect(page.locator(".toast.error")).to_contain_text("“theft?” is shown only after certain answers")
    assert draft.names[0][0] == "work"


def test_a_deletion_is_undone_from_its_toast(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    before = draft.stored
    page = visit("researcher").go(f"{draft.path}/edit?open=of%3Duse")
    page.locator(".block.open").get_by_role("button", name="Delete", exact=True).click()
    toast = page.locator("[role=status] .toast")
    expect(toast).to_contain_text("“use?” is deleted.")
    expect(toast.get_by_role("button", name="Undo")).to_be_focused()
    assert axe(page, "[data-toasts]") == []
    assert draft.names[0] == ["age", "work"]
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("It is back. “use?” is question 3 of 3")
    expect(toast).to_have_count(0)
    expect(block(page, "use?")).to_be_focused()
    assert draft.stored == before
    page.locator("#section-1 header").get_by_role("button", name="Delete section 2").click()
    expect(page.locator(".sheet")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".sheet")).to_have_count(2)
    assert draft.stored == before


def test_kind_and_rules_of_a_question_are_chosen_in_its_form(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/edit?open=debt")
    the_kind_changes_where_it_is_chosen(page, draft)
    a_rule_on_a_sensitive_answer_is_not_offered(page, draft)


def the_kind_changes_where_it_is_chosen(page: Page, draft: Draft) -> None:
    kind = page.get_by_label("Kind", exact=True)
    kind.select_option("satisfaction-5")
    expect(page.locator("input[name=label-4]")).to_have_value("Very satisfied")
    expect(kind).to_be_focused()
    assert draft.stored["sections"][1]["questions"][1]["form"] == "scale"
    toast = page.locator("[role=status] .toast")
    expect(toast).to_contain_text("Answers that do not match it are deleted.")
    toast.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-said]")).to_contain_text("It is back.")
    choices = draft.stored["sections"][1]["questions"][1]["choices"]
    assert [choice["label"]["en"] for choice in choices] == ["a", "b"]


def a_rule_on_a_sensitive_answer_is_not_offered(page: Page, draft: Draft) -> None:
    form = page.locator(".block.open")
    form.get_by_text("Show only if …").click()
    offered = form.locator("select[name=ruling] option").evaluate_all("all => all.map(each => each.value)")
    assert offered == ["", "age", "work", "bus", "car"]
    form.locator("select[name=ruling]").select_option("age")
    form.get_by_role("button", name="Add this rule").click()
    expect(page.locator("input[name=rule-0]").first).to_be_focused()
    page.locator("input[name=rule-0]").first.uncheck()
    saved(page)
    assert draft.stored["sections"][1]["questions"][1]["show_if"] == {"age": ["old"]}
