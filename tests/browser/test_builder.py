"""The questionnaire in the builder: by keyboard, by mouse, on a phone."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.conftest import Draft, Make, Visit, Visitor
from tests.browser.visiting import (
    PHONE,
    axe_violations,
    block,
    box_of,
    press_key_on,
    tab_to,
    wait_until_saved,
)
from tests.product import Product
from tests.surveys.drafts import classes, options, plain, question, sensitive, window

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


def test_a_small_survey_is_built_with_the_keyboard_alone(visit: Visit, product: Product) -> None:
    page = visit("researcher").go("/app/surveys/new")
    tab_to(page, page.locator("input[name=title]"))
    page.keyboard.type("Work and worry")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/app/surveys/\d+/edit"))
    draft = Draft.__new__(Draft)
    draft.pk, draft.database = int(page.url.split("/")[-2]), product.var / "candor.sqlite3"

    expect(page.locator("#section-0-kind")).to_be_focused()
    page.keyboard.type("One of several")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#section-0 textarea[name=text]")).to_be_focused()
    page.keyboard.type("How old are you?")
    tab_to(page, page.locator("#section-0 input[name=label-0]"))
    page.keyboard.type("under 40")
    tab_to(page, page.locator("#section-0 input[name=label-1]"))
    page.keyboard.type("40 to 59")
    page.keyboard.press("Enter")
    expect(page.locator("#section-0 input[name=label-2]")).to_be_focused()
    page.keyboard.type("60 or older")
    press_key_on(page, page.locator("#section-0 .block button.primary"))
    expect(page.locator("#section-0 .block h3 a")).to_be_focused()
    expect(page.locator("#section-0 .block h3")).to_have_text("How old are you?")

    tab_to(page, page.locator("#section-1-kind"))
    page.keyboard.type("Yes or no")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    # The form of one question closes when that of the next opens.
    tab_to(page, page.locator("#section-1-kind"))
    page.keyboard.type("How often")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".block.open")).to_have_count(1)
    expect(page.locator("#section-1 textarea[name=text]")).to_be_focused()
    page.keyboard.type("How often do you take something home?")
    wait_until_saved(page)
    plain_tools, tools = (page.locator(f"#section-{at} .block.open > .tools button") for at in (0, 1))
    said = page.locator("[data-said]")
    press_key_on(page, tools.first)
    expect(said).to_contain_text("question 1 of 2 in section 2")
    expect(tools.first).to_be_focused()
    page.keyboard.press("Enter")
    expect(said).to_contain_text("question 2 of 2 in section 1, sent as answered")
    expect(plain_tools.first).to_be_focused()
    press_key_on(page, plain_tools.nth(1))
    expect(said).to_contain_text("question 1 of 2 in section 2, disguised")

    assert [len(names) for names in draft.names] == [1, 2]
    age, often_asked = (draft.draft_json["sections"][number]["questions"][0] for number in (0, 1))
    assert [choice["label"]["en"] for choice in age["choices"]] == ["under 40", "40 to 59", "60 or older"]
    assert often_asked["text"] == {"en": "How often do you take something home?"}
    assert [choice["label"]["en"] for choice in often_asked["choices"]][::5] == ["Never", "Prefer not to say"]


def test_a_question_is_dragged_within_and_between_sections(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit")

    def drag(words: str, target: str, escape: bool = False) -> None:
        block(page, words).hover()
        grip, goal = box_of(block(page, words).locator("[data-grip]")), box_of(block(page, target))
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


def test_a_deletion_is_undone_from_its_toast(visit: Visit, draft: Draft) -> None:
    before = draft.draft_json
    page = visit("researcher").go(f"{draft.path}/edit?open=of%3Duse")
    page.locator(".block.open").get_by_role("button", name="Delete", exact=True).click()
    toast = page.locator("[role=status] .toast")
    expect(toast).to_contain_text("“use?” is deleted.")
    expect(toast.get_by_role("button", name="Undo")).to_be_focused()
    assert axe_violations(page, "[data-toasts]") == []
    assert draft.names[0] == ["age", "work"]
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("It is back. “use?” is question 3 of 3")
    expect(toast).to_have_count(0)
    expect(block(page, "use?")).to_be_focused()
    assert draft.draft_json == before
    page.locator("#section-1 header").get_by_role("button", name="Delete section 2").click()
    expect(page.locator(".sheet")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".sheet")).to_have_count(2)
    assert draft.draft_json == before


def test_kind_and_rules_of_a_question_are_chosen_in_its_form(visit: Visit, draft: Draft) -> None:
    page = visit("researcher").go(f"{draft.path}/edit?open=debt")

    def debt() -> dict[str, Any]:
        found: dict[str, Any] = draft.draft_json["sections"][1]["questions"][1]
        return found

    kind = page.get_by_label("Kind", exact=True)
    kind.select_option("satisfaction-5")
    expect(page.locator("input[name=label-4]")).to_have_value("Very satisfied")
    expect(kind).to_be_focused()
    assert debt()["form"] == "scale"
    toast = page.locator("[role=status] .toast")
    expect(toast).to_contain_text("Answers that do not match it are deleted.")
    toast.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-said]")).to_contain_text("It is back.")
    assert [choice["label"]["en"] for choice in debt()["choices"]] == ["a", "b"]
    # A rule on a sensitive answer is not offered.
    form = page.locator(".block.open")
    form.get_by_text("Show only if …").click()
    offered = form.locator("select[name=ruling] option").evaluate_all("all => all.map(each => each.value)")
    assert offered == ["", "age", "work", "bus", "car"]
    form.locator("select[name=ruling]").select_option("age")
    form.get_by_role("button", name="Add this rule").click()
    value = page.locator("input[name=rule-0]").first
    expect(value).to_be_focused()
    value.uncheck()
    wait_until_saved(page)
    assert debt()["show_if"] == {"age": ["old"]}


def test_a_battery_is_added_by_keyboard_and_previewed(robin: Visitor, make: Make) -> None:
    draft = make(plain(question("age")))
    page = robin.go(f"{draft.path}/edit")
    page.locator(".add-battery summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("I am paid fairly.\nI have enough rest.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("In a battery")).to_have_count(1)  # the first line is open
    expect(page.get_by_label("Words above the battery")).to_have_count(1)
    made = draft.draft_json["sections"][0]["questions"][1:]
    assert [each["text"]["en"] for each in made] == ["I am paid fairly.", "I have enough rest."]
    assert made[0]["of"] == made[1]["of"]
    page = robin.go(f"{draft.path}/preview/page")
    page.locator("[data-agree]:visible").click()
    page.check("#answer-0-0")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radiogroup")).to_have_count(2)
    expect(page.get_by_role("radiogroup", name="I am paid fairly.").get_by_role("radio")).to_have_count(5)


def test_the_text_before_a_section_and_its_order_are_kept_while_typed(visit: Visit, make: Make) -> None:
    draft = make(plain(question("age")), sensitive(question("theft"), question("debt")))
    page = visit("researcher").go(f"{draft.path}/edit")
    page.locator("#section-1-text-open").press("Enter")
    expect(page.get_by_label("Text before the section")).to_be_focused()
    page.keyboard.type("Now about your work.")
    page.get_by_label("Ask these questions in random order").check()
    wait_until_saved(page)
    page.locator("#section-1-text").get_by_role("button", name="Done").click()
    expect(page.locator("#section-1-text .section-words")).to_have_text("Now about your work.")
    expect(page.locator("#section-1-text")).to_contain_text("In random order")
    section = draft.draft_json["sections"][1]
    assert (section["intro"], section["order"]) == ({"en": "Now about your work."}, "random")


def test_none_of_these_is_added_by_one_button(visit: Visit, make: Make) -> None:
    draft = make(plain(*options("use", "bus", "car")))
    page = visit("researcher").go(f"{draft.path}/edit?open=of%3Duse")
    page.get_by_role("button", name="Add “None of these”").press("Enter")
    field = page.get_by_label("Answer that excludes the others")
    expect(field).to_be_focused()
    expect(field).to_have_value("None of these")
    field.fill("No vehicle")
    wait_until_saved(page)
    assert draft.draft_json["sections"][0]["questions"][0]["none"] == {"en": "No vehicle"}


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
    return [
        section["questions"][0] for section in draft.draft_json["sections"] if section["kind"] == "number"
    ]


def type_into_field(page: Page, name: str, words: str) -> None:
    """Come to the field by Tab, and write these words in place of what it holds."""
    tab_to(page, page.locator(f".block.open [name={name}]"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type(words)


def test_chart_moves_while_typing_and_tolerates_a_slip(visit: Visit, make: Make) -> None:
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
    wait_until_saved(page)
    assert questions_of(draft)[0]["limits"] == [750]


def test_keep_is_set_by_a_slider_and_a_cure_applies(visit: Visit, make: Make) -> None:
    draft = make(classes("debt", 0, 500, 1000, keep="0.9950"), window("income"), expected=5000)
    page = visit("researcher").go(f"{draft.path}/edit/protection")
    caution = page.locator("#results-0 [data-caution=long]")
    expect(caution).to_contain_text("399 times")
    caution.get_by_role("button").click()
    expect(caution).to_have_count(0)
    page.get_by_role("slider", name="True answer sent").focus()
    page.keyboard.press("Home")
    for _ in range(24):
        page.keyboard.press("ArrowRight")
    expect(page.locator("input[name=keep-0]")).to_have_value("25")
    expect(page.locator("#results-0 .figures")).to_contain_text("1.67 times")  # 1.25/.75
    wait_until_saved(page)
    page.get_by_text("Or set a limit").click()
    page.locator("#proposals").get_by_role("button", name="Apply").first.click()
    expect(page.locator("#person-results .verdict")).to_contain_text("50.0\u00a0%")
    assert draft.draft_json["sections"][0]["keep"] == "0.6267"  # (19^.5 - 1)/(19^.5 + 1)


def test_number_controls_fit_a_phone_and_are_not_dragged(visit: Visit, make: Make) -> None:
    draft = both_laws(make)
    page = visit("researcher", viewport=PHONE).go(f"{draft.path}/edit?open=debt")
    expect(page.locator("#section-1 :is([data-grip], [data-blocks])")).to_have_count(0)
    box = box_of(page.locator(".number-results svg"))
    assert 0 <= box["x"] <= 390 - box["width"]
    target = box_of(page.get_by_role("button", name="Delete limit 1"))
    assert min(target["width"], target["height"]) >= 40


def test_opened_details_stay_open_after_a_save(visit: Visit, make: Make) -> None:
    """Limits follow the range in an answer that comes after the person went on; estimates while the person types."""
    draft = make(classes("debt", 0, 200, 500), expected=5000)
    page = visit("researcher").go(f"{draft.path}/edit")
    page.get_by_role("button", name="Add a sensitive number").click()
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    number = page.locator(".block.open")
    number.locator("[name=high]").fill("10000")
    held: list[Route] = []

    def is_range(request: Request) -> bool:
        return "range" in (request.post_data or "")

    page.route(
        lambda _: True, lambda route: held.append(route) if is_range(route.request) else route.fallback()
    )
    with page.expect_request(is_range):
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


def test_choice_in_a_new_list_is_not_lost(visit: Visit, make: Make) -> None:
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
def test_scale_becomes_a_number_and_is_restored(visit: Visit, make: Make, width: int) -> None:
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


def yes_no(name: str, **more: str) -> dict[str, object]:
    return {**question(name, "no", "yes", **more), "form": "yes-no"}


def test_a_crosswise_question_is_written_with_the_keyboard_alone(visit: Visit, make: Make) -> None:
    draft = make(plain(question("work", "employed", "none")))
    page = visit("researcher").go(f"{draft.path}/edit")
    press_key_on(page, page.get_by_role("button", name="Add a crosswise question"))
    expect(page.locator(".block.open textarea[name=text]")).to_be_focused()
    page.keyboard.type("Did you cheat on taxes?")
    for name, words in {"secret": "Born in spring?", "share": "20", "source": "A calendar"}.items():
        type_into_field(page, name, words)
    expect(page.locator(".number-results")).to_contain_text("4.00 times")
    wait_until_saved(page)
    asked = draft.draft_json["sections"][1]["questions"][0]
    assert (asked["secret"], asked["share"]) == ({"en": "Born in spring?"}, "0.2000")


def test_a_hypothesis_of_a_product_is_added_edited_and_deleted_by_keyboard(visit: Visit, make: Make) -> None:
    """The coefficients that can be chosen follow from the product."""
    covariates = plain(question("age", "young", "old"), question("sex", "f", "m"))
    draft = make(covariates, sensitive(yes_no("theft")))
    page = visit("researcher").go(f"{draft.path}/edit/study")
    press_key_on(page, page.get_by_role("link", name="A coefficient of a model is not 0"))
    tab_to(page, page.get_by_label("Answer that the model explains"))
    page.keyboard.type("The")
    for covariate in ("Age", "Sex"):
        tab_to(page, page.get_by_label(covariate, exact=True))
        page.keyboard.press("Space")
    press_key_on(page, page.get_by_text("Products of two covariates"))
    for side, covariate in (("First", "Age"), ("Second", "Sex")):
        tab_to(page, page.get_by_label(f"{side} covariate").first)
        page.keyboard.type(covariate)
    press_key_on(page, page.get_by_role("button", name="List coefficients"))
    coefficients = page.get_by_label("Coefficient", exact=True)
    expect(coefficients.locator("optgroup").last).to_have_attribute("label", "Age × Sex")
    assert "plan" not in draft.draft_json
    tab_to(page, coefficients)
    page.keyboard.type("Age: old ×")
    press_key_on(page, page.get_by_role("button", name="Add hypothesis"))
    expect(page.locator(".hypotheses")).to_contain_text("the coefficient of “Age: old × Sex: m” is not 0.")
    [added] = draft.draft_json["plan"]["hypotheses"]
    assert (added["covariates"], added["of"]) == (["age", "sex", "age*sex"], "age=old*sex=m")
    press_key_on(page, page.get_by_role("link", name="Edit H1"))
    tab_to(page, page.get_by_label("Coefficient", exact=True))
    page.keyboard.type("Sex: m")
    press_key_on(page, page.get_by_role("button", name="Save hypothesis"))
    expect(page.locator(".hypotheses")).to_contain_text("the coefficient of “Sex: m” is not 0.")
    assert draft.draft_json["plan"]["hypotheses"] == [{**added, "of": "sex=m"}]
    press_key_on(page, page.get_by_role("button", name="Delete H1"))
    expect(page.locator("#hypotheses")).to_contain_text("No hypotheses yet")
    assert "plan" not in draft.draft_json
