"""Arms, drawn questions and crosswise questions on the respondents' pages."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.answering import (
    Asked,
    Respondent,
    arrived,
    asked,
    forget,
    inbox,
    listening,
    received,
    throws,
)
from tests.browser.conftest import Visit, profile
from tests.browser.study_questionnaires import CODE
from tests.browser.test_answering_traces import traced, worker
from tests.browser.warm import visit
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit", "worker"]

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
        respondent.choose({})
        respondent.press("Continue")
    assert "Have you ever taken money from the till?" in respondent.heading
    assert page.locator("#screen .answer").all_inner_texts() == ["No", "Yes"]
    assert "mother" not in page.locator("#screen").inner_text()
    assert "Not disguised" in page.locator("#protection").inner_text()
    respondent.choose({2: 1})
    respondent.press("Continue")
    assert "Your answers will be sent exactly as shown above" in page.locator("#screen").inner_text()
    assert "what could be sent" not in page.locator("#screen").inner_text()
    respondent.send()
    arrived(page)
    assert inbox(product, survey) == ["0001"]
    assert "it does show what you answered" in page.locator("#screen").inner_text()


def test_a_crosswise_question_shows_both_questions_and_takes_one_word(page: Page, product: Product) -> None:
    forget(product)
    survey, respondent = opened(page, product, "crosswise", [])
    respondent.begin()
    respondent.choose({})
    respondent.press("Continue")
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
    respondent.choose({1: 1})
    respondent.press("Continue")
    assert "Different" in page.locator(".summary").inner_text()
    assert "what could be sent" not in screen.inner_text()
    respondent.send()
    arrived(page)
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
    respondent.send()
    arrived(page)
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
                respondent.send()
                arrived(page)
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
        respondent.send()
        arrived(page)
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
    for arm, coins in (("direct", DIRECT), ("disguised", DISGUISED)):
        _survey, respondent = opened(page, product, "arms", coins)
        visitor.shoot("arms-start")
        respondent.begin()
        visitor.check()
        visitor.shoot(f"arm-{arm}")
        page.evaluate("sessionStorage.clear()")
    through_by_keyboard(page)
    visitor.check()
    fits(page)
    visitor.shoot("crosswise")


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
    visitor.shoot("form")
