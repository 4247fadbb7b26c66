"""Arms, drawn and crosswise questions, batteries, random order and the answer that excludes the others."""

from itertools import product as product_of

import pytest
from playwright.sync_api import Browser, Page, expect

from privacy.mechanisms.random_draws import sides_of_coins
from tests.browser.conftest import (
    Asked,
    NewPage,
    Respondent,
    Visit,
    fix_words,
    forget_all,
    get_survey,
    inbox,
    record_line,
    wait_for_receipt_heading,
)
from tests.browser.questionnaires import CODE
from tests.browser.test_answering_traces import trace_of_answering, worker
from tests.browser.visiting import Visitor, box_of, check_at_400_percent
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True
__all__ = ["worker"]

# Of the survey `arms` the coins: keep, noise, arm. Directly below 2,500.
DIRECT, DISGUISED = [9999, 0, 2499], [9999, 0, 2500]
TOLD = {"direct": "you are asked directly", "disguised": "your answers are disguised before they are sent"}
NARROW = {"viewport": {"width": 320, "height": 640}}


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit().page


def open_page(page: Page, product: Product, name: str, coins: list[int]) -> tuple[Asked, Respondent]:
    survey = get_survey(product, name)
    forget_all(product)
    fix_words(page, coins)
    page.goto(product.url + survey.address)
    return survey, Respondent(page)


@pytest.mark.parametrize(("arm", "coins"), [("direct", DIRECT), ("disguised", DISGUISED)])
def test_study_arm_is_told_and_kept(page: Page, product: Product, arm: str, coins: list[int]) -> None:
    survey, respondent = open_page(page, product, "arms", coins)
    # The next coins would draw the other arm.
    fix_words(page, DISGUISED if arm == "direct" else DIRECT)
    for _load in range(2):
        respondent.agree_and_begin()
        assert respondent.heading == "How you are asked"
        screen = page.locator("#screen")
        expect(screen).to_contain_text(f"A random draw in your device decided that {TOLD[arm]}")
        expect(screen).to_contain_text("None of your answers has been sent yet. You can leave now.")
        assert screen.get_by_role("button").all_inner_texts() == ["Back", "Go on", "Leave"]
        expect(screen.locator("input")).to_have_count(0)
        page.reload()
    respondent.agree_and_begin()
    respondent.press_button("Go on")
    assert "How old are you?" in respondent.heading
    page.go_back()
    assert respondent.tab_storage()["state"] == "answering"
    respondent.press_button("Leave")
    page.wait_for_url("about:blank")
    page.goto(product.url + survey.address)
    assert respondent.tab_storage() == {}


def test_direct_arm_sends_answers_unchanged(page: Page, product: Product) -> None:
    survey, respondent = open_page(page, product, "arms", DIRECT)
    screen = page.locator("#screen")
    respondent.agree_and_begin()
    respondent.press_button("Go on")
    for _place in range(2):
        respondent.go_on({})
    assert "Have you ever taken money from the till?" in respondent.heading
    assert screen.locator(".answer").all_inner_texts() == ["No", "Yes"]
    expect(screen).not_to_contain_text("mother")
    expect(page.locator("#protection")).to_contain_text("Not disguised")
    respondent.go_on({2: 1})
    expect(screen).to_contain_text("Your answers will be sent exactly as shown above")
    expect(screen).not_to_contain_text("what could be sent")
    respondent.deliver()
    assert inbox(product, survey) == ["0001"]
    expect(screen).to_contain_text("it does show what you answered")


def test_crosswise_question_shows_both_questions_and_takes_one_answer(page: Page, product: Product) -> None:
    survey, respondent = open_page(page, product, "crosswise", [])
    screen = page.locator("#screen")
    respondent.agree_and_begin()
    respondent.go_on({})
    assert "Are your two answers the same?" in respondent.heading
    assert page.locator(".pair dd").all_inner_texts() == [
        "Was your mother born in January, February or March?",
        "Have you ever taken money from the till?",
    ]
    assert screen.locator(".answer strong").all_inner_texts() == ["The same", "Different"]
    respondent.press_button("Continue")
    expect(page.locator(".error-summary")).to_contain_text("Select “the same” or “different”")
    respondent.go_on({1: 1})
    expect(page.locator(".summary")).to_contain_text("Different")
    expect(screen).not_to_contain_text("what could be sent")
    respondent.deliver()
    assert inbox(product, survey) == ["101"]
    receipt = screen.inner_text()
    assert "Different (stored as code 1)" in receipt
    # A respondent who pressed "different" must not read that the answer was yes, nor what it proves in a fold.
    assert "Yes" not in screen.locator("tbody").inner_text()
    assert "Nobody who does not know your answer to question A can be sure of your answer." in receipt
    assert "random draw" not in receipt


