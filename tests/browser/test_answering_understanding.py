"""The check of understanding, what can be tried on the start page, and what somebody else sees of ten records."""

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from proof.browser_visit import visit_survey as proof_visit
from tests.browser.conftest import (
    Asked,
    NewPage,
    Respondent,
    Visit,
    fix_words,
    get_survey,
    inbox,
    record_line,
)
from tests.browser.test_answering_traces import SNAPSHOT
from tests.browser.visiting import Visitor
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True
SURE = "Could somebody who sees your record be sure what you answered to a private question?"
COMMON = "Can researchers still work out from all records together how common something is?"
WHY_SURE = "No, not if your answers are disguised. Such a record can come from any true answer"
WHY_COMMON = "Yes. They know how often chance decides"
MOST_BYTES = 60_000
CHECK = "Is it clear how you are protected?"
STATE = {"state", "drawn", "token"}
"""What the tab keeps while somebody answers."""


def select(page: Page, sure: str | None, common: str | None) -> None:
    for question, answer in ((SURE, sure), (COMMON, common)):
        if answer:
            page.get_by_role("group", name=question).get_by_role("radio", name=answer).check()
    Respondent(page).press_button("Continue")


def answer(page: Page) -> None:
    """ "40 or older" and "Yes"."""
    assert "How old are you?" in Respondent(page).heading
    for place in range(2):
        page.check(f"#answer-{place}-1")
        Respondent(page).press_button("Continue")


def test_right_second_try_of_the_check_is_stored(
    new_page: NewPage, product: Product, understanding: Asked
) -> None:
    with record_line(product) as line:
        page = new_page()
        page.goto(line.url + understanding.address)
        expect(page.locator("#start")).to_contain_text("First, two questions check whether this page was")
        respondent = Respondent(page).agree_and_begin()
        # An item without an answer costs no try.
        select(page, "Yes", None)
        expect(page.locator(".error-summary")).to_be_focused()
        page.locator(".error-summary").get_by_role("button").click()
        assert page.evaluate("document.activeElement.id") == "understood-1-0"
        select(page, None, "Yes")
        expect(page.get_by_text("Not quite. Read why, and select again.")).to_be_focused()
        expect(page.get_by_role("group", name=SURE)).to_contain_text(WHY_SURE)
        # Only what was wrong is explained, and asked again with nothing selected.
        assert WHY_COMMON not in page.locator("#screen").inner_text()
        chosen = page.locator("#screen input:checked").evaluate_all("all => all.map(e => e.id)")
        assert chosen == ["understood-1-1"]
        Visitor(page, product).check()
        assert respondent.tab_storage().keys() == STATE
        select(page, "No", None)
        respondent.press_button("Back")
        expect(page.locator("#screen input")).to_have_count(0)
        respondent.press_button("Continue")
        answer(page)
        row = page.locator(".summary > div").first
        expect(row).to_contain_text("Were the two questions understood?")
        expect(row).to_contain_text("After an explanation")
        expect(row.get_by_role("button")).to_have_count(0)
        assert "Question 2 of 2" not in page.locator("#screen").inner_text()
        respondent.deliver()
        [record] = inbox(product, understanding)
        assert respondent.receipt()["answers"][-1] == record[-1] == "1"
        page.context.close()
        assert [one.startswith(b"POST") for one in line.requests()].count(True) == 1


def test_failing_the_check_turns_nobody_away(visit: Visit, product: Product, understanding: Asked) -> None:
    page = visit().go(understanding.address)
    respondent = Respondent(page).agree_and_begin()
    select(page, "Yes", "No")
    select(page, "Yes", "Yes")
    expect(page.get_by_text("Not quite. This is how it works:")).to_be_focused()
    assert WHY_SURE in page.locator("#screen").inner_text()
    expect(page.locator("#screen input")).to_have_count(0)
    respondent.press_button("Continue")
    answer(page)
    respondent.deliver()
    [record] = inbox(product, understanding)
    assert record[-1] == "2"


