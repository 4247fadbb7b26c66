"""What can be tried on the start page, of which nothing leaves it and nothing is kept."""

import json
from typing import Any

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, expect

from intake.pages.pages import respondent_context
from tests.browser.answering import Asked, Respondent, asked, forget, listening, throws
from tests.browser.conftest import Visit, profile
from tests.browser.test_answering_traces import SNAPSHOT
from tests.browser.warm import visit
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit"]

# Heads, and five times tails with yes and no in turn, and heads again: each flip has two coins.
WORDS = [0, 0, 9999, 9999, 9999, 0, 9999, 9999, 9999, 0, 9999, 9999, *[0] * 8]
SENT = ["Yes", "Yes", "No", "Yes", "No", "Yes", "Yes", "Yes", "Yes", "Yes"]


@pytest.fixture
def short(product: Product) -> Asked:
    forget(product)
    return asked(product, "short")


def unfold(page: Page) -> None:
    page.get_by_text("Try it with a made-up question").locator("visible=true").click()


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
    visitor.shoot("answer-toy")
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
    page.get_by_text("Try it with a made-up question").locator("visible=true").focus()
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


def test_a_preview_has_the_toy_too(visit: Visit, product: Product) -> None:
    design = asked(product, "fourteen").design
    shown = render_to_string("intake/answer.html", respondent_context(design, "preview"))
    page = visit().page
    page.route("**/preview", lambda route: route.fulfill(body=shown, content_type="text/html"))
    page.goto(product.url + "/preview")
    unfold(page)
    flip(page)
    assert len(flips(page)) == 10
