"""Questions that take a number, that go out as a set, and of all kinds on one page."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.answering import Asked, Respondent, inbox, throws
from tests.browser.conftest import Visit
from tests.browser.test_answering_receipt import check, saved
from tests.browser.visiting import Draft, another_language, block
from tests.builder.written import question, sensitive, stored
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True
DEBT = "A whole number from 0 to 10,000 euros."
BEYOND = " If yours is more, enter 10,000 euros."
BALANCE = "A whole number from −1,000 to 1,000 euros, in steps of 50."

# Debt: the limit 2,000, kept; hours: shifted by 100; balance: the limit 200, kept, no bit.
KEPT = [2, 0, 0, *[9999, 200, 0], 2, 0, 0, 19, 0, 0, 0]


def at_debt(visit: Visit, survey: Asked, group: int = 1, **more: object) -> Respondent:
    """On the page of the first number."""
    respondent = Respondent(visit(**more).go(survey.address))
    respondent.answer({}, group, screens=2)
    return respondent


def described(page: Page) -> str:
    """What a screen reader says after the name of the input."""
    return str(
        page.locator(".typed input").evaluate(
            "e => e.getAttribute('aria-describedby').split(' ').map(id => document.getElementById(id).textContent)"
            ".join(' ')"
        )
    )


def test_every_screen_with_a_number_is_whole(visit: Visit, numbers: Asked) -> None:
    """axe in both themes, 390 pixels, the keyboard and, where SCREENSHOTS asks for them, pictures."""
    visitor = visit()
    throws(visitor.page, KEPT)
    page = visitor.go(numbers.address)
    visitor.check()
    respondent = Respondent(page)
    names = iter(("choice", "work", "debt", "hours", "balance", "check"))
    for _screen in respondent.screens({1: 1700, 2: 40, 3: 150}):
        name = next(names)
        if name not in ("choice", "work"):  # which are checked in a survey without numbers
            visitor.check()
    assert next(names, None) is None
    respondent.deliver()
    visitor.check()


def test_the_page_says_before_the_answer_what_goes_out_and_how_often(visit: Visit, numbers: Asked) -> None:
    respondent = at_debt(visit, numbers)
    page = respondent.page
    law = (
        "Your number stays on this device. It draws 1 of the numbers 500, 1,000, 2,000, and 5,000 at random; these make"
        " 2 classes."
        "It sends the class that your number is in about 7 in 10 times (71.4 %), otherwise one of the classes at"
        " random. Nobody can tell which happened."
    )
    assert page.locator("#law").text_content() == law
    expect(page.get_by_label("How much do you owe to others?")).to_have_count(1)
    protection = "Disguised before it leaves this device, so nobody can be sure what you answered"
    # Folded, so that the answer is in sight.
    expect(page.locator("#law")).to_be_hidden()
    assert described(page) == f"{DEBT}{BEYOND} {protection} Without what you owe for a home."
    respondent.go_on({1: 0})
    assert page.locator("#law").text_content() == (
        "Your device sends about 1 in 2 times (50 %) a number at most 100 away from yours. Otherwise it sends any"
        " number from 0 to 1,000, drawn at random. Counting goes round: after 1,000 comes 0 again."
    )


def test_on_a_phone_the_field_is_in_sight_without_scrolling(visit: Visit, numbers: Asked) -> None:
    respondent = at_debt(visit, numbers, viewport={"width": 390, "height": 844})
    expect(respondent.page.get_by_label("How much do you owe to others?")).to_be_in_viewport(ratio=1)


def test_an_open_number_is_told_what_of_it_goes_out(visit: Visit, numbers: Asked) -> None:
    respondent = at_debt(visit, numbers, group=0)
    law = respondent.page.locator("#law").text_content() or ""
    assert law.endswith("It sends the class that your number is in.")
    respondent.go_on({1: 0})
    expect(respondent.page.locator("#law")).to_have_count(0)


def test_what_is_no_answer_is_told_with_the_range_and_what_was_typed_stays_until_a_reload(
    visit: Visit, numbers: Asked
) -> None:
    respondent = at_debt(visit, numbers)
    page = respondent.page
    for typed, complaint in {
        "": f"Enter a number. {DEBT}",
        "1700 euros": f"This is not a number in digits. {DEBT}",
        "17,00": f"This is not a whole number. {DEBT}",
        "1700.5": f"This is not a whole number. {DEBT}",
        "-1": f"This number is too small. {DEBT}{BEYOND}",
        "10001": f"This number is too large. {DEBT}{BEYOND}",
    }.items():
        page.fill(".typed input", typed)
        respondent.press("Continue")
        summary = page.locator(".error-summary")
        expect(summary).to_be_focused()
        assert summary.get_by_role("button").inner_text() == complaint
        assert page.input_value(".typed input") == typed
        assert page.get_attribute(".typed input", "aria-invalid") == "true", typed
        assert described(page).endswith(f"Error: {complaint}")
        assert page.title().startswith("Error:"), typed
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".typed input")).to_be_focused()
    page.fill(".typed input", "1 700")
    respondent.press("Continue")
    respondent.press("Back")
    assert page.input_value(".typed input") == "1 700"
    page.reload()
    respondent.answer({}, screens=2)
    assert page.input_value(".typed input") == ""


def test_a_number_between_steps_is_refused_and_one_below_zero_taken(visit: Visit, numbers: Asked) -> None:
    visitor = visit()
    respondent = Respondent(visitor.go(numbers.address))
    assert any("What is left" in screen for screen in respondent.screens({1: 0, 2: 0, 3: -125}))
    page = respondent.page
    respondent.press("Continue")
    assert page.locator("#wrong").inner_text().endswith(f"This number lies between two steps. {BALANCE}")
    visitor.check()
    assert page.get_attribute(".typed input", "inputmode") == "text"
    page.fill(".typed input", "−150")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Check your answers")).to_be_visible()
    assert "−150 euros" in page.locator(".summary").inner_text()


def test_a_number_is_understood_as_people_write_it(visit: Visit, numbers: Asked) -> None:
    respondent = Respondent(visit().go(numbers.address))
    respondent.answer({})
    page = respondent.page
    debt = page.locator(".summary > div").nth(2)
    for last, typed in enumerate(("1,700", "1.701", "1 702", "1'703", "１７０４", "1\u202f705")):
        page.get_by_role("button", name="Change: How much do you owe to others?").click()
        assert page.get_attribute(".typed input", "inputmode") == "numeric"
        page.fill(".typed input", typed)
        page.keyboard.press("Enter")
        assert f"1,70{last} euros" in debt.inner_text(), typed
    sends = "What could be sent: between which of some numbers, drawn at random, it lies."
    assert sends in debt.inner_text()


def test_the_check_and_the_receipt_say_numbers_in_words(
    visit: Visit, product: Product, numbers: Asked, tmp_path: Path
) -> None:
    visitor = visit()
    throws(visitor.page, KEPT)
    page = visitor.go(numbers.address)
    respondent = Respondent(page)
    respondent.answer({0: 0, 1: 1700, 2: 40, 3: 150})
    possible = page.locator(".possible").all_inner_texts()
    assert len(possible) == 3
    assert "at least" in possible[0]
    assert "less than 200 euros" in possible[2]
    assert "number near yours" in page.locator(".illustration").inner_text()
    respondent.deliver()
    # 1,700 is below 2,000, 150 below 200; 40 + 100.
    perhaps = ", perhaps drawn at random"
    said = [
        "Employed not disguised",
        *(f"{line}{perhaps}" for line in ("less than 2,000 euros", "140", "less than 200 euros")),
    ]
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == said
    assert inbox(product, numbers) == ["1002014002"]
    receipt, design = saved(page, "Save the receipt", tmp_path), saved(page, "Save the design", tmp_path)
    page = visit().go("/a/receipt")
    assert check(page, receipt, design) == "This is a possible record of the design."
    assert page.locator("table tbody td:nth-child(2)").all_inner_texts() == said


def test_no_browser_service_reads_or_remembers_the_number(visit: Visit, numbers: Asked) -> None:
    page = at_debt(visit, numbers).page
    field = page.locator(".typed input")
    wanted = {"type": "text", "autocomplete": "off", "spellcheck": "false", "name": None}
    assert {name: field.get_attribute(name) for name in wanted} == wanted
    expect(page.locator("form")).to_have_count(0)


def test_a_number_is_asked_and_told_in_chinese(visit: Visit, numbers: Asked) -> None:
    visitor = visit()
    page = visitor.go(numbers.address)
    respondent = Respondent(page)
    page.get_by_role("button", name="中文").click()
    respondent.begin()
    page.check("#group-1")
    page.get_by_role("button", name="继续").click()
    page.check("#answer-0-1")
    page.get_by_role("button", name="继续").click()
    page.fill(".typed input", "一千")
    page.get_by_role("button", name="继续").click()
    another_language(page)
    summary = page.locator(".error-summary").inner_text()
    assert "10,000 欧元" in summary
    assert not [word for word in ("number", "Enter", "whole") if word in page.locator("#screen").inner_text()]
    page.fill(".typed input", "１７００")
    page.get_by_role("button", name="继续").click()
    page.fill(".typed input", "-50")
    page.get_by_role("button", name="继续").click()
    assert "1,700 欧元" in page.locator(".summary").inner_text()
    # Nothing goes out for the hours, which a rule hides.
    expect(page.locator(".part:visible")).to_have_count(2)
    another_language(page)


# --- A question of many choices that goes out as a set

LSD = 4

# The keep coin keeps; the first shuffle coin draws Heroin, fourth of the others.
SET_KEPT = [0, 3, 0]


def test_a_set_is_explained_tried_sent_and_read_on_the_receipt(
    visit: Visit, product: Product, sets: Asked
) -> None:
    visitor = visit()
    throws(visitor.page, SET_KEPT)
    page = visitor.go(sets.address)
    expect(
        page.get_by_text("For one question your device sends 2 of the 9 answers together").first
    ).to_be_attached()
    respondent = Respondent(page)
    names = iter(("choice", "question", "check"))
    for _screen in respondent.screens({0: LSD}):
        name = next(names)
        if name == "question":
            said = page.locator("details.chances").text_content() or ""
            # Any other answer: (p (d-1) + (1-p) d) / (K-1) = (.5 + 1) / 8.
            assert "Your device sends 2 of these answers together." in said
            assert "(50 %)" in said
            assert "(18.8 %)" in said
        elif name == "check":
            trial = page.locator(".illustration")
            assert "of 1 tries so far" in (trial.text_content() or "")
            assert " or " in (trial.locator("dd.fell").text_content() or "")
        visitor.check()
    respondent.deliver()
    expect(
        page.get_by_text("Heroin or LSD. Your answer may be one of these, or none of them.")
    ).to_be_visible()
    # Sets of two of nine before (3, 4): 8 + 7 + 6.
    assert respondent.receipt()["answers"].endswith("21")
    assert len(inbox(product, sets)) == 1
    visitor.check()


def test_sets_are_proposed_and_taken_back(visit: Visit, product: Product) -> None:
    asks = question("drug", *(f"c{place}" for place in range(21)))
    draft = Draft(product, stored(sensitive(asks, keep="0.0869"), expected=1000))
    visitor = visit("researcher")
    page = visitor.go(f"{draft.path}/edit")
    expect(
        page.get_by_text("Sending a set of 5 choices instead of one needs 2.2 times fewer")
    ).to_be_visible()
    page.get_by_role("button", name="Send sets").click()
    expect(page.get_by_text("The device sends 5 of the 21 answers together.")).to_be_visible()
    assert draft.stored["sections"][0]["kind"] == "subset"
    visitor.check()
    block(page, "drug?").locator("h3").click()
    expect(page.locator(".block.open")).to_be_visible()
    expect(page.get_by_label("Kind", exact=True)).to_have_count(0)
    page = visitor.go(f"{draft.path}/edit/protection")
    page.get_by_role("button", name="Send one choice").click()
    expect(page.get_by_role("button", name="Send sets")).to_be_attached()
    assert draft.stored["sections"][0]["kind"] == "unrelated-question"


# --- A survey that asks for a number, a place, a pair of questions and a yes or no

SCRIPTS = """
performance.getEntriesByType("resource").map(({ name }) => name.match("/static/intake/(.+)[.][0-9a-f]{12}[.]js$")?.[1])
  .filter(Boolean).sort()
