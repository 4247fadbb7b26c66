"""The respondents' pages: whole, in two languages, in both themes, by keyboard, light and with a strict policy."""

import json
import re
import zlib
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Error, Page, expect

from surveys.phrases.languages import SHIPPED
from tests import servers
from tests.browser.conftest import Asked, NewPage, Respondent, Visit, fix_words, get_survey, record_line
from tests.browser.visiting import Visitor, shell, wait_for_expression, walk_page
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_every_screen_of_answering_passes_the_page_checks(visitor: Visitor, fourteen: Asked) -> None:
    fix_words(visitor.page, [9999, *[0] * 8, 0, 1, 0, 0, 0, 0, 0])
    page = visitor.go(fourteen.address)
    page.evaluate("document.querySelectorAll('#start details').forEach(e => { e.open = true })")
    walk_page(visitor)
    respondent = Respondent(page).agree_and_begin()
    respondent.press_button("Continue")
    walk_page(visitor)
    respondent.go_on({})
    seen: set[str] = set()
    number = 0
    while respondent.choose(dict.fromkeys(range(14), 1)):
        kind = page.locator("#screen fieldset").inner_html()
        form = "options" if "radiogroup" in kind else "scale" if "answers scale" in kind else "one"
        disguised = "mark disguised" in kind
        if f"{form}{disguised}" not in seen:
            seen.add(f"{form}{disguised}")
            if disguised:
                page.locator("#screen details summary").click()
            walk_page(visitor)
        respondent.press_button("Continue")
        number += 1
    respondent.press_button("Try again")
    wait_for_expression(page, "() => document.getAnimations().every(one => one.playState === 'finished')")
    walk_page(visitor)
    respondent.deliver()
    for summary in page.locator("#screen details details > summary").all():
        summary.click()
    walk_page(visitor)
    assert seen == {"oneFalse", "oneTrue", "optionsTrue", "scaleTrue"}


def test_closed_rehearsal_and_error_pages_pass_the_page_checks(visitor: Visitor, product: Product) -> None:
    surveys = [get_survey(product, name).address for name in ("closed", "rehearsed", "invited")]
    for path in (*surveys, make_scheduled_survey(product), "/a/no-such-survey", "/a/receipt"):
        visitor.go_and_check(path)


def make_scheduled_survey(product: Product) -> str:
    """The address of a survey that is to open in a week."""
    code = "from datetime import timedelta; later = timezone.now() + timedelta(days=7);"
    return shell(product, f"{code} print(Survey.objects.create(owner=robin, opens=later).address)")


LEFT = """[...document.querySelectorAll("#protection")].map(e => e.innerText).join(""),
    document.querySelectorAll("form").length, document.querySelectorAll('input:not([autocomplete="off"])').length,
    [...document.querySelectorAll("input")].filter(e => e.checked !== e.defaultChecked).length,
    document.activeElement.tagName"""


def test_sensitive_inputs_are_outside_forms_and_not_autocompleted(visit: Visit, fourteen: Asked) -> None:
    """On each screen from the first question to the check, which its heading announces; it says what goes out.

    Firefox stores which choices differ from those that the page began with.
    """
    page = visit().go(fourteen.address)
    expect(page.locator("input")).to_have_count(0)
    marks = {}
    for heading in Respondent(page).screens({}):
        protection, *remembered, focused = page.evaluate(f"[{LEFT}]")
        assert remembered == [0, 0, 0], heading
        marks[heading.splitlines()[-1].strip()] = protection
    assert focused == "H1"
    assert len(marks) > 10
    assert marks["How old are you?"] == "Not disguised: sent exactly as you answer"
    disguised = "Disguised before it leaves this device, so nobody can be sure what you answered"
    assert marks["Have you ever lied on a job application?"] == disguised
    # Of four chance draws two.
    four = ("after drinking", "hit you", "hit anybody", "afraid")
    assert sum(any(words in heading for words in four) for heading in marks) == 2