def test_understanding_check_works_by_keyboard(
    visitor: Visitor, product: Product, understanding: Asked
) -> None:
    page = visitor.go(understanding.address)
    Respondent(page).agree_and_begin()
    expect(page.get_by_role("heading", name=CHECK)).to_be_focused()
    for key in ("Tab", "Space", "Tab", "Space", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    answer(page)
    Respondent(page).deliver()
    [record] = inbox(product, understanding)
    assert record[-1] == "0"
    visitor.go(get_survey(product, "understanding in arms").address)
    Respondent(page).agree_and_begin()
    assert Respondent(page).heading == CHECK
    select(page, "No", "Yes")
    assert Respondent(page).heading == "How you are asked"


def test_ten_example_records_are_shown(new_page: NewPage, product: Product, understanding: Asked) -> None:
    """On a start page that takes at most sixty kilobytes with all that it loads."""
    with record_line(product) as line:
        page = new_page()
        page.goto(line.url + understanding.address, wait_until="networkidle")
        assert line.bytes_received() <= MOST_BYTES
        requests = len(line.requests())
        inner_fold(page, "What somebody else sees").focus()
        page.keyboard.press("Enter")
        seen = page.locator("[data-outsider]:visible")
        # p = .5: a record says what is true in 3 of 4 cases.
        expect(seen).to_contain_text("75 % of all records say what is true")
        page.keyboard.press("Tab")
        records: list[str] = []
        for _press in range(6):
            page.keyboard.press("Enter")
            records += seen.locator(".flips li").all_inner_texts()
        assert len(records) == 60
        assert set(records) == {"Yes", "No"}
        last = records[-10:]
        said = f"“Yes” is in {last.count('Yes')} of 10 records, “No” in {last.count('No')}."
        expect(page.get_by_role("status").filter(has_text=said)).to_be_visible()
        marks = seen.locator(".mark").evaluate_all("all => all.map(e => e.className)")
        assert set(marks) == {"mark disguised"}
        assert len(line.requests()) == requests
        assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_proof_browser_answers_the_understanding_check(
    chromium: Browser, product: Product, understanding: Asked
) -> None:
    visited = proof_visit(
        chromium, product.url, understanding.address, understanding.design, "canary", sends=False
    )
    assert visited.truth == (1, 1, 0)


# Heads, and five times tails with yes and no in turn, and heads again: each flip has two coins.
WORDS = [0, 0, 9999, 9999, 9999, 0, 9999, 9999, 9999, 0, 9999, 9999, *[0] * 8]
SENT = ["Yes", "Yes", "No", "Yes", "No", "Yes", "Yes", "Yes", "Yes", "Yes"]
PROVES = "Does that prove that you said yes?"
NOTE_CLOCKS = """() => { window.asked = []; const note = (of, name) => { const real = of[name].bind(of);
    of[name] = (...words) => { window.asked.push(name); return real(...words); }; };
    note(Date, "now"); note(performance, "now"); note(window, "setTimeout"); note(window, "setInterval");
    note(window, "requestAnimationFrame"); note(history, "pushState"); }"""


def inner_fold(page: Page, title: str) -> Locator:
    """What opens a fold that stands in the one about the disguise, which is opened here."""
    page.get_by_text("How your answers are protected").locator("visible=true").click()
    return page.get_by_text(title).locator("visible=true")


def made_up_question(page: Page) -> Locator:
    return inner_fold(page, "Try it with a made-up question")


def press_answer(page: Page, question: str, answer: str) -> None:
    page.get_by_role("group", name=question).get_by_role("button", name=answer).click()


def flip(page: Page, answer: str = "Yes") -> None:
    press_answer(page, "Do you sing in the shower?", answer)


def flips(page: Page) -> list[str]:
    return page.locator(".flips li span:nth-child(2)").all_inner_texts()


def test_ten_coin_flips_show_what_would_be_sent(visitor: Visitor, short: Asked) -> None:
    fix_words(visitor.page, WORDS)
    page = visitor.go(short.address)
    made_up_question(page).focus()
    for key in ("Enter", "Tab", "Enter"):
        page.keyboard.press(key)
    assert flips(page) == SENT
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    marks = page.locator(".flips .mark").evaluate_all("all => all.map(e => e.classList[1])")
    assert marks == ["plain", *["hatched"] * 5, *["plain"] * 4]
    expect(page.get_by_role("status").filter(has_text="“Yes” would be sent in 8 of 10 flips")).to_be_visible()
    visitor.check()
    flip(page, "No")
    assert len(flips(page)) == 10
    for answer, reply in (("No", "That is right."), ("Yes", "Many people think so at first")):
        press_answer(page, PROVES, answer)
        expect(page.get_by_role("status").filter(has_text=reply)).to_be_visible()


def test_example_coin_is_not_sent_kept_or_timed(new_page: NewPage, product: Product, short: Asked) -> None:
    """Neither a clock nor a timer is asked while somebody plays."""
    with record_line(product) as line:
        page = new_page()
        page.goto(line.url + short.address, wait_until="networkidle")
        requests, before = len(line.requests()), page.evaluate(SNAPSHOT)
        made_up_question(page).click()
        page.evaluate(NOTE_CLOCKS)
        flip(page)
        press_answer(page, PROVES, "Yes")
        assert page.evaluate("window.asked") == []
        assert page.evaluate(SNAPSHOT) == before
        assert len(line.requests()) == requests
        expect(page.locator("input, form")).to_have_count(0)
        respondent = Respondent(page).agree_and_begin()
        assert page.evaluate(SNAPSHOT)["session"].keys() == {short.address}
        assert respondent.tab_storage().keys() == STATE
        expect(page.locator("[data-toy] [aria-pressed=true], .flips li")).to_have_count(0)


def test_example_coin_has_no_motion_on_request_and_changes_language(visit: Visit, fourteen: Asked) -> None:
    page = visit(reduced_motion="reduce").go(fourteen.address)
    made_up_question(page).click()
    flip(page)
    moving = "document.getAnimations().filter(one => one.effect.getComputedTiming().endTime > 1).length"
    assert page.evaluate(moving) == 0
    page.get_by_role("button", name="简体中文").click()
    expect(page.locator("[data-toy]:not(:empty)")).to_have_count(1)
    assert page.locator("[data-in=zh-hans] [data-toy] button").first.text_content() == "是"
    expect(page.locator(".flips li")).to_have_count(0)
