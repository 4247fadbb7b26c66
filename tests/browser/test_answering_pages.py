"""The respondents' pages: whole, in two languages, in both themes, by keyboard, light and with a strict policy."""

import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Error, Page, expect

from intake.pages.respondent_views import respondent_context
from surveys.phrases.languages import SHIPPED
from tests import servers
from tests.browser.answering import Asked, Respondent, asked, forget, inbox, listening, throws
from tests.browser.conftest import Visit
from tests.browser.visiting import Visitor, another_language, profile, until, walk
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
USED_PROFILES = True
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


# --- every screen, whole -------------------------------------------------------------------------


def test_every_screen_on_the_way_is_whole(visit: Visit, fourteen: Asked) -> None:
    """axe in both themes, 390 pixels, 400 %, forced colours, the keyboard and, where SCREENSHOTS asks for them,
    pictures."""
    visitor = visit()
    throws(visitor.page, [9999, *[0] * 8, 0, 1, 0, 0, 0, 0, 0])
    page = visitor.go(fourteen.address)
    page.evaluate("document.querySelectorAll('#start details').forEach(e => { e.open = true })")
    walk(visitor)
    respondent = Respondent(page)
    respondent.begin()
    respondent.press("Continue")
    walk(visitor)
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
            walk(visitor)
        respondent.press("Continue")
        number += 1
    respondent.press("Try again")
    until(page, "() => document.getAnimations().every(one => one.playState === 'finished')")
    walk(visitor)
    respondent.deliver()
    for summary in page.locator("#screen details details > summary").all():
        summary.click()
    walk(visitor)
    assert seen == {"oneFalse", "oneTrue", "optionsTrue", "scaleTrue"}


def test_the_pages_around_are_whole(visit: Visit, product: Product) -> None:
    visitor = visit()
    for path in (
        asked(product, "closed").address,
        asked(product, "rehearsed").address,
        "/a/no-such-survey",
        drafted(product),
        asked(product, "invited").address,
        "/a/receipt",
    ):
        visitor.go(path)
        visitor.check()


def drafted(product: Product) -> str:
    """The address of a survey that is to open in a week."""
    code = (
        "from datetime import timedelta; from django.utils import timezone; from accounts.models import Person;"
        " from surveys.models import Survey; owner = Person.objects.get(username='demo-researcher');"
        " print(Survey.objects.create(owner=owner, opens=timezone.now() + timedelta(days=7)).address)"
    )
    return servers.manage(product.env, "shell", "-v", "0", "-c", code).strip()


# --- asking --------------------------------------------------------------------------------------


@dataclass
class Seen:
    """One screen as it is left, its question answered."""

    heading: str
    protection: str
    forms: int
    remembered: int
    focused: str


LEFT = """[...document.querySelectorAll("#protection")].map(e => e.innerText).join(""),
    document.querySelectorAll("form").length, document.querySelectorAll('input:not([autocomplete="off"])').length,
    document.activeElement.tagName"""


@pytest.fixture(scope="module")
def walked(chromium: Browser, product: Product) -> list[Seen]:
    """The screens of the survey `fourteen` from the first question to the check."""
    context = profile(chromium)
    visitor = Visitor(context.new_page(), product)
    page = visitor.go(asked(product, "fourteen").address)
    expect(page.locator("input")).to_have_count(0)
    screens = [Seen(heading, *page.evaluate(f"[{LEFT}]")) for heading in Respondent(page).screens({})]
    context.close()
    assert (visitor.strangers, visitor.complaints) == ([], [])
    return screens


def test_sensitive_inputs_stand_in_no_form_and_no_browser_remembers_them(walked: list[Seen]) -> None:
    assert len(walked) > 10
    assert [screen for screen in walked if screen.forms or screen.remembered] == []


def test_nothing_is_chosen_beforehand_and_what_is_missing_is_said_and_led_to(
    visit: Visit, fourteen: Asked
) -> None:
    page = visit().go(fourteen.address)
    respondent = Respondent(page)
    respondent.begin()
    expect(page.locator("input:checked")).to_have_count(0)
    respondent.go_on({})
    expect(page.locator("input:checked")).to_have_count(0)
    respondent.press("Continue")
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
    respondent.press("Continue")
    wanted = page.locator(".error-summary li").all_inner_texts()
    assert wanted == ["Select yes or no: Cannabis", "Select yes or no: Cocaine"]


def test_a_new_screen_is_announced_by_its_heading(walked: list[Seen]) -> None:
    assert walked[-1].focused == "H1"


def test_every_page_says_how_its_answer_goes_out(walked: list[Seen]) -> None:
    marks = {screen.heading.splitlines()[-1].strip(): screen.protection for screen in walked}
    assert marks["How old are you?"] == "Not disguised: sent exactly as you answer"
    assert marks["Have you ever lied on a job application?"] == (
        "Disguised before it leaves this device, so nobody can be sure what you answered"
    )


