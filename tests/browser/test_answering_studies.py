"""Arms, drawn and crosswise questions, batteries, random order and the answer that excludes the others."""

import pytest
from playwright.sync_api import Browser, Page, expect

from privacy.mechanisms.random_draws import sides_of_coins
from tests.browser.answering import (
    Asked,
    Respondent,
    asked,
    forget,
    inbox,
    listening,
    received,
    throws,
)
from tests.browser.conftest import Visit
from tests.browser.questionnaires import CODE
from tests.browser.test_answering_traces import traced, worker
from tests.browser.visiting import profile
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True
__all__ = ["worker"]

# Of the survey `arms` the coins: keep, noise, arm. Directly below 2,500.
DIRECT, DISGUISED = [9999, 0, 2499], [9999, 0, 2500]
TOLD = {
    "direct": "A random draw in your device decided that you are asked directly. Your answers are sent as you give"
    " them: no disguise, no name. Nothing has been sent yet. You can leave now.",
    "disguised": "A random draw in your device decided that your answers are disguised before they are sent."
    " Nothing has been sent yet. You can leave now.",
}


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit().page


def opened(page: Page, product: Product, name: str, coins: list[int]) -> tuple[Asked, Respondent]:
    survey = asked(product, name)
    throws(page, coins)
    page.goto(product.url + survey.address)
    return survey, Respondent(page)


@pytest.mark.parametrize(("arm", "coins"), [("direct", DIRECT), ("disguised", DISGUISED)])
def test_the_device_says_what_its_coin_decided_offers_no_choice_and_a_reload_keeps_the_arm(
    page: Page, product: Product, arm: str, coins: list[int]
) -> None:
    _survey, respondent = opened(page, product, "arms", coins)
    # The next coins would draw the other arm.
    throws(page, DISGUISED if arm == "direct" else DIRECT)
    for _load in range(2):
        respondent.begin()
        assert respondent.heading == "How you are asked"
        assert TOLD[arm] in page.locator("#screen").inner_text()
        assert page.locator("#screen").get_by_role("button").all_inner_texts() == ["Back", "Go on", "Leave"]
        expect(page.locator("#screen input")).to_have_count(0)
        page.reload()
    respondent.begin()
    respondent.press("Go on")
    assert "How old are you?" in respondent.heading


def test_leave_clears_the_arm_and_everything_else(page: Page, product: Product) -> None:
    survey, respondent = opened(page, product, "arms", DIRECT)
    respondent.begin()
    assert respondent.kept()["state"] == "answering"
    respondent.press("Leave")
    page.wait_for_url("about:blank")
    page.goto(product.url + survey.address)
    assert respondent.kept() == {}


def test_somebody_who_is_asked_directly_gets_the_plain_question_and_sends_what_they_say(
    page: Page, product: Product
) -> None:
    forget(product)
    survey, respondent = opened(page, product, "arms", DIRECT)
    respondent.begin()
    respondent.press("Go on")
    for _place in range(2):
        respondent.go_on({})
    assert "Have you ever taken money from the till?" in respondent.heading
    assert page.locator("#screen .answer").all_inner_texts() == ["No", "Yes"]
    assert "mother" not in page.locator("#screen").inner_text()
    assert "Not disguised" in page.locator("#protection").inner_text()
    respondent.go_on({2: 1})
    assert "Your answers will be sent exactly as shown above" in page.locator("#screen").inner_text()
    assert "what could be sent" not in page.locator("#screen").inner_text()
    respondent.deliver()
    assert inbox(product, survey) == ["0001"]
    assert "it does show what you answered" in page.locator("#screen").inner_text()


