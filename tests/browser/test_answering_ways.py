"""Ways into a survey and out of it, and what the tab keeps while somebody answers."""

import json
import re
from time import sleep

import pytest
from django.utils import timezone
from playwright.sync_api import Route, expect

from intake.endpoint.epochs import epoch_at
from tests.browser.conftest import (
    TRUTH,
    Asked,
    Respondent,
    Visit,
    close,
    fix_words,
    forget_all,
    get_survey,
    inbox,
    wait_for_receipt,
)
from tests.browser.visiting import Visitor, wait_for_expression
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


def test_exit_clears_everything_and_back_does_not_return(visit: Visit, short: Asked) -> None:
    visitor = visit()
    visitor.go("/app/limits")
    page = visitor.go(short.address)
    respondent = Respondent(page).answer(TRUTH)
    respondent.press_button("Exit this page")
    page.wait_for_url("about:blank")
    page.go_back()
    page.wait_for_url("**/app/limits")
    visitor.go(short.address)
    assert respondent.tab_storage() == {}
    assert respondent.heading == "Short"


def test_leave_button_and_triple_shift_exit(visitor: Visitor, short: Asked) -> None:
    page = visitor.go(short.address)
    page.get_by_role("button", name="Leave", exact=True).click()
    page.wait_for_url("about:blank")
    visitor.go(short.address)
    Respondent(page).agree_and_begin()
    page.keyboard.press("Shift")
    expect(page.get_by_text("Press Shift 2 more times")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.get_by_text("more times")).to_have_count(0)
    for _press in range(3):
        page.keyboard.press("Shift")
    page.wait_for_url("about:blank")


def answer_late(route: Route) -> None:
    """After the time in which the page waits for its own way back: it asks once all the same."""
    sleep(0.5)
    route.fulfill(body="The news")


def test_exit_leads_to_the_researchers_page_or_a_blank_one(
    visit: Visit, visitor: Visitor, product: Product
) -> None:
    survey = get_survey(product, "with a way out")
    page = visitor.go(survey.address)
    page.route("https://neutral.example/**", answer_late)
    Respondent(page).agree_and_begin()
    expect(page.get_by_role("radio").first).to_be_visible()
    page.get_by_role("button", name="Exit this page").click()
    page.wait_for_url("https://neutral.example/news")
    assert visitor.strangers == ["https://neutral.example/news"]
    visitor.strangers.clear()
    # Nothing tells that page where somebody came from, nor the history what was left.
    assert page.evaluate("document.referrer") == ""
    offline = visit().go(survey.address)
    offline.context.set_offline(True)
    offline.get_by_role("button", name="Exit this page").click()
    offline.wait_for_url("about:blank")


def test_invitation_is_removed_from_the_address_at_once(
    visit: Visit, product: Product, invited: Asked
) -> None:
    page = visit().page
    held: list[Route] = []

    def hold_request(route: Route) -> None:
        held.append(route)

    page.route("**/*.css", hold_request)
    page.goto(f"{product.url}{invited.address}#{invited.tokens[0]}", wait_until="commit")
    # No style has come, so nothing is painted and no module of the page has run.
    while not page.evaluate("sessionStorage.length"):
        page.wait_for_timeout(50)
    painted = "performance.getEntriesByName('first-paint').length"
    assert page.evaluate(f"[location.href, {painted}]") == [product.url + invited.address, 0]
    for route in held:
        route.continue_()
    page.unroute("**/*.css")
    respondent = Respondent(page)
    page.reload()
    assert respondent.tab_storage() == {"state": "arrived", "token": invited.tokens[0]}
    respondent.answer(TRUTH)
    respondent.deliver()
    assert respondent.tab_storage() == {}
    assert invited.tokens[0] not in json.dumps(respondent.receipt())
    assert len(inbox(product, invited)) == 1