"""


def test_a_page_loads_one_script_of_its_own_and_what_disguises(visit: Visit, mixture: Asked) -> None:
    page = visit().go(mixture.address)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(SCRIPTS) == ["answer-number-place-crosswise", "device", "invitation"]


# --- A plain number: what is typed stays here, and its band goes out


def test_of_a_plain_number_the_band_alone_leaves_the_page(
    visit: Visit, product: Product, bands: Asked
) -> None:
    visitor = visit()
    respondent = Respondent(visitor.go(bands.address))
    page = respondent.page
    respondent.begin()
    visitor.check()
    expect(page.locator("#protection")).to_contain_text("Your number stays on this device.")
    page.fill(".typed input", "121")
    respondent.press("Continue")
    too_large = "This number is too large. A whole number from 0 to 120 years."
    expect(page.locator(".error-summary")).to_contain_text(too_large)
    visitor.check()
    page.fill(".typed input", "47")
    respondent.press("Continue")
    expect(page.locator("#screen h1")).to_contain_text("pension")
    respondent.press("Back")
    assert page.input_value(".typed input") == "47"
    page.fill(".typed input", "17")
    respondent.press("Continue")
    expect(page.locator("#screen h1")).to_contain_text("Stolen?")
    respondent.choose({2: 0}, 1)
    respondent.press("Continue")
    expect(page.locator("main")).to_contain_text("<18")
    respondent.deliver()
    # Its band; the question that its rule hides; and a disguised answer.
    [record] = inbox(product, bands)
    assert re.fullmatch(r"1\D*03[01]", record), record
