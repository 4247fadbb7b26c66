"""Questions that take a number, that go out as a set, and of all kinds on one page."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Asked, Respondent, Visit, fix_words, inbox
from tests.browser.test_answering_receipt import receipt_verdict, save_download
from tests.browser.visiting import Visitor, another_language
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True
DEBT = "A whole number from 0 to 10,000 euros."

# Debt: the limit 2,000, kept; hours: shifted by 100; balance: the limit 200, kept, no bit.
KEPT = [2, 0, 0, *[9999, 200, 0], 2, 0, 0, 19, 0, 0, 0]


def open_debt_page(visit: Visit, survey: Asked, group: int = 1, **more: object) -> Respondent:
    """On the page of the first number."""
    return Respondent(visit(**more).go(survey.address)).answer({}, group, screens=2)


def input_description(page: Page) -> str:
    """What a screen reader says after the name of the input."""
    ids = (page.get_attribute(".typed input", "aria-describedby") or "").split()
    return " ".join(page.locator(f"[id={each!r}]").first.text_content() or "" for each in ids)


def test_number_questions_are_accessible_and_listed_on_the_receipt(
    visit: Visit, visitor: Visitor, product: Product, numbers: Asked, tmp_path: Path
) -> None:
    fix_words(visitor.page, KEPT)
    page = visitor.go_and_check(numbers.address)
    respondent = Respondent(page)
    names = iter(("choice", "work", "debt", "hours", "balance", "check"))
    for _screen in respondent.screens({0: 0, 1: 1700, 2: 40, 3: 150}):
        if next(names) not in ("choice", "work"):  # which are checked in a survey without numbers
            visitor.check()
    assert next(names, None) is None
    possible = page.locator(".possible").all_inner_texts()
    assert len(possible) == 3
    assert "at least" in possible[0]
    assert "less than 200 euros" in possible[2]
    for words in ("number near yours", "What is sent depended on your number in"):
        expect(page.locator(".illustration")).to_contain_text(words)
    respondent.deliver()
    visitor.check()
    # 1,700 is below 2,000, 150 below 200; 40 + 100.
    numbers_said = ("less than 2,000 euros", "140", "less than 200 euros")
    said = ["Employed not disguised", *(f"{each}, perhaps drawn at random" for each in numbers_said)]
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == said
    assert inbox(product, numbers) == ["1002014002"]
    receipt, design = (
        save_download(page, "Save the receipt", tmp_path),
        save_download(page, "Save the design", tmp_path),
    )
    page = visit().go("/a/receipt")
    assert receipt_verdict(page, receipt, design) == "This is a possible record of the design."
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == said


def test_page_says_before_the_answer_what_is_sent_and_how_often(visit: Visit, numbers: Asked) -> None:
    """Folded, so that the answer is in sight on a phone; to a screen reader it says how the answer is protected."""
    respondent = open_debt_page(visit, numbers, viewport={"width": 390, "height": 844})
    page, law = respondent.page, respondent.page.locator("#law")
    expect(page.get_by_label("How much do you owe to others?")).to_be_in_viewport(ratio=1)
    expect(law).to_be_hidden()
    for words in ("500, 1,000, 2,000, and 5,000 at random", "2 classes", "7 in 10 times (71.4 %)"):
        expect(law).to_contain_text(words)
    beyond = " If yours is more, enter 10,000 euros."
    protection = "Disguised before it leaves this device, so nobody can be sure what you answered"
    assert input_description(page) == f"{DEBT}{beyond} {protection} Without what you owe for a home."
    respondent.go_on({1: 0})
    said = ("1 in 2 times (50 %) a number at most 100 away", "from 0 to 1,000", "after 1,000 comes 0 again")
    for words in said:
        expect(law).to_contain_text(words)
    respondent = open_debt_page(visit, numbers, group=0)
    law, promise = respondent.page.locator("#law"), respondent.page.locator("#protection")
    assert (law.text_content() or "").endswith("5 classes.It sends the class that your number is in.")
    expect(promise).to_have_text("Not disguised: the class that your number is in is sent")
    respondent.go_on({1: 0})
    expect(law).to_have_count(0)
    expect(promise).to_have_text("Not disguised: sent exactly as you answer")


def test_invalid_number_is_refused_with_the_range(visitor: Visitor, numbers: Asked) -> None:
    respondent = Respondent(visitor.go(numbers.address))
    page, field = respondent.page, respondent.page.locator(".typed input")
    respondent.answer({}, screens=2)
    assert field.get_attribute("inputmode") == "numeric"
    for typed, complaint in {
        "": f"Enter a number. {DEBT}",
        "17,00": f"This is not a whole number. {DEBT}",
        "10001": f"This number is too large. {DEBT} If yours is more, enter 10,000 euros.",
    }.items():
        field.fill(typed)
        respondent.press_button("Continue")
        summary = page.locator(".error-summary")
        expect(summary).to_be_focused()
        assert summary.get_by_role("button").inner_text() == complaint
        assert (field.input_value(), field.get_attribute("aria-invalid")) == (typed, "true")
        assert input_description(page).endswith(f"Error: {complaint}")
        assert page.title().startswith("Error:"), typed
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(field).to_be_focused()
    field.fill("1 700")
    respondent.press_button("Continue")
    respondent.press_button("Back")
    assert field.input_value() == "1 700"
    respondent.press_button("Continue")
    respondent.go_on({2: 0})
    # Some are below zero, and go by steps.
    assert field.get_attribute("inputmode") == "text"
    field.fill("-125")
    respondent.press_button("Continue")
    between = "This number lies between two steps. A whole number from −1,000 to 1,000 euros, in steps of 50."
    expect(page.locator("#wrong")).to_contain_text(between)
    visitor.check()
    field.fill("−150")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Check your answers")).to_be_visible()
    for words in ("1,700 euros", "a class of numbers, whose limits are drawn at random.", "−150 euros"):
        expect(page.locator(".summary")).to_contain_text(words)
    page.reload()
    respondent.answer({}, screens=2)
    assert field.input_value() == ""


def test_browser_neither_completes_nor_checks_a_number(visit: Visit, numbers: Asked) -> None:
    page = open_debt_page(visit, numbers).page
    field = page.locator(".typed input")
    wanted = {"type": "text", "autocomplete": "off", "spellcheck": "false", "name": None}
    assert {name: field.get_attribute(name) for name in wanted} == wanted
    expect(page.locator("form")).to_have_count(0)


def test_number_question_works_in_chinese(visit: Visit, numbers: Asked) -> None:
    page = visit().go(numbers.address)
    page.get_by_role("button", name="中文").click()
    Respondent(page).agree_and_begin()
    onward, field = page.get_by_role("button", name="继续"), page.locator(".typed input")
    for answer in ("#group-1", "#answer-0-1"):
        page.check(answer)
        onward.click()
    field.fill("一千")
    onward.click()
    another_language(page)
    expect(page.locator(".error-summary")).to_contain_text("10,000 欧元")
    assert not [word for word in ("number", "Enter", "whole") if word in page.locator("#screen").inner_text()]
    for typed in ("１７００", "-50"):
        field.fill(typed)
        onward.click()
    expect(page.locator(".summary")).to_contain_text("1,700 欧元")
    # Nothing goes out for the hours, which a rule hides.
    expect(page.locator(".part:visible")).to_have_count(2)
    another_language(page)


LSD = 4

# The keep coin keeps; the first shuffle coin draws Heroin, fourth of the others.
SET_KEPT = [0, 3, 0]


def test_set_question_is_explained_sent_and_listed(visitor: Visitor, product: Product, sets: Asked) -> None:
    fix_words(visitor.page, SET_KEPT)
    page = visitor.go(sets.address)
    on_start = page.get_by_text("For one question your device sends 2 of the 9 answers together")
    expect(on_start.first).to_be_attached()
    respondent = Respondent(page)
    names = iter(("choice", "question", "check"))
    for _screen in respondent.screens({0: LSD}):
        name = next(names)
        if name == "question":
            # Any other answer: (p (d-1) + (1-p) d) / (K-1) = (.5 + 1) / 8.
            for words in ("Your device sends 2 of these answers together.", "(50 %)", "(18.8 %)"):
                expect(page.locator("details.chances")).to_contain_text(words)
        elif name == "check":
            trial = page.locator(".illustration")
            expect(trial).to_contain_text("of 1 tries so far")
            expect(trial.locator("dd.fell")).to_contain_text(" or ")
        visitor.check()
    respondent.deliver()
    told = page.get_by_text("Heroin or LSD. Your answer may be one of these, or none of them.")
    expect(told).to_be_visible()
    # Sets of two of nine before (3, 4): 8 + 7 + 6.
    assert respondent.receipt()["answers"].endswith("21")
    assert len(inbox(product, sets)) == 1
    visitor.check()


def test_plain_number_is_sent_as_its_band(visitor: Visitor, product: Product, bands: Asked) -> None:
    respondent = Respondent(visitor.go(bands.address))
    page, field = respondent.page, respondent.page.locator(".typed input")
    respondent.agree_and_begin()
    visitor.check()
    expect(page.locator("#protection")).to_contain_text("Your number stays on this device.")
    field.fill("121")
    respondent.press_button("Continue")
    too_large = "This number is too large. A whole number from 0 to 120 years."
    expect(page.locator(".error-summary")).to_contain_text(too_large)
    visitor.check()
    field.fill("47")
    respondent.press_button("Continue")
    assert "pension" in respondent.heading
    respondent.press_button("Back")
    assert field.input_value() == "47"
    field.fill("17")
    respondent.press_button("Continue")
    assert "Stolen?" in respondent.heading
    respondent.go_on({})
    expect(page.locator("main")).to_contain_text("<18")
    respondent.deliver()
    # Its band; the question that its rule hides; and a disguised answer.
    [record] = inbox(product, bands)
    assert re.fullmatch(r"1\D*03[01]", record), record