def test_another_invitation_starts_anew(visitor: Visitor, product: Product) -> None:
    survey = get_survey(product, "invited")
    page = visitor.go(survey.address)
    expect(page.get_by_text("This survey is by invitation.")).to_be_visible()
    expect(page.locator("[data-agree]:visible")).to_have_count(0)
    visitor.go("/app/limits")
    visitor.go(f"{survey.address}#{survey.tokens[2]}")
    respondent = Respondent(page).agree_and_begin()
    page.evaluate(f"location.hash = '#{survey.tokens[3]}'")
    wait_for_expression(page, "() => sessionStorage.getItem(location.pathname)?.includes('arrived')")
    page.locator("[data-agree]:visible").wait_for()
    assert respondent.tab_storage() == {"state": "arrived", "token": survey.tokens[3]}
    respondent.agree_and_begin()
    assert respondent.tab_storage() == ANSWERING | {"token": survey.tokens[3]}
    assert "#" not in page.url


def test_survey_cannot_start_without_session_storage(visitor: Visitor, short: Asked) -> None:
    visitor.page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    page = visitor.go(short.address)
    Respondent(page).agree_and_begin()
    page.get_by_role("heading", name="Your browser is blocking storage for this page").wait_for()
    expect(page.locator("input")).to_have_count(0)
    visitor.check()


def test_closed_survey_still_delivers_a_record_being_sent(visit: Visit, product: Product) -> None:
    closed = get_survey(product, "closed")
    page = visit().go(closed.address)
    expect(page.get_by_role("heading", name="This survey is closed")).to_be_visible()
    record = {"design": closed.design.fingerprint, "group": 1, "answers": "010"}
    body = json.dumps({"key": "ab" * 16, "epoch": epoch_at(timezone.now()), "record": record})
    keep = "body => sessionStorage.setItem(location.pathname, JSON.stringify({state: 'sending', body}))"
    page.evaluate(keep, body)
    page.reload()
    # Within the hour of grace the record is still taken.
    wait_for_receipt(page)
    assert inbox(product, closed) == ["1010"]


