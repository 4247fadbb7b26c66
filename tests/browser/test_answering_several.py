"""Batteries, texts of sections, random order and the answer that excludes the others, by keyboard and on a phone."""

import pytest
from playwright.sync_api import expect

from privacy.mechanisms.coins import sides as coin_sides
from tests.browser.answering import Asked, Respondent, arrived, asked, forget, throws
from tests.browser.conftest import Visit
from tests.browser.warm import visit
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit"]

NARROW = {"viewport": {"width": 320, "height": 640}}
# Of the six coins only the last decides what is seen: below 2, so that 0 leaves the order and 1 swaps the two blocks.
AS_WRITTEN = [0] * 5
SWAPPED = [0] * 4 + [1]
NONE = "None of these"
# The random order of three answers takes the last two coins, below 3 and below 2: the third, the first, the second.
THIRD_FIRST = [2, 1]


@pytest.fixture
def battery(product: Product) -> Asked:
    forget(product)
    return asked(product, "battery")


def to_battery(respondent: Respondent) -> None:
    respondent.begin()
    respondent.choose({})
    respondent.press("Continue")


def to_options(respondent: Respondent) -> None:
    to_battery(respondent)
    respondent.choose({})
    respondent.press("Continue")


def test_a_battery_is_one_screen_of_named_groups_and_names_each_line_without_an_answer(
    visit: Visit, battery: Asked
) -> None:
    visitor = visit()
    throws(visitor.page, AS_WRITTEN)
    page = visitor.go(battery.address)
    respondent = Respondent(page)
    to_battery(respondent)
    assert "How far do you agree?" in respondent.heading
    assert "Question 2 of 3" in respondent.heading
    assert page.locator("h1 progress").evaluate("bar => [bar.value, bar.max]") == [2, 3]
    for words in ("My pay is fair.", "I have enough rest.", "I am listened to."):
        group = page.get_by_role("radiogroup", name=words)
        expect(group.get_by_role("radio")).to_have_count(3)
        expect(group.get_by_role("radio", name="Neither agree nor disagree")).to_have_count(1)
    visitor.check()
    visitor.shoot("answer-battery")
    page.check("#answer-2-1")
    respondent.press("Continue")
    assert page.locator(".error-summary li").all_inner_texts() == [
        "Select one of the answers: My pay is fair.",
        "Select one of the answers: I am listened to.",
    ]
    page.get_by_role("button", name="Select one of the answers: I am listened to.").click()
    expect(page.locator("#answer-3-0")).to_be_focused()
    visitor.check()
    visitor.shoot("answer-battery-error")


def test_a_battery_is_answered_by_keyboard(visit: Visit, battery: Asked) -> None:
    page = visit()
    throws(page.page, AS_WRITTEN)
    respondent = Respondent(page.go(battery.address))
    to_battery(respondent)
    keys = page.page.keyboard
    page.page.locator("#answer-1-0").focus()
    keys.press("Space")
    keys.press("Tab")
    keys.press("ArrowDown")
    keys.press("Tab")
    keys.press("ArrowUp")
    keys.press("Enter")
    assert "Which of these" in respondent.heading
    page.page.go_back()
    for place, code in {1: 0, 2: 1, 3: 2}.items():
        expect(page.page.locator(f"#answer-{place}-{code}")).to_be_checked()


def test_a_battery_is_cards_on_a_phone_and_a_table_where_there_is_room(visit: Visit, battery: Asked) -> None:
    visitor = visit(**NARROW)
    throws(visitor.page, AS_WRITTEN)
    page = visitor.go(battery.address)
    to_battery(Respondent(page))
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    first, second = (page.locator(f"label[for=answer-1-{code}]").bounding_box() for code in (0, 1))
    assert first
    assert second
    assert second["y"] > first["y"]
    expect(page.locator(".scale-words")).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 800})
    first, second = (page.locator(f"label[for=answer-1-{code}]").bounding_box() for code in (0, 1))
    assert first
    assert second
    assert second["y"] == first["y"]
    expect(page.locator(".scale-words")).to_be_visible()