def test_a_crosswise_question_shows_both_questions_and_takes_one_word(page: Page, product: Product) -> None:
    forget(product)
    survey, respondent = opened(page, product, "crosswise", [])
    respondent.begin()
    respondent.go_on({})
    screen = page.locator("#screen")
    assert "Are your two answers the same?" in respondent.heading
    assert page.locator(".pair dd").all_inner_texts() == [
        "Was your mother born in January, February or March?",
        "Have you ever taken money from the till?",
    ]
    assert screen.locator(".answer strong").all_inner_texts() == ["The same", "Different"]
    assert "so nobody can tell what you answered to question B" in screen.inner_text()
    assert "someone who knows the birthday" in screen.inner_text()
    respondent.press("Continue")
    assert "Select “the same” or “different”" in page.locator(".error-summary").inner_text()
    respondent.go_on({1: 1})
    assert "Different" in page.locator(".summary").inner_text()
    assert "what could be sent" not in screen.inner_text()
    respondent.deliver()
    assert inbox(product, survey) == ["101"]
    receipt = screen.inner_text()
    assert "Different (stored as code 1)" in receipt
    # A respondent who pressed "different" must not read that the answer was yes, nor what it proves in a fold.
    assert "Yes" not in screen.locator("tbody").inner_text()
    assert "it tells nothing about you to anyone who does not know your answer to question A" in receipt
    assert "random draw" not in receipt


# Of the survey `turned` one coin, which draws the version: the second from 5,000 on.
@pytest.mark.parametrize(
    ("coin", "secret", "pages", "record"),
    [
        (4999, "Was your mother born in January, February or March?", 2, "10031"),
        (5000, "Was your mother born from April to December?", 3, "11000"),
    ],
)
def test_the_version_that_is_drawn_turns_the_secret_and_leads_rules_but_is_never_shown(
    page: Page, product: Product, coin: int, secret: str, pages: int, record: str
) -> None:
    forget(product)
    survey, respondent = opened(page, product, "turned", [coin])
    seen = []
    respondent.begin()
    while True:
        seen.append(page.locator("#screen").inner_text())
        if not respondent.choose({3: 1}):
            break
        respondent.press("Continue")
    assert len(seen) == pages + 1
    assert not any("Version" in text for text in seen)
    assert f"of {pages}" in seen[0]
    assert secret in seen[-2]
    respondent.deliver()
    # "Different" is a yes of the first version and a no of the second.
    assert inbox(product, survey) == [record]


@pytest.mark.parametrize(
    ("one", "other", "coins"),
    [
        # Whoever is asked directly sends the truth, so only the coins differ.
        ({0: 1, 1: 1, 2: 1}, {0: 1, 1: 1, 2: 1}, ([9999, 0, 0], [0, 9999, 2499])),
        # Chance answers for both; "different" is said by a yes and by a no alike.
        ({0: 1, 1: 0, 2: 1}, {0: 1, 1: 1, 2: 1}, ([9999, 0, 9999], [9999, 0, 9999])),
    ],
    ids=["direct", "disguised"],
)
def test_in_either_arm_the_same_record_leaves_the_same_traces(
    chromium: Browser,
    product: Product,
    one: dict[int, int],
    other: dict[int, int],
    coins: tuple[list[int], list[int]],
) -> None:
    survey = asked(product, "arms")
    first = traced(chromium, product, survey, one, coins[0])
    second = traced(chromium, product, survey, other, coins[1])
    assert len(first.inbox) == 1
    assert first.arrived == second.arrived


def test_in_both_arms_requests_are_equally_long_and_the_completion_comes_after_them_and_not_before(
    chromium: Browser, product: Product
) -> None:
    forget(product)
    survey = asked(product, "arms")
    with listening(product) as line:
        page = profile(chromium).new_page()
        for coins in (DIRECT, DISGUISED):
            throws(page, coins)
            for code in (0, 1):
                page.goto(line.url + survey.address)
                respondent = Respondent(page)
                screens = respondent.screens(dict.fromkeys(range(3), code))
                seen = [page.content(), *(page.content() for _screen in screens)]
                assert len(seen) == 6
                assert not any(CODE in content for content in seen)
                respondent.deliver()
                expect(page.locator("#completion code")).to_have_text(CODE)
                forget(product)
        page.context.close()
        lengths = [len(request) for request in line.requests() if request.startswith(b"POST")]
    assert len(lengths) == 4
    assert len(set(lengths)) == 1


