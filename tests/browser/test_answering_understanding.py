"""The check of understanding before the first question, and what somebody else sees of ten records."""

import json

import pytest
from playwright.sync_api import Browser, Page, expect

from proof.visit import visit as proof_visit
from tests.browser.answering import Asked, Respondent, arrived, asked, forget, inbox, listening
from tests.browser.conftest import Visit, profile
from tests.browser.warm import visit
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit"]

SURE = "Could somebody who sees your record be sure what you answered to a private question?"
COMMON = "Can researchers still work out from all records together how common something is?"
WHY_SURE, WHY_COMMON = "No. A record can come from any true answer", "Yes. They know how often chance decides"
MOST_BYTES = 60_000
CHECK = "Is it clear how you are protected?"


@pytest.fixture
def survey(product: Product) -> Asked:
    forget(product)
    return asked(product, "understanding")


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
    respondent.send()
    arrived(page)
    return [int(code) for code in respondent.receipt()["answers"]]


def test_right_at_once_goes_on_and_is_stored_as_such(visit: Visit, product: Product, survey: Asked) -> None:
    visitor = visit()
    page = visitor.go(survey.address)
    expect(page.locator("#start")).to_contain_text("First, two questions check whether this page was clear.")
    Respondent(page).begin()
    expect(page.get_by_role("heading", name=CHECK)).to_be_focused()
    visitor.check()
    visitor.shoot("answer-understanding")
    select(page, "No", "Yes")
    assert send(page)[-1] == 0
    [record] = inbox(product, survey)
    assert record[-1] == "0"


def test_a_wrong_answer_is_explained_and_a_right_second_try_is_stored_as_explained(
    visit: Visit, product: Product, survey: Asked
) -> None:
    visitor = visit()
    page = visitor.go(survey.address)
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
    [record] = inbox(product, survey)
    assert record[-1] == "1"


def test_wrong_twice_is_stored_as_not_and_nobody_is_turned_away(
    visit: Visit, product: Product, survey: Asked
) -> None:
    page = visit().go(survey.address)
    respondent = Respondent(page)
    respondent.begin()
    select(page, "Yes", "No")
    select(page, "Yes", "Yes")
    expect(page.get_by_text("Not quite. This is how it works:")).to_be_focused()
    assert WHY_SURE in page.locator("#screen").inner_text()
    expect(page.locator("#screen input")).to_have_count(0)
    respondent.press("Continue")
    assert send(page)[-1] == 2
    [record] = inbox(product, survey)
    assert record[-1] == "2"


@pytest.mark.release
def test_an_item_without_an_answer_is_asked_for_and_costs_no_try(visit: Visit, survey: Asked) -> None:
    page = visit().go(survey.address)
    Respondent(page).begin()
    select(page, "No", None)
    expect(page.locator(".error-summary")).to_be_focused()
    page.locator(".error-summary").get_by_role("button").click()
    assert page.evaluate("document.activeElement.id") == "understood-1-0"
    select(page, None, "Yes")
    assert send(page)[-1] == 0


@pytest.mark.release
def test_what_is_stored_is_told_before_sending_and_cannot_be_changed_by_going_back(
    visit: Visit, survey: Asked
) -> None:
    page = visit().go(survey.address)
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


@pytest.mark.release
def test_the_arm_is_told_after_the_check(visit: Visit, product: Product) -> None:
    page = visit().go(asked(product, "understanding in arms").address)
    Respondent(page).begin()
    assert Respondent(page).heading == CHECK
    select(page, "No", "Yes")
    assert Respondent(page).heading == "How you are asked"


@pytest.mark.release
def test_the_check_works_by_keyboard(visit: Visit, survey: Asked) -> None:
    page = visit().go(survey.address)
    Respondent(page).begin()
    for keys in (["Tab", "Space"], ["Tab", "Space", "ArrowDown", "Enter"]):
        for key in keys:
            page.keyboard.press(key)
    assert "How old are you?" in Respondent(page).heading


def test_ten_records_are_shown_without_coins_by_keyboard_and_nothing_is_sent_or_kept(
    chromium: Browser, product: Product, survey: Asked
) -> None:
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + survey.address, wait_until="networkidle")
        requests = len(line.requests())
        page.get_by_text("What somebody else sees").locator("visible=true").focus()
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


@pytest.mark.release
def test_the_start_page_with_the_check_takes_at_most_sixty_kilobytes(
    chromium: Browser, product: Product, survey: Asked
) -> None:
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + survey.address, wait_until="networkidle")
        expect(page.locator("[data-agree]:visible")).to_have_count(1)
        page.context.close()
        print(f"{line.bytes_received()} bytes in {len(line.requests())} requests")
        assert line.bytes_received() <= MOST_BYTES


def test_what_was_pressed_leaves_the_device_in_no_request_but_the_one_code(
    chromium: Browser, product: Product, survey: Asked
) -> None:
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + survey.address)
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


def test_the_browser_of_a_proof_answers_the_check(chromium: Browser, product: Product, survey: Asked) -> None:
    visited = proof_visit(chromium, product.url, survey.address, survey.design, "canary", sends=False)
    assert visited.truth == (1, 1, 0)