def test_missing_answers_are_named_and_linked(visit: Visit, fourteen: Asked) -> None:
    page = visit().go(fourteen.address)
    respondent = Respondent(page).agree_and_begin()
    expect(page.locator("input:checked")).to_have_count(0)
    respondent.go_on({})
    expect(page.locator("input:checked")).to_have_count(0)
    respondent.press_button("Continue")
    assert page.title() == "Error: Survey"
    assert page.evaluate("document.activeElement.className") == "error-summary"
    page.get_by_role("button", name="Select one of the answers").click()
    assert page.evaluate("document.activeElement.id") == "answer-0-0"
    assert "#" not in page.url
    respondent.go_on({})
    assert page.title() == "Survey"
    while "Which of these" not in respondent.heading:
        expect(page.locator("input:checked")).to_have_count(0)
        respondent.go_on({1: 1})
    # Each option of several wants its own yes or no.
    page.check("#answer-8-1")
    respondent.press_button("Continue")
    wanted = page.locator(".error-summary li").all_inner_texts()
    assert wanted == ["Select yes or no: Cannabis", "Select yes or no: Cocaine"]


def test_open_answer_is_marked_and_sent_unchanged(visit: Visit, fourteen: Asked) -> None:
    page = visit().go(fourteen.address)
    respondent = Respondent(page)
    for _screen in respondent.screens({place: place % 2 for place in range(14)}, group=0):
        expect(page.locator("#protection .disguised")).to_have_count(0)
    expect(page.get_by_role("heading", name="Try it: what could be sent")).to_have_count(0)
    respondent.deliver()
    record = respondent.receipt()
    # The plain answers, a question that a rule hides, then 1 where it is odd; which of the last four were asked is
    # chance's.
    assert (record["group"], record["answers"][:10]) == (0, "0131010101")
    expect(page.get_by_text("You answered without disguise, so it does show")).to_be_visible()
    expect(page.get_by_text("Why does this not show")).to_have_count(0)
    assert "perhaps drawn at random" not in page.locator("#screen").inner_text()


def test_odds_shown_are_those_of_the_design(visit: Visit, fourteen: Asked) -> None:
    page = visit().go(fourteen.address)
    assert "tax return" in Respondent(page).answer({}, screens=4).heading
    page.locator("#screen details summary").click()
    # keep 6/10 and a fair coin: 6/10 + 4/10 * 1/2, and 4/10 * 1/2.
    rows = page.locator("#screen tbody tr").all_inner_texts()
    assert [re.split(r"\t+", row.replace("\xa0", " ")) for row in rows] == [
        ["No", "about 4 in 5 times (80 %)", "about 1 in 5 times (20 %)"],
        ["Yes", "about 4 in 5 times (80 %)", "about 1 in 5 times (20 %)"],
    ]


def test_illustration_is_redrawn_on_demand_and_is_not_the_record(visit: Visit, short: Asked) -> None:
    visitor = visit()
    # The respondent's own coins keep; of the illustration's throws the first replaces, the second keeps.
    fix_words(visitor.page, [0, 0, 0, *[0] * 16, 9999, 9999, 9999, 0, 0, 0])
    page = visitor.go(short.address)
    respondent = Respondent(page).answer({})
    expect(page.locator(".possible dd")).to_have_text(["Yes", "Yes"])
    expect(page.get_by_text("This time random answers would be sent.")).to_be_visible()
    respondent.press_button("Try again")
    expect(page.locator(".possible dd")).to_have_text(["No", "No"])
    expect(page.get_by_text("True answers sent in 1 of 2 tries so far.")).to_be_visible()
    respondent.deliver()
    assert respondent.receipt()["answers"] == "000"