def test_survey_that_closes_leaves_nothing_in_the_tab(visit: Visit, product: Product) -> None:
    survey = get_survey(product, "closing")
    page = visit().go(f"{survey.address}#{'ab' * 16}")
    respondent = Respondent(page).answer(TRUTH)
    assert respondent.tab_storage()["state"] == "answering"
    close(product, survey)
    page.reload()
    expect(page.get_by_role("heading", name="This survey is closed")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    respondent.press_button("Exit this page")
    page.wait_for_url("about:blank")


ANSWERING = {"state": "answering", "drawn": {"asked": [True] * 3, "draws": []}, "token": None}
WRONG = [
    *({"asked": asked, "draws": []} for asked in ([], [False] * 3, [1, 1, 1], {"length": 3})),
    *({"asked": [True] * 3, "draws": draws} for draws in (None, [0], "0")),
]
COUNT = """() => { const real = crypto.getRandomValues.bind(crypto); window.thrown = 0;
    crypto.getRandomValues = array => { window.thrown += 1; return real(array); }; }"""


def test_coins_are_drawn_once_on_agreement(visitor: Visitor, short: Asked) -> None:
    visitor.page.add_init_script(f"({COUNT})()")
    page = visitor.go(short.address)
    respondent = Respondent(page)
    assert respondent.tab_storage() == {}
    assert page.evaluate("window.thrown") == 0
    respondent.agree_and_begin()
    thrown = page.evaluate("window.thrown")
    # Three coins of the section and the key's sixteen bytes; a word is drawn again now and then.
    assert 19 <= thrown <= 21
    respondent.go_on(TRUTH)
    page.go_back()
    page.go_back()
    respondent.agree_and_begin()
    assert page.evaluate("window.thrown") == thrown


def test_back_and_change_never_redraw_a_coin(visitor: Visitor, short: Asked) -> None:
    fix_words(visitor.page, [9999, 0, 9999])  # replaced: no and yes, whatever is answered
    page = visitor.go(short.address)
    respondent = Respondent(page).answer(TRUTH)
    for _step in range(4):
        page.go_back()
    respondent.answer({0: 0, 1: 0, 2: 1})
    page.get_by_role("button", name="Change: Stolen?").click()
    respondent.go_on({1: 1})
    assert respondent.heading == "Check your answers"
    respondent.deliver()
    assert respondent.receipt()["answers"] == "001"


def test_stored_state_that_the_design_cannot_draw_is_rejected(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    keep = "drawn => sessionStorage.setItem(location.pathname, JSON.stringify({state: 'answering', drawn}))"
    for drawn in ("x", None, [], [True] * 3, *WRONG):
        page.evaluate(keep, drawn)
        page.reload()
        respondent.agree_and_begin()
        assert respondent.tab_storage() == ANSWERING, drawn
    page.evaluate(keep, drawn)
    page.reload()
    respondent.answer(TRUTH)
    respondent.deliver()


def test_stored_state_holds_no_answers_or_coins(visit: Visit, short: Asked) -> None:
    seen = []
    for words in ([0, 0, 0], [9999, 9999, 9999]):
        visitor = visit()
        fix_words(visitor.page, words)
        page = visitor.go(short.address)
        respondent = Respondent(page)
        for truth in (TRUTH, {0: 1, 1: 0, 2: 1}):
            seen += [respondent.tab_storage() for _screen in respondent.screens(truth)]
            page.reload()
    assert len(seen) == 16
    assert all(kept == ANSWERING for kept in seen)


def test_true_answers_are_lost_on_reload_and_on_leaving(visitor: Visitor, short: Asked) -> None:
    page = visitor.go(short.address)
    respondent = Respondent(page).answer(TRUTH)
    page.reload()
    expect(page.get_by_text("so your answers were deleted")).to_be_visible()
    respondent.agree_and_begin()
    expect(page.locator("input:checked")).to_have_count(0)

    # Wiped before the browser can store the page.
    page.reload()
    respondent.answer(TRUTH)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    expect(page.locator("#screen > *")).to_have_count(0)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    assert respondent.heading == "Short"
    respondent.agree_and_begin()
    expect(page.locator("input:checked")).to_have_count(0)

    page.reload()
    respondent.answer(TRUTH)
    assert respondent.heading == "Check your answers"
    kept = respondent.tab_storage()
    visitor.go("/app/limits")
    page.go_back()
    page.locator("[data-agree]:visible").wait_for()
    assert respondent.tab_storage() == kept
    respondent.agree_and_begin()
    expect(page.locator("input:checked")).to_have_count(0)


def test_history_and_address_reveal_no_answers(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    address = page.url
    respondent = Respondent(page)
    for depth, _screen in enumerate(respondent.screens(TRUTH)):
        assert page.url == address
        assert page.evaluate("history.state") == {"at": depth + 1}
        assert page.title() == "Survey"


def test_back_and_forward_walk_through_the_questions(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page).answer(TRUTH)
    seen = []
    for _step in range(4):
        page.go_back()
        seen.append(respondent.heading.splitlines()[-1].strip())
    assert seen == ["Taxes?", "Stolen?", "Work?", "Short"]
    page.go_forward()
    assert respondent.heading.endswith("Work?")
    expect(page.locator("#answer-0-0")).to_be_checked()
    page.reload()
    respondent.agree_and_begin()
    page.go_forward()
    assert respondent.heading.endswith("Work?")


CODE = "THANKS-4711"


def test_completion_comes_after_sending(visitor: Visitor, product: Product) -> None:
    page = visitor.go(get_survey(product, "with a code").address)
    page.get_by_text("After you have sent your answers").click()
    expect(page.get_by_text("You get a code for your panel.").first).to_be_visible()
    assert CODE not in page.content()
    respondent = Respondent(page).answer({})
    assert CODE not in page.content()
    respondent.deliver()
    expect(page.locator("#completion code")).to_have_text(CODE)
    expect(page.locator("#completion")).not_to_contain_text("demonstration")
    respondent.press_button("Copy the code")
    expect(page.locator("#completion [role=status]")).to_have_text(re.compile("Copied|Select the code"))
    kept = "JSON.stringify([{...sessionStorage}, {...localStorage}, history.state])"
    assert CODE not in page.evaluate(kept)

    survey = get_survey(product, "with a link")
    visitor.go(survey.address)
    respondent.deliver({})
    link = page.get_by_role("link", name="Continue to panel.example.org")
    expect(link).to_have_attribute("href", "https://panel.example.org/complete/4711")
    expect(link).to_have_attribute("rel", "noreferrer")
    assert page.evaluate("location.pathname + location.search + location.hash") == survey.address
    forget_all(product)
