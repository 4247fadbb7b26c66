"""Sensitive numbers in the builder: by keyboard, as pictures, on a phone."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.building import Draft, Make, maker, saved, tab_to
from tests.browser.conftest import Visit
from tests.builder.written import classes, plain, question, sensitive, window
from tests.product import Product

pytestmark = pytest.mark.browser


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


def both_laws(make: Make) -> Draft:
    return make(
        plain(question("work", "employed", "none")),
        classes("debt", 0, 500, 1000, 2000, 5000, 10_000, unit={"en": "euros", "zh-hans": "欧元"}),
        window("income", expected=[100, 200, 500]),
        classes("hours", 0, 20, 40, 60, 80, rest=2, show_if={"work": ["employed"]}),
        classes("years", 0, 2, 4, 8, 16, 32, 60, wanted="quantiles", expected=[2, 5, 11]),
        sensitive(question("theft")),
        languages=["en", "zh-hans"],
        expected=5000,
    )


def questions_of(draft: Draft) -> list[dict[str, object]]:
    return [section["questions"][0] for section in draft.stored["sections"] if section["kind"] == "number"]


def typed(page: Page, name: str, words: str) -> None:
    """Come to the field by Tab, and write these words in place of what it holds."""
    field = page.locator(f".block.open [name={name}]")
    tab_to(page, field)
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type(words)


def test_the_picture_moves_while_one_types_and_a_slip_leaves_it(visit: Visit, make: Make) -> None:
    draft = make(classes("debt", 0, 500, 1000))
    page = visit("researcher").go(f"{draft.path}/edit?open=debt")
    picture = page.locator(".number-results svg")
    before = picture.inner_html()
    page.fill("[name=limit-0]", "250")
    expect(page.locator(".number-results table")).to_contain_text("75.0")
    moved = picture.inner_html()
    assert moved != before
    page.fill("[name=limit-0]", "2500")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved: Highest number:")
    assert picture.inner_html() == moved
    page.fill("[name=limit-0]", "750")
    saved(page)
    assert questions_of(draft)[0]["limits"] == [750]


def test_keep_is_set_by_a_slider_and_a_cure_cures(visit: Visit, make: Make) -> None:
    draft = make(classes("debt", 0, 500, 1000, keep="0.9950"), window("income"), expected=5000)
    page = visit("researcher").go(f"{draft.path}/edit/protection")
    caution = page.locator("#results-0 [data-caution=long]")
    expect(caution).to_contain_text("399 times")
    caution.get_by_role("button").click()
    expect(caution).to_have_count(0)
    slider = page.get_by_role("slider", name="True answer sent")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(24):
        page.keyboard.press("ArrowRight")
    expect(page.locator("input[name=keep-0]")).to_have_value("25")
    expect(page.locator("#results-0 .figures")).to_contain_text("1.67 times")  # 1.25/.75
    saved(page)
    page.get_by_text("Or set a limit").click()
    page.locator("#proposals").get_by_role("button", name="Apply").first.click()
    expect(page.locator("#person-results .verdict")).to_contain_text("50.0\u00a0%")
    assert draft.stored["sections"][0]["keep"] == "0.6267"  # (19^.5 - 1)/(19^.5 + 1)


def test_numbers_fit_a_phone_and_are_not_dragged(visit: Visit, make: Make) -> None:
    draft = both_laws(make)
    page = visit("researcher", viewport={"width": 390, "height": 844}).go(f"{draft.path}/edit?open=debt")
    expect(page.locator("#section-1 [data-grip]")).to_have_count(0)
    expect(page.locator("#section-1 [data-blocks]")).to_have_count(0)
    box = page.locator(".number-results svg").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    target = page.get_by_role("button", name="Delete limit 1").bounding_box()
    assert target
    assert min(target["width"], target["height"]) >= 40


def test_details_that_were_opened_stay_open_when_an_answer_comes(visit: Visit, make: Make) -> None:
    """Limits follow the range in an answer that comes after the person went on; estimates while the person types."""
    draft = make(classes("debt", 0, 200, 500), expected=5000)
    page = visit("researcher").go(f"{draft.path}/edit")
    page.get_by_role("button", name="Add a sensitive number").click()
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    number = page.locator(".block.open")
    number.locator("[name=high]").fill("10000")
    held: list[Route] = []
    page.route(lambda _: True, lambda route: held.append(route) if is_range(route) else route.fallback())
    with page.expect_request(lambda request: "range" in (request.post_data or "")):
        number.locator("[name=high]").press("Tab")
    details = number.locator("summary", has_text="Details")
    details.press("Enter")
    expect(number.locator("[name=step]")).to_be_visible()
    for route in held:
        route.continue_()
    expect(number.locator("[name=limit-3]")).to_have_value("8000")
    expect(number.locator("[name=step]")).to_be_visible()
    expect(details).to_be_focused()
    table = number.locator("details", has_text="The same as a table")
    table.locator("summary").press("Enter")
    number.locator("[name=limit-0]").fill("1500")
    expect(table.locator("table")).to_contain_text("1,500")
    expect(table.locator("table")).to_be_visible()


def is_range(route: Route) -> bool:
    return "range" in (route.request.post_data or "")


CHOOSES_AT_ONCE = """
const old = document.getElementById("questionnaire");
new MutationObserver((_changes, observer) => {
  if (old.isConnected) return;
  observer.disconnect();
  const list = document.querySelector(".block.open [name=wanted]");
  list.value = "quantiles";
  list.dispatchEvent(new Event("change", { bubbles: true }));
}).observe(document.body, { childList: true, subtree: true });
"""


def test_a_choice_in_a_list_that_has_just_come_is_not_lost(visit: Visit, make: Make) -> None:
    """The server's answer to the choice before has just replaced the questionnaire."""
    draft = both_laws(make)
    page = visit("researcher").go(f"{draft.path}/edit?open=debt")
    wanted = page.get_by_label("What do you want to learn?")
    wanted.focus()
    page.evaluate(CHOOSES_AT_ONCE)
    page.keyboard.press("ArrowDown")
    expect(page.locator(".number-results")).to_contain_text("How close the results come")
    expect(wanted).to_have_value("quantiles")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_scale_of_numbers_is_asked_as_a_number_and_brought_back(
    visit: Visit, make: Make, width: int
) -> None:
    mood = question("mood", *map(str, range(11)), form="scale")
    draft = make(sensitive(mood, keep="0.4000"), languages=["en"], expected=5000)
    page = visit("researcher", viewport={"width": width, "height": 900}).go(f"{draft.path}/edit?open=mood")
    page.get_by_role("button", name="Ask as a number").click()
    expect(page.locator(".number-results")).to_contain_text("Expected precision with 5,000 answers")
    expect(page.get_by_label("Lowest number")).to_have_value("0")
    expect(page.get_by_label("Highest number")).to_have_value("10")
    [asked] = questions_of(draft)
    assert asked["limits"] == [*range(1, 11)]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#questionnaire")).not_to_contain_text("Disguised number")
    assert questions_of(draft) == []