def test_language_changes_without_reloading(new_page: NewPage, product: Product, fourteen: Asked) -> None:
    with record_line(product) as line:
        page = new_page(locale="zh-CN")
        page.goto(line.url + fourteen.address, wait_until="networkidle")
        loaded = len(line.requests())
        language = page.locator("html")
        assert page.locator("h1:visible").inner_text() == "工作、金钱与健康"
        expect(language).to_have_attribute("lang", "zh-hans")
        page.get_by_role("button", name="English").click()
        assert page.locator("h1:visible").inner_text() == "Work, money and health"
        respondent = Respondent(page).agree_and_begin()
        respondent.go_on({})
        page.check("#answer-0-2")
        page.get_by_role("button", name="简体中文").click()
        assert "您多大年纪？" in respondent.heading
        expect(page.locator("#answer-0-2")).to_be_checked()
        expect(language).to_have_attribute("lang", "zh-hans")
        assert len(line.requests()) == loaded


SINKS = {
    "markup": "document.createElement('p').innerHTML = '<b>x</b>'",
    "a script's address": "document.createElement('script').src = '/static/intake/answer.js'",
    "a script's text": "document.createElement('script').textContent = '1'",
    "a parser": "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    "a policy of its own": "trustedTypes.createPolicy('mine', {createHTML: text => text})",
    "a default policy": "trustedTypes.createPolicy('default', {createHTML: text => text})",
}


def browser_refusal(page: Page, sink: str) -> str:
    """What the browser says to this; nothing if it does it."""
    try:
        page.evaluate(f"() => {{ {sink}; }}")
    except Error as error:
        return error.message
    return ""


def pages(product: Product) -> Iterator[str]:
    for name in ("fourteen", "invited", "closed", "rehearsed", "demo"):
        yield get_survey(product, name).address
    yield from ("/a/receipt", "/a/no-such-survey", "/a/no/such/page", "/a/")


def test_no_text_becomes_markup_or_script_on_any_page(visitor: Visitor, product: Product) -> None:
    """Each attempt is reported too, so that no page of ours could do this unnoticed by the other tests."""
    for path in pages(product):
        page = visitor.go(path)
        found = {name: browser_refusal(page, sink) for name, sink in SINKS.items()}
        assert all("TypeError" in said for said in found.values()), (path, found)
        until_said(page, lambda: len(policy_complaints(visitor)) >= len(SINKS))
        visitor.complaints.clear()


def until_said(page: Page, holds: Callable[[], bool]) -> None:
    """What a page says arrives only while it is asked something."""
    servers.wait(lambda: bool(page.evaluate("true")) and holds(), "the reports of the policy")


def policy_complaints(visitor: Visitor) -> list[str]:
    return [said for said in visitor.complaints if said.startswith("Content Security Policy: ")]


LIGHT = [
    *((f"first in {code}", code, 47_400) for code in SHIPPED),
    ("six languages", "ar", 65_100),
    ("demo", "en", 48_300),
    ("numbers", "en", 50_900),
    ("secret place", "en", 49_100),
    ("places", "en", 55_100),
]
"""Bytes that a start page may take in one of its languages, headers included, by what is asked."""
REQUESTS = 5
"""The page, its style, its script, that of invitations, and the program that disguises."""


@pytest.mark.parametrize(("name", "language", "most"), LIGHT)
def test_start_page_loads_little(
    new_page: NewPage, product: Product, name: str, language: str, most: int
) -> None:
    """Everything that comes over the line, headers included. The page holds the design with the phrases of its
    languages; the shapes of a map come on top."""
    of = get_survey(product, name)
    with record_line(product) as line:
        page = new_page(locale=language)
        page.goto(line.url + of.address, wait_until="networkidle")
        expect(page.locator("[data-agree]:visible")).to_have_count(1)
        assert page.locator("html").get_attribute("lang") == language
        page.context.close()
        questions = [question.as_json() for question in of.design.questions]
        shapes = [cell["shape"] for each in questions for cell in each.get("cells", []) if "shape" in cell]
        outline = len(zlib.compress(json.dumps(shapes, separators=(",", ":")).encode())) if shapes else 0
        print(f"{name}: {line.bytes_received() - outline} bytes in {len(line.requests())} requests")
        assert line.bytes_received() <= most + outline
        assert len(line.requests()) == REQUESTS