def test_the_text_of_a_section_stands_before_its_first_question_and_is_read_first_in_an_order_that_stays(
    visit: Visit, battery: Asked
) -> None:
    """The order survives a reload and is not in the record."""
    visitor = visit()
    throws(visitor.page, SWAPPED)
    page = visitor.go(battery.address)
    respondent = Respondent(page)
    respondent.begin()
    intro = page.locator(".section-intro")
    assert "How far do you agree?" in respondent.heading
    assert respondent.places == [1, 2, 3]
    assert intro.inner_text() == "First about your work."
    expect(intro).to_be_focused()
    visitor.check()
    visitor.shoot("answer-intro")
    page.add_init_script("crypto.getRandomValues = array => array.fill(0)")
    page.reload()
    respondent.begin()
    assert respondent.places == [1, 2, 3]
    respondent.choose({1: 2, 2: 1, 3: 0})
    respondent.press("Continue")
    assert "situation at work" in respondent.heading
    expect(intro).to_have_count(0)
    respondent.choose({0: 1})
    respondent.press("Continue")
    assert intro.inner_text() == "Now about medicines."
    page.get_by_label(NONE).check()
    respondent.press("Continue")
    respondent.send()
    arrived(page)
    assert respondent.receipt()["answers"].startswith("1210")


def test_answers_in_random_order_survive_a_reload_and_are_not_in_the_record(
    visit: Visit, product: Product
) -> None:
    forget(product)
    survey = asked(product, "shuffled")
    visitor = visit(**NARROW)
    throws(visitor.page, [*[0] * (len(coin_sides(survey.design)) - 2), *THIRD_FIRST])
    page = visitor.go(survey.address)
    respondent = Respondent(page)
    respondent.begin()
    respondent.choose({})
    respondent.press("Continue")
    shown = ["Plum", "Apple", "Pear", "None of these"]
    assert page.locator("#screen label").all_inner_texts() == shown
    visitor.check()
    visitor.shoot("answer-shuffled")
    page.add_init_script("crypto.getRandomValues = array => array.fill(1)")
    page.reload()
    respondent.begin()
    respondent.choose({})
    respondent.press("Continue")
    assert page.locator("#screen label").all_inner_texts() == shown
    page.get_by_label("Plum").check()
    respondent.press("Continue")
    respondent.choose({})
    respondent.press("Continue")
    respondent.send()
    arrived(page)
    assert respondent.receipt()["answers"][1] == "2"


def test_none_of_these_and_the_others_exclude_each_other_by_keyboard(visit: Visit, battery: Asked) -> None:
    visitor = visit()
    throws(visitor.page, AS_WRITTEN)
    page = visitor.go(battery.address)
    respondent = Respondent(page)
    to_options(respondent)
    respondent.press("Continue")
    assert page.locator(".error-summary li").all_inner_texts() == [
        "Select at least one answer, or “None of these”"
    ]
    visitor.check()
    visitor.shoot("answer-none")
    boxes = page.locator("#screen input[type=checkbox]")
    page.locator(".error-summary button").press("Enter")
    expect(boxes.nth(0)).to_be_focused()
    page.keyboard.press("Space")
    for _box in range(3):
        page.keyboard.press("Tab")
    expect(page.get_by_label(NONE)).to_be_focused()
    page.keyboard.press("Space")
    assert [box.is_checked() for box in boxes.all()] == [False, False, False, True]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert [box.is_checked() for box in boxes.all()] == [False, False, True, False]
    page.keyboard.press("Enter")
    assert page.locator(".summary li", has_text="Cocaine").inner_text() == "Cocaine: Yes"
    assert page.locator(".summary li", has_text="Cannabis").inner_text() == "Cannabis: No"
    assert page.locator(".summary li", has_text="My pay is fair.").inner_text() == "My pay is fair.: Disagree"
    visitor.check()


def test_a_battery_and_none_of_these_speak_chinese(visit: Visit, battery: Asked) -> None:
    page = visit(locale="zh-CN").go(battery.address)
    throws(page, AS_WRITTEN)
    page.reload()
    respondent = Respondent(page)
    respondent.begin()
    respondent.choose({})
    page.locator(".onward button").click()
    assert "您在多大程度上同意？" in respondent.heading
    expect(
        page.get_by_role("radiogroup", name="我的报酬公平。").get_by_role("radio", name="不同意")
    ).not_to_have_count(0)
    respondent.choose({})
    page.locator(".onward button").click()
    expect(page.get_by_label("以上都没有")).to_have_count(1)