def test_drawn_version_turns_the_secret_without_showing_it(page: Page, product: Product) -> None:
    """Of the survey `turned` one coin draws the version: the second from 5,000 on, whose "different" is a no."""
    survey, respondent = open_page(page, product, "turned", [5000])
    respondent.agree_and_begin()
    seen = [page.locator("#screen").inner_text()]
    while respondent.choose({3: 1}):
        respondent.press_button("Continue")
        seen.append(page.locator("#screen").inner_text())
    assert len(seen) == 4
    assert not any("Version" in text for text in seen)
    assert "of 3" in seen[0]
    assert "Was your mother born from April to December?" in seen[2]
    respondent.deliver()
    assert inbox(product, survey) == ["11000"]


Respondents = tuple[dict[int, int], list[int]]
"""Answers and coins."""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Whoever is asked directly sends the truth, so only the coins differ.
        (({0: 1, 1: 1, 2: 1}, [9999, 0, 0]), ({0: 1, 1: 1, 2: 1}, [0, 9999, 2499])),
        # Chance answers for both; "different" is said by a yes and by a no alike.
        (({0: 1, 1: 0, 2: 1}, [9999, 0, 9999]), ({0: 1, 1: 1, 2: 1}, [9999, 0, 9999])),
    ],
    ids=["direct", "disguised"],
)
def test_same_record_leaves_the_same_traces_in_either_arm(
    chromium: Browser, product: Product, one: Respondents, other: Respondents
) -> None:
    first, second = (
        trace_of_answering(chromium, product, get_survey(product, "arms"), *each) for each in (one, other)
    )
    assert len(first.inbox) == 1
    assert first.arrived == second.arrived


def test_requests_of_both_arms_are_equally_long_and_the_completion_comes_last(
    new_page: NewPage, product: Product
) -> None:
    survey = get_survey(product, "arms")
    with record_line(product) as line:
        page = new_page()
        for coins, code in product_of((DIRECT, DISGUISED), (0, 1)):
            forget_all(product)
            fix_words(page, coins)
            page.goto(line.url + survey.address)
            respondent = Respondent(page)
            screens = respondent.screens(dict.fromkeys(range(3), code))
            seen = [page.content(), *(page.content() for _screen in screens)]
            assert len(seen) == 6
            assert not any(CODE in content for content in seen)
            respondent.deliver()
            expect(page.locator("#completion code")).to_have_text(CODE)
        page.context.close()
        lengths = [len(request) for request in line.requests() if request.startswith(b"POST")]
    assert len(lengths) == 4
    assert len(set(lengths)) == 1


def test_panel_parameter_is_stored_nowhere(new_page: NewPage, product: Product) -> None:
    survey, personal = get_survey(product, "arms"), "5f3c9e2b1a"
    forget_all(product)
    with record_line(product) as line:
        page = new_page()
        fix_words(page, DIRECT)
        for added in ("?PROLIFIC_PID={}", "?PROLIFIC_PID={}#PROLIFIC_PID={}", "#{}"):
            page.goto("about:blank")
            page.goto(f"{line.url}{survey.address}{added.replace('{}', personal)}")
            page.locator("[data-agree]:visible").wait_for()
            assert page.evaluate("location.pathname + location.search + location.hash") == survey.address
        Respondent(page).deliver({})
        kept = "JSON.stringify([{...sessionStorage}, {...localStorage}, history.state, document.cookie])"
        assert personal not in page.evaluate(kept) + page.content()
        page.context.close()
        requests = [request for request in line.requests() if personal.encode() in request]
    # Those that asked for the address; the answer to each is a redirect.
    assert [request.split(b" ")[0] for request in requests] == [b"GET"] * 2
    files = [each for each in product.var.rglob("*") if each.is_file()]
    assert not [each for each in files if personal.encode() in each.read_bytes()]
    forget_all(product)