def test_an_open_answer_is_marked_and_sent_as_what_it_is(
    visit: Visit, product: Product, fourteen: Asked
) -> None:
    page = visit().go(fourteen.address)
    respondent = Respondent(page)
    truth = {place: place % 2 for place in range(14)}
    for _screen in respondent.screens(truth, group=0):
        expect(page.locator("#protection .disguised")).to_have_count(0)
    expect(page.get_by_role("heading", name="Try it: what could be sent")).to_have_count(0)
    respondent.deliver()
    record = respondent.receipt()
    assert record["group"] == 0
    # The plain answers, then 1 where the question is odd; which of the last four were asked is chance's.
    assert record["answers"].startswith("0130101010"[:2])
    assert record["answers"][3:10] == "1010101"
    expect(page.get_by_text("You answered without disguise, so it does show")).to_be_visible()


def test_the_odds_of_a_question_are_those_of_its_design(visit: Visit, fourteen: Asked) -> None:
    page = visit().go(fourteen.address)
    respondent = Respondent(page)
    respondent.answer({}, screens=4)
    assert "tax return" in respondent.heading
    page.locator("#screen details summary").click()
    # keep 6/10 and a fair coin: 6/10 + 4/10 * 1/2, and 4/10 * 1/2.
    rows = page.locator("#screen tbody tr").all_inner_texts()
    assert [re.split(r"\t+", row.replace("\xa0", " ")) for row in rows] == [
        ["No", "about 4 in 5 times (80 %)", "about 1 in 5 times (20 %)"],
        ["Yes", "about 4 in 5 times (80 %)", "about 1 in 5 times (20 %)"],
    ]


def test_questions_that_chance_did_not_draw_are_not_asked(walked: list[Seen]) -> None:
    four = ("after drinking", "hit you", "hit anybody", "afraid")
    assert sum(any(words in screen.heading for words in four) for screen in walked) == 2


def test_a_rule_hides_its_question_and_a_change_shows_it(visit: Visit, fourteen: Asked) -> None:
    page = visit().go(fourteen.address)
    respondent = Respondent(page)
    screens = list(respondent.screens({1: 1}))
    assert not any("taken home" in screen for screen in screens)
    page.get_by_role("button", name="Change: What is your situation at work?").click()
    page.check("#answer-1-0")
    respondent.press("Continue")
    assert respondent.heading.endswith("Have you ever taken home what was not yours?")
    respondent.go_on({})
    assert respondent.heading == "Check your answers"


def test_the_illustration_is_thrown_anew_on_demand_and_is_not_the_record(
    visit: Visit, product: Product
) -> None:
    forget(product)
    short = asked(product, "short")
    visitor = visit()
    # The respondent's own coins keep; of the illustration's throws the first replaces, the second keeps.
    key = [0] * 16
    throws(visitor.page, [0, 0, 0, *key, 9999, 9999, 9999, 0, 0, 0])
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer({0: 0, 1: 0, 2: 0})
    shown = page.locator(".possible dd")
    assert [text.strip() for text in shown.all_inner_texts()] == ["Yes", "Yes"]
    expect(page.get_by_text("This time random answers would be sent.")).to_be_visible()
    respondent.press("Try again")
    assert [text.strip() for text in shown.all_inner_texts()] == ["No", "No"]
    expect(page.get_by_text("True answers sent in 1 of 2 tries so far.")).to_be_visible()
    respondent.deliver()
    assert respondent.receipt()["answers"] == "000"


# --- languages -----------------------------------------------------------------------------------


def test_the_language_is_switched_inside_the_page(
    chromium: Browser, product: Product, fourteen: Asked
) -> None:
    with listening(product) as line:
        page = profile(chromium, locale="zh-CN").new_page()
        page.goto(line.url + fourteen.address, wait_until="networkidle")
        loaded = len(line.requests())
        assert page.locator("h1:visible").inner_text() == "工作、金钱与健康"
        assert page.locator("html").get_attribute("lang") == "zh-hans"
        page.get_by_role("button", name="English").click()
        assert page.locator("h1:visible").inner_text() == "Work, money and health"
        respondent = Respondent(page)
        respondent.begin()
        respondent.go_on({})
        page.check("#answer-0-2")
        page.get_by_role("button", name="简体中文").click()
        assert "您多大年纪？" in respondent.heading
        expect(page.locator("#answer-0-2")).to_be_checked()
        assert page.locator("html").get_attribute("lang") == "zh-hans"
        assert len(line.requests()) == loaded
        page.context.close()


# --- preview -------------------------------------------------------------------------------------


