"""The check of understanding, what can be tried on the start page, and what somebody else sees of ten records."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from proof.browser_visit import visit_survey as proof_visit
from tests.browser.answering import Asked, Respondent, asked, inbox, listening, throws
from tests.browser.conftest import Visit
from tests.browser.test_answering_traces import SNAPSHOT
from tests.browser.visiting import Make, profile, usual
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True
SURE = "Could somebody who sees your record be sure what you answered to a private question?"
COMMON = "Can researchers still work out from all records together how common something is?"
WHY_SURE, WHY_COMMON = "No. A record can come from any true answer", "Yes. They know how often chance decides"
MOST_BYTES = 60_000
CHECK = "Is it clear how you are protected?"


def select(page: Page, sure: str | None, common: str | None) -> None:
    for question, answer in ((SURE, sure), (COMMON, common)):
        if answer:
            page.get_by_role("group", name=question).get_by_role("radio", name=answer).check()
    Respondent(page).press("Continue")


def send(page: Page) -> list[int]:
    """The codes of the record that is sent with "40 or older" and "Yes"."""
    respondent = Respondent(page)
    assert "How old are you?" in respondent.heading
    for place in range(2):
        page.check(f"#answer-{place}-1")
        respondent.press("Continue")
    respondent.deliver()
    return [int(code) for code in respondent.receipt()["answers"]]


def test_right_at_once_goes_on_and_is_stored_as_such(
    visit: Visit, product: Product, understanding: Asked
) -> None:
    visitor = visit()
    page = visitor.go(understanding.address)
    expect(page.locator("#start")).to_contain_text("First, two questions check whether this page was clear.")
    Respondent(page).begin()
    expect(page.get_by_role("heading", name=CHECK)).to_be_focused()
    visitor.check()
    select(page, "No", "Yes")
    assert send(page)[-1] == 0
    [record] = inbox(product, understanding)
    assert record[-1] == "0"


def test_a_wrong_answer_is_explained_and_a_right_second_try_is_stored_as_explained(
    visit: Visit, product: Product, understanding: Asked
) -> None:
    visitor = visit()
    page = visitor.go(understanding.address)
    Respondent(page).begin()
    select(page, "Yes", "Yes")
    notice = page.get_by_text("Not quite. Read why, and select again.")
    expect(notice).to_be_focused()
    expect(page.get_by_role("group", name=SURE)).to_contain_text(WHY_SURE)
    # Only what was wrong is explained, and asked again with nothing selected.
    assert WHY_COMMON not in page.locator("#screen").inner_text()
    assert page.locator("#screen input:checked").evaluate_all("all => all.map(e => e.id)") == [
        "understood-1-1"
    ]
    visitor.check()
    select(page, "No", None)
    assert send(page)[-1] == 1
    [record] = inbox(product, understanding)
    assert record[-1] == "1"


def test_wrong_twice_is_stored_as_not_and_nobody_is_turned_away(
    visit: Visit, product: Product, understanding: Asked
) -> None:
    page = visit().go(understanding.address)
    respondent = Respondent(page)
    respondent.begin()
    select(page, "Yes", "No")
    select(page, "Yes", "Yes")
    expect(page.get_by_text("Not quite. This is how it works:")).to_be_focused()
    assert WHY_SURE in page.locator("#screen").inner_text()
    expect(page.locator("#screen input")).to_have_count(0)
    respondent.press("Continue")
    assert send(page)[-1] == 2
    [record] = inbox(product, understanding)
    assert record[-1] == "2"


def test_an_item_without_an_answer_is_asked_for_and_costs_no_try(visit: Visit, understanding: Asked) -> None:
    page = visit().go(understanding.address)
    Respondent(page).begin()
    select(page, "No", None)
    expect(page.locator(".error-summary")).to_be_focused()
    page.locator(".error-summary").get_by_role("button").click()
    assert page.evaluate("document.activeElement.id") == "understood-1-0"
    select(page, None, "Yes")
    assert send(page)[-1] == 0


def test_what_is_stored_is_told_before_sending_and_cannot_be_changed_by_going_back(
    visit: Visit, understanding: Asked
) -> None:
    page = visit().go(understanding.address)
    respondent = Respondent(page)
    respondent.begin()
    select(page, "Yes", "Yes")
    select(page, "No", None)
    respondent.press("Back")
    expect(page.locator("#screen input")).to_have_count(0)
    respondent.press("Continue")
    for place in range(2):
        page.check(f"#answer-{place}-1")
        respondent.press("Continue")
    row = page.locator(".summary > div").first
    assert "Were the two questions understood?" in row.inner_text()
    assert "After an explanation" in row.inner_text()
    expect(row.get_by_role("button")).to_have_count(0)
    assert "Question 2 of 2" not in page.locator("#screen").inner_text()


def test_the_arm_is_told_after_the_check(visit: Visit, product: Product) -> None:
    page = visit().go(asked(product, "understanding in arms").address)
    Respondent(page).begin()
    assert Respondent(page).heading == CHECK
    select(page, "No", "Yes")
    assert Respondent(page).heading == "How you are asked"


def test_the_check_works_by_keyboard(visit: Visit, understanding: Asked) -> None:
    page = visit().go(understanding.address)
    Respondent(page).begin()
    for keys in (["Tab", "Space"], ["Tab", "Space", "ArrowDown", "Enter"]):
        for key in keys:
            page.keyboard.press(key)
    assert "How old are you?" in Respondent(page).heading


def test_ten_records_are_shown_without_coins_by_keyboard_and_nothing_is_sent_or_kept(
    chromium: Browser, product: Product, understanding: Asked
) -> None:
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + understanding.address, wait_until="networkidle")
        requests = len(line.requests())
        inner_fold(page, "What somebody else sees").focus()
        page.keyboard.press("Enter")
        # p = .5: a record says what is true in 3 of 4 cases.
        expect(page.locator("[data-outsider]:visible")).to_contain_text(
            "75 % of all records say what is true"
        )
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        records = page.locator("[data-outsider]:visible .flips li").all_inner_texts()
        assert len(records) == 10
        assert set(records) <= {"Yes", "No"}
        for _press in range(5):
            page.keyboard.press("Enter")
            records += page.locator("[data-outsider]:visible .flips li").all_inner_texts()
        assert set(records) == {"Yes", "No"}
        records = records[-10:]
        said = f"“Yes” is in {records.count('Yes')} of 10 records, “No” in {records.count('No')}."
        expect(page.get_by_role("status").filter(has_text=said)).to_be_visible()
        assert set(
            page.locator("[data-outsider]:visible .mark").evaluate_all("all => all.map(e => e.className)")
        ) == {"mark disguised"}
        assert len(line.requests()) == requests
        assert page.evaluate("sessionStorage.length + localStorage.length") == 0
        page.context.close()


def test_the_start_page_with_the_check_takes_at_most_sixty_kilobytes(
    chromium: Browser, product: Product, understanding: Asked
) -> None:
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + understanding.address, wait_until="networkidle")
        expect(page.locator("[data-agree]:visible")).to_have_count(1)
        page.context.close()
        print(f"{line.bytes_received()} bytes in {len(line.requests())} requests")
        assert line.bytes_received() <= MOST_BYTES


def test_what_was_pressed_leaves_the_device_in_no_request_but_the_one_code(
    chromium: Browser, product: Product, understanding: Asked
) -> None:
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + understanding.address)
        Respondent(page).begin()
        select(page, "Yes", "Yes")
        assert set(json.loads(page.evaluate("sessionStorage.getItem(location.pathname)"))) == {
            "state",
            "drawn",
            "token",
        }
        select(page, "No", None)
        assert send(page)[-1] == 1
        assert [b"POST" in one.split(b" ")[0] for one in line.requests()].count(True) == 1
        page.context.close()


def test_the_browser_of_a_proof_answers_the_check(
    chromium: Browser, product: Product, understanding: Asked
) -> None:
    visited = proof_visit(
        chromium, product.url, understanding.address, understanding.design, "canary", sends=False
    )
    assert visited.truth == (1, 1, 0)


# --- What can be tried on the start page, of which nothing leaves it and nothing is kept

# Heads, and five times tails with yes and no in turn, and heads again: each flip has two coins.
WORDS = [0, 0, 9999, 9999, 9999, 0, 9999, 9999, 9999, 0, 9999, 9999, *[0] * 8]
SENT = ["Yes", "Yes", "No", "Yes", "No", "Yes", "Yes", "Yes", "Yes", "Yes"]


def inner_fold(page: Page, title: str) -> Locator:
    """What opens a fold that stands in the one about the disguise, which is opened here."""
    page.get_by_text("How your answers are protected").locator("visible=true").click()
    return page.get_by_text(title).locator("visible=true")


def toy(page: Page) -> Locator:
    return inner_fold(page, "Try it with a made-up question")


def unfold(page: Page) -> None:
    toy(page).click()


def press(page: Page, question: str, answer: str) -> None:
    page.get_by_role("group", name=question).get_by_role("button", name=answer).click()


def flip(page: Page, answer: str = "Yes") -> None:
    press(page, "Do you sing in the shower?", answer)


def flips(page: Page) -> list[str]:
    return page.locator(".flips li span:nth-child(2)").all_inner_texts()


def test_ten_flips_show_what_would_be_sent(visit: Visit, short: Asked) -> None:
    visitor = visit()
    throws(visitor.page, WORDS)
    page = visitor.go(short.address)
    unfold(page)
    flip(page)
    assert flips(page) == SENT
    marks = page.locator(".flips .mark").evaluate_all("all => all.map(e => e.classList[1])")
    assert marks == ["plain", *["hatched"] * 5, *["plain"] * 4]
    expect(page.get_by_role("status").filter(has_text="“Yes” would be sent in 8 of 10 flips")).to_be_visible()
    visitor.check()
    flip(page, "No")
    assert len(flips(page)) == 10


def test_the_question_that_checks_understanding_is_kind_to_either_answer(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    unfold(page)
    for answer, reply in (("No", "That is right."), ("Yes", "Many people think so at first")):
        press(page, "Does that prove that you said yes?", answer)
        expect(page.get_by_role("status").filter(has_text=reply)).to_be_visible()
    Respondent(page).begin()
    assert Respondent(page).heading != "Short"


def test_the_toy_works_by_keyboard(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    toy(page).focus()
    page.keyboard.press("Enter")
    for key in ("Enter", "Space"):
        page.keyboard.press("Tab")
        page.keyboard.press(key)
        assert len(flips(page)) == 10
        assert page.evaluate("document.activeElement.ariaPressed") == "true"


def looked(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(SNAPSHOT)
    return found


def test_nothing_of_the_toy_is_sent_or_kept(chromium: Browser, product: Product, short: Asked) -> None:
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + short.address, wait_until="networkidle")
        requests, before = len(line.requests()), looked(page)
        unfold(page)
        flip(page)
        press(page, "Does that prove that you said yes?", "Yes")
        assert looked(page) == before
        assert len(line.requests()) == requests
        expect(page.locator("input, form")).to_have_count(0)
        Respondent(page).begin()
        assert looked(page)["session"].keys() == {short.address}
        assert set(json.loads(looked(page)["session"][short.address])) == {"state", "drawn", "token"}
        expect(page.locator("[data-toy] [aria-pressed=true], .flips li")).to_have_count(0)
        page.context.close()


def test_the_toy_measures_no_time(visit: Visit, short: Asked) -> None:
    """Neither a clock nor a timer is asked while somebody plays."""
    page = visit().go(short.address)
    unfold(page)
    page.evaluate(
        """() => { window.asked = []; const note = (of, name) => { const real = of[name].bind(of);
            of[name] = (...words) => { window.asked.push(name); return real(...words); }; };
            note(Date, "now"); note(performance, "now"); note(window, "setTimeout"); note(window, "setInterval");
            note(window, "requestAnimationFrame"); note(history, "pushState"); }"""
    )
    flip(page)
    press(page, "Does that prove that you said yes?", "No")
    assert page.evaluate("window.asked") == []


def test_the_coins_do_not_fall_where_somebody_asked_for_less_motion(visit: Visit, short: Asked) -> None:
    page = visit(reduced_motion="reduce").go(short.address)
    unfold(page)
    flip(page)
    lasting = (
        "document.getAnimations().map(one => one.effect.getComputedTiming().endTime).filter(end => end > 1)"
    )
    assert page.evaluate(lasting) == []


def test_the_toy_speaks_the_language_that_is_chosen_and_begins_anew(visit: Visit, product: Product) -> None:
    page = visit().go(asked(product, "fourteen").address)
    unfold(page)
    flip(page)
    page.get_by_role("button", name="简体中文").click()
    expect(page.locator("[data-toy]:not(:empty)")).to_have_count(1)
    assert page.locator("[data-in=zh-hans] [data-toy] button").first.text_content() == "是"
    expect(page.locator(".flips li")).to_have_count(0)


def test_a_preview_has_the_toy_too(visit: Visit, make: Make) -> None:
    draft = make(*usual())
    page = visit("researcher").go(f"{draft.path}/preview/page")
    unfold(page)
    flip(page)
    assert len(flips(page)) == 10