def test_arm_and_crosswise_screens_are_accessible(visitor: Visitor, product: Product) -> None:
    page = visitor.page
    for coins in (DIRECT, DISGUISED):
        _survey, respondent = open_page(page, product, "arms", coins)
        respondent.agree_and_begin()
        visitor.check()
        page.evaluate("sessionStorage.clear()")
    page.get_by_role("button", name="Go on").press("Enter")
    for _place in range(2):
        page.locator("#screen input").first.press("Space")
        page.locator("#screen input").first.press("Enter")
    assert "Are your two answers the same?" in Respondent(page).heading
    visitor.check()
    check_at_400_percent(page)
    page.locator("button[data-language=zh-hans]").click()
    assert page.locator(".pair dd").first.inner_text() == "您的母亲是在一月、二月或三月出生的吗？"
    assert page.locator("html").get_attribute("lang") == "zh-hans"


def test_form_without_javascript_counts_once(visitor: Visitor, new_page: NewPage, product: Product) -> None:
    forget_all(product)
    survey, invited = get_survey(product, "crosswise"), get_survey(product, "crosswise by invitation")
    page = new_page(java_script_enabled=False)
    page.goto(product.url + survey.address)
    page.get_by_role("link", name="Answer without JavaScript").click()
    assert CODE not in page.content()
    for place in range(2):
        assert page.url.endswith("/form")
        assert inbox(product, survey) == []
        page.locator(f"input[name=answer-{place}]").first.check()
        page.get_by_role("button", name="Send").click()
    expect(page.locator("#completion code")).to_have_text(CODE)
    page.reload()
    expect(page.locator("main")).to_contain_text("already arrived at an earlier try")
    expect(page.locator("#completion code")).to_have_text(CODE)
    assert len(inbox(product, survey)) == 1

    page.goto(f"{product.url}{invited.address}/form")
    for place in range(2):
        page.locator(f"input[name=answer-{place}]").first.press("Space")
    page.get_by_label("Your invitation code").press_sequentially(invited.tokens[0])
    page.get_by_label("Your invitation code").press("Enter")
    wait_for_receipt_heading(page)
    assert len(inbox(product, invited)) == 1
    visitor.go_and_check(f"{invited.address}/form")
    check_at_400_percent(visitor.page)


# Of the six coins only the last decides what is seen: below 2, so that 0 leaves the order and 1 swaps the two blocks.
AS_WRITTEN = [0] * 5
SWAPPED = [0] * 4 + [1]
NONE = "None of these"

# The random order of three answers takes the last two coins, below 3 and below 2: the third, the first, the second.
THIRD_FIRST = [2, 1]


def open_battery_page(visitor: Visitor, battery: Asked) -> Respondent:
    fix_words(visitor.page, AS_WRITTEN)
    respondent = Respondent(visitor.go(battery.address)).agree_and_begin()
    respondent.go_on({})
    return respondent


def test_battery_is_one_screen_of_named_groups(visitor: Visitor, battery: Asked) -> None:
    respondent = open_battery_page(visitor, battery)
    page, keys = respondent.page, respondent.page.keyboard
    assert "How far do you agree?" in respondent.heading
    assert "Question 2 of 3" in respondent.heading
    assert page.locator("h1 progress").evaluate("bar => [bar.value, bar.max]") == [2, 3]
    for words in ("My pay is fair.", "I have enough rest.", "I am listened to."):
        group = page.get_by_role("radiogroup", name=words)
        expect(group.get_by_role("radio")).to_have_count(3)
        expect(group.get_by_role("radio", name="Neither agree nor disagree")).to_have_count(1)
    visitor.check()
    page.check("#answer-2-1")
    respondent.press_button("Continue")
    lines = [f"Select one of the answers: {each}" for each in ("My pay is fair.", "I am listened to.")]
    assert page.locator(".error-summary li").all_inner_texts() == lines
    page.get_by_role("button", name=lines[1]).click()
    expect(page.locator("#answer-3-0")).to_be_focused()
    visitor.check()
    page.locator("#answer-1-0").focus()
    for key in ("Space", "Tab", "Tab", "Space", "ArrowUp", "Enter"):
        keys.press(key)
    assert "Which of these" in respondent.heading
    page.go_back()
    for place, code in {1: 0, 2: 1, 3: 2}.items():
        expect(page.locator(f"#answer-{place}-{code}")).to_be_checked()