def test_a_preview_works_like_the_page_and_sends_and_stores_nothing(
    visit: Visit, product: Product, fourteen: Asked
) -> None:
    shown = render_to_string("intake/answer.html", respondent_context(fourteen.design, "preview"))
    visitor = visit()
    page = visitor.page
    requests: list[str] = []
    page.route("**/preview", lambda route: route.fulfill(body=shown, content_type="text/html"))
    page.on("request", lambda request: requests.append(request.method))
    page.goto(product.url + "/preview")
    expect(
        page.get_by_text("nothing is sent and nothing is stored").locator("visible=true")
    ).not_to_have_count(0)
    respondent = Respondent(page)
    for _screen in respondent.screens({}):
        assert page.evaluate("sessionStorage.length") == 0
    another_language(page)
    respondent.send()
    page.get_by_role("heading", name="Preview: nothing was sent").wait_for()
    respondent.press("Exit this page")
    assert respondent.heading == "Work, money and health"
    assert set(requests) == {"GET"}
    assert page.evaluate("sessionStorage.length") == 0
    assert inbox(product, fourteen) == []


# --- On respondents' pages no string becomes markup or a script, and none of these pages needs

SINKS = {
    "markup": "document.createElement('p').innerHTML = '<b>x</b>'",
    "a script's address": "document.createElement('script').src = '/static/intake/answer.js'",
    "a script's text": "document.createElement('script').textContent = '1'",
    "a parser": "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    "a policy of its own": "trustedTypes.createPolicy('mine', {createHTML: text => text})",
    "a default policy": "trustedTypes.createPolicy('default', {createHTML: text => text})",
}


def stopped(page: Page, sink: str) -> str:
    """What the browser says to this; nothing if it does it."""
    try:
        page.evaluate(f"() => {{ {sink}; }}")
    except Error as error:
        return error.message
    return ""


def pages(product: Product) -> Iterator[str]:
    for name in ("fourteen", "invited", "closed", "rehearsed", "demo"):
        yield asked(product, name).address
    yield from ("/a/receipt", "/a/no-such-survey", "/a/no/such/page", "/a/")


def test_no_string_becomes_markup_or_a_script_on_any_page(visit: Visit, product: Product) -> None:
    """Each attempt is reported too, so that no page of ours could do this unnoticed by the other tests."""
    visitor = visit()
    for path in pages(product):
        page = visitor.go(path)
        found = {name: stopped(page, sink) for name, sink in SINKS.items()}
        assert all("TypeError" in said for said in found.values()), (path, found)
        until_said(page, lambda: len(reported(visitor)) >= len(SINKS))
        visitor.complaints.clear()


def until_said(page: Page, holds: Callable[[], bool]) -> None:
    """What a page says arrives only while it is asked something."""
    servers.wait(lambda: bool(page.evaluate("true")) and holds(), "the reports of the policy")


def reported(visitor: Visitor) -> list[str]:
    return [said for said in visitor.complaints if said.startswith("Content Security Policy: ")]


# --- How many bytes and requests a start page takes

LIGHT = 46_600
"""Bytes that a start page may take in one of its two languages, headers included."""
LIGHT_WITH = {"demo": 47_500, "numbers": 49_900, "secret place": 48_300, "places": 54_200}
"""The same by what is asked, without the shapes of a map."""
LIGHT_IN_SIX = 64_000
REQUESTS = 5
"""The page, its style, its script, that of invitations, and the program that disguises."""


@pytest.mark.parametrize("name", LIGHT_WITH)
def test_the_start_page_is_light(chromium: Browser, product: Product, name: str) -> None:
    """Everything that comes over the line, headers included, in two languages; the shapes of a map come on top."""
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + asked(product, name).address, wait_until="networkidle")
        expect(page.locator("[data-agree]:visible")).to_have_count(1)
        page.context.close()
        questions = [question.as_json() for question in asked(product, name).design.questions]
        shapes = [cell["shape"] for of in questions for cell in of.get("cells", []) if "shape" in cell]
        outline = len(zlib.compress(json.dumps(shapes, separators=(",", ":")).encode())) if shapes else 0
        print(f"{name}: {line.bytes_received() - outline} bytes in {len(line.requests())} requests")
        assert line.bytes_received() <= LIGHT_WITH[name] + outline
        assert len(line.requests()) == REQUESTS


@pytest.mark.parametrize(
    ("name", "language", "most"),
    [*((f"first in {code}", code, LIGHT) for code in SHIPPED), ("six languages", "ar", LIGHT_IN_SIX)],
)
def test_the_start_page_is_light_in_every_language(
    chromium: Browser, product: Product, name: str, language: str, most: int
) -> None:
    """Everything that comes over the line. The page holds the design with the phrases of its languages."""
    of = asked(product, name)
    with listening(product) as line:
        page = profile(chromium, locale=language).new_page()
        page.goto(line.url + of.address, wait_until="networkidle")
        expect(page.locator("[data-agree]:visible")).to_have_count(1)
        assert page.locator("html").get_attribute("lang") == language
        page.context.close()
        print(f"{name}: {line.bytes_received()} bytes in {len(line.requests())} requests")
        assert line.bytes_received() <= most
        assert len(line.requests()) == REQUESTS