def test_what_a_panel_adds_to_the_address_is_found_nowhere(chromium: Browser, product: Product) -> None:
    forget(product)
    survey, personal = asked(product, "arms"), "5f3c9e2b1a"
    with listening(product) as line:
        page = profile(chromium).new_page()
        throws(page, DIRECT)
        page.goto(f"{line.url}{survey.address}?PROLIFIC_PID={personal}")
        respondent = Respondent(page)
        assert page.evaluate("location.pathname + location.search + location.hash") == survey.address
        respondent.answer({})
        respondent.deliver()
        kept = page.evaluate(
            "JSON.stringify([{...sessionStorage}, {...localStorage}, history.state, document.cookie])"
        )
        assert personal not in kept + page.content()
        page.context.close()
        requests = [request for request in line.requests() if personal.encode() in request]
    # The one that asked for the address; the answer to it is a redirect.
    assert [request.split(b" ")[0] for request in requests] == [b"GET"]
    files = [each for each in product.var.rglob("*") if each.is_file()]
    assert not [each for each in files if personal.encode() in each.read_bytes()]
    forget(product)


# --- by keyboard, by screen reader, in both languages


def test_the_screens_of_arm_and_crosswise_question_are_reachable_and_legible(
    visit: Visit, product: Product
) -> None:
    visitor = visit()
    page = visitor.page
    for coins in (DIRECT, DISGUISED):
        _survey, respondent = opened(page, product, "arms", coins)
        respondent.begin()
        visitor.check()
        page.evaluate("sessionStorage.clear()")
    through_by_keyboard(page)
    visitor.check()
    fits(page)