def test_battery_is_cards_on_a_phone_and_a_table_on_wide_screens(visit: Visit, battery: Asked) -> None:
    page = open_battery_page(visit(**NARROW), battery).page

    def label_tops() -> list[float]:
        return [box_of(page.locator(f"label[for=answer-1-{code}]"))["y"] for code in (0, 1)]

    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert label_tops()[0] < label_tops()[1]
    expect(page.locator(".scale-words")).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 800})
    assert label_tops()[0] == label_tops()[1]
    expect(page.locator(".scale-words")).to_be_visible()


def test_random_question_order_and_section_text_survive_a_reload(visitor: Visitor, battery: Asked) -> None:
    """The order survives a reload and is not in the record."""
    fix_words(visitor.page, SWAPPED)
    page = visitor.go(battery.address)
    respondent = Respondent(page).agree_and_begin()
    intro = page.locator(".section-intro")
    assert "How far do you agree?" in respondent.heading
    assert respondent.question_numbers == [1, 2, 3]
    assert intro.inner_text() == "First about your work."
    expect(intro).to_be_focused()
    visitor.check()
    page.add_init_script("crypto.getRandomValues = array => array.fill(0)")
    page.reload()
    respondent.agree_and_begin()
    assert respondent.question_numbers == [1, 2, 3]
    respondent.go_on({1: 2, 2: 1, 3: 0})
    assert "situation at work" in respondent.heading
    expect(intro).to_have_count(0)
    respondent.go_on({0: 1})
    assert intro.inner_text() == "Now about medicines."
    page.get_by_label(NONE).check()
    respondent.press_button("Continue")
    respondent.deliver()
    assert respondent.receipt()["answers"].startswith("1210")


def test_random_answer_order_survives_a_reload(visit: Visit, product: Product) -> None:
    survey = get_survey(product, "shuffled")
    forget_all(product)
    visitor = visit(**NARROW)
    fix_words(visitor.page, [*[0] * (len(sides_of_coins(survey.design)) - 2), *THIRD_FIRST])
    page = visitor.go(survey.address)
    respondent = Respondent(page).agree_and_begin()
    respondent.go_on({})
    shown = ["Plum", "Apple", "Pear", "None of these"]
    assert page.locator("#screen label").all_inner_texts() == shown
    visitor.check()
    page.add_init_script("crypto.getRandomValues = array => array.fill(1)")
    page.reload()
    respondent.agree_and_begin()
    respondent.go_on({})
    assert page.locator("#screen label").all_inner_texts() == shown
    page.get_by_label("Plum").check()
    respondent.press_button("Continue")
    respondent.go_on({})
    respondent.deliver()
    assert respondent.receipt()["answers"][1] == "2"


def test_none_of_these_excludes_the_others_by_keyboard(visit: Visit, battery: Asked) -> None:
    visitor = visit()
    respondent = open_battery_page(visitor, battery)
    page = respondent.page
    respondent.go_on({})
    respondent.press_button("Continue")
    wrong = page.locator(".error-summary li").all_inner_texts()
    assert wrong == ["Select at least one answer, or “None of these”"]
    visitor.check()
    boxes = page.locator("#screen input[type=checkbox]")
    page.locator(".error-summary button").press("Enter")
    expect(boxes.nth(0)).to_be_focused()
    for key in ("Space", "Tab", "Tab", "Tab"):
        page.keyboard.press(key)
    expect(page.get_by_label(NONE)).to_be_focused()
    page.keyboard.press("Space")
    assert [box.is_checked() for box in boxes.all()] == [False, False, False, True]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert [box.is_checked() for box in boxes.all()] == [False, False, True, False]
    page.keyboard.press("Enter")
    # The line of a table may be a sentence.
    for words, answer in {"Cocaine": ": Yes", "Cannabis": ": No", "My pay is fair.": " – Disagree"}.items():
        assert page.locator(".summary li", has_text=words).inner_text() == words + answer
    visitor.check()