def fits(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def through_by_keyboard(page: Page) -> None:
    """From the arm to the crosswise question, without a mouse."""
    page.get_by_role("button", name="Go on").press("Enter")
    for _place in range(2):
        page.locator("#screen input").first.press("Space")
        page.locator("#screen input").first.press("Enter")
    assert "Are your two answers the same?" in Respondent(page).heading


def test_arm_and_crosswise_question_speak_chinese(chromium: Browser, product: Product) -> None:
    page = profile(chromium).new_page()
    _survey, respondent = opened(page, product, "arms", DISGUISED)
    page.locator("button[data-language=zh-hans]").click()
    respondent.begin()
    page.locator("#screen .onward button").first.click()
    while "收银台" not in page.locator("#screen").inner_text():
        respondent.choose({})
        page.locator("#screen .onward button").first.click()
    assert page.locator(".pair dd").first.inner_text() == "您的母亲是在一月、二月或三月出生的吗？"
    assert page.locator("html").get_attribute("lang") == "zh-hans"
    page.context.close()


# --- without JavaScript


def test_without_javascript_a_crosswise_question_is_answered_on_the_form(
    chromium: Browser, product: Product
) -> None:
    forget(product)
    survey = asked(product, "crosswise")
    with listening(product) as line:
        page = profile(chromium, java_script_enabled=False).new_page()
        for code in (0, 1):
            page.goto(line.url + survey.address)
            page.get_by_role("link", name="Answer without JavaScript").click()
            page.locator(f"input[name=answer-0][value='{code}']").check()
            page.locator(f"input[name=answer-1][value='{code}']").check()
            page.get_by_role("button", name="Send").click()
            received(page)
        page.context.close()
        lengths = [len(request) for request in line.requests() if request.startswith(b"POST")]
    assert inbox(product, survey) == ["100", "111"]
    assert lengths == [lengths[0]] * 2


def test_a_form_waits_for_every_answer_and_sent_again_by_a_reload_counts_once(
    chromium: Browser, product: Product
) -> None:
    forget(product)
    survey = asked(product, "crosswise")
    page = profile(chromium, java_script_enabled=False).new_page()
    page.goto(f"{product.url}{survey.address}/form?PROLIFIC_PID=5f3c9e2b1a")
    assert page.url == f"{product.url}{survey.address}/form"
    assert CODE not in page.content()
    page.locator("input[name=answer-0]").first.check()
    page.get_by_role("button", name="Send").click()
    assert page.url.endswith("/form")
    assert page.locator("h1").inner_text() == "Tax and work"
    assert inbox(product, survey) == []
    page.locator("input[name=answer-1]").first.check()
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#completion code")).to_have_text(CODE)
    page.reload()
    expect(page.locator("main")).to_contain_text("already arrived at an earlier try")
    expect(page.locator("#completion code")).to_have_text(CODE)
    assert len(inbox(product, survey)) == 1
    page.context.close()
    forget(product)


def test_the_form_takes_the_code_of_an_invitation(chromium: Browser, product: Product) -> None:
    forget(product)
    survey = asked(product, "crosswise by invitation")
    page = profile(chromium, java_script_enabled=False).new_page()
    page.goto(f"{product.url}{survey.address}/form")
    page.locator("input[name=answer-0]").first.press("Space")
    page.locator("input[name=answer-1]").first.press("Space")
    page.get_by_label("Your invitation code").press_sequentially(survey.tokens[0])
    page.get_by_label("Your invitation code").press("Enter")
    received(page)
    assert len(inbox(product, survey)) == 1
    page.context.close()


def test_the_form_is_reachable_and_legible(visit: Visit, product: Product) -> None:
    visitor = visit()
    visitor.go(f"{asked(product, 'crosswise by invitation').address}/form")
    visitor.check()
    fits(visitor.page)


# --- Batteries, texts of sections, random order and the answer that excludes the others, by key

NARROW = {"viewport": {"width": 320, "height": 640}}

# Of the six coins only the last decides what is seen: below 2, so that 0 leaves the order and 1 swaps the two blocks.
AS_WRITTEN = [0] * 5
SWAPPED = [0] * 4 + [1]
NONE = "None of these"

# The random order of three answers takes the last two coins, below 3 and below 2: the third, the first, the second.
THIRD_FIRST = [2, 1]


def to_battery(respondent: Respondent) -> None:
    respondent.begin()
    respondent.go_on({})


def to_options(respondent: Respondent) -> None:
    to_battery(respondent)
    respondent.go_on({})


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
    page.check("#answer-2-1")
    respondent.press("Continue")
    assert page.locator(".error-summary li").all_inner_texts() == [
        "Select one of the answers: My pay is fair.",
        "Select one of the answers: I am listened to.",
    ]
    page.get_by_role("button", name="Select one of the answers: I am listened to.").click()
    expect(page.locator("#answer-3-0")).to_be_focused()
    visitor.check()


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
    page.add_init_script("crypto.getRandomValues = array => array.fill(0)")
    page.reload()
    respondent.begin()
    assert respondent.places == [1, 2, 3]
    respondent.go_on({1: 2, 2: 1, 3: 0})
    assert "situation at work" in respondent.heading
    expect(intro).to_have_count(0)
    respondent.go_on({0: 1})
    assert intro.inner_text() == "Now about medicines."
    page.get_by_label(NONE).check()
    respondent.press("Continue")
    respondent.deliver()
    assert respondent.receipt()["answers"].startswith("1210")


def test_answers_in_random_order_survive_a_reload_and_are_not_in_the_record(
    visit: Visit, product: Product
) -> None:
    forget(product)
    survey = asked(product, "shuffled")
    visitor = visit(**NARROW)
    throws(visitor.page, [*[0] * (len(sides_of_coins(survey.design)) - 2), *THIRD_FIRST])
    page = visitor.go(survey.address)
    respondent = Respondent(page)
    respondent.begin()
    respondent.go_on({})
    shown = ["Plum", "Apple", "Pear", "None of these"]
    assert page.locator("#screen label").all_inner_texts() == shown
    visitor.check()
    page.add_init_script("crypto.getRandomValues = array => array.fill(1)")
    page.reload()
    respondent.begin()
    respondent.go_on({})
    assert page.locator("#screen label").all_inner_texts() == shown
    page.get_by_label("Plum").check()
    respondent.press("Continue")
    respondent.go_on({})
    respondent.deliver()
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
    page.get_by_role("button", name="继续").click()
    assert "您在多大程度上同意？" in respondent.heading
    expect(
        page.get_by_role("radiogroup", name="我的报酬公平。").get_by_role("radio", name="不同意")
    ).not_to_have_count(0)
    respondent.choose({})
    page.get_by_role("button", name="继续").click()
    expect(page.get_by_label("以上都没有")).to_have_count(1)
