"""Ways out of the survey and ways into it."""

import json

import pytest
from playwright.sync_api import Route, expect

from tests.browser.answering import Asked, Respondent, arrived, asked, close, forget, inbox
from tests.browser.conftest import Visit, until
from tests.product import Product

pytestmark = pytest.mark.browser

TRUTH = {0: 0, 1: 1, 2: 0}


@pytest.fixture
def short(product: Product) -> Asked:
    forget(product)
    return asked(product, "short")


def test_exit_clears_everything_and_back_does_not_lead_into_the_survey(visit: Visit, short: Asked) -> None:
    visitor = visit()
    visitor.go("/limits")
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.press("Exit this page")
    page.wait_for_url("about:blank")
    page.go_back()
    page.wait_for_url("**/limits")
    visitor.go(short.address)
    assert respondent.kept() == {}
    assert respondent.heading == "Short"


def test_shift_three_times_exits_too(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    Respondent(page).begin()
    page.keyboard.press("Shift")
    expect(page.get_by_text("Press Shift 2 more times")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.get_by_text("more times")).to_have_count(0)
    for _press in range(3):
        page.keyboard.press("Shift")
    page.wait_for_url("about:blank")


def test_leave_is_an_exit_too(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    page.get_by_role("button", name="Leave", exact=True).click()
    page.wait_for_url("about:blank")


def test_exit_goes_to_the_page_that_the_asker_names_or_to_none_without_a_network(
    visit: Visit, product: Product
) -> None:
    survey = asked(product, "with a way out")
    visitor = visit()
    page = visitor.go(survey.address)
    page.route("https://neutral.example/**", lambda route: route.fulfill(body="The news"))
    Respondent(page).begin()
    page.get_by_role("button", name="Exit this page").click()
    page.wait_for_url("https://neutral.example/news")
    assert [visitor.strangers.pop()] == ["https://neutral.example/news"]
    # Nothing tells that page where somebody came from, nor the history what was left.
    assert page.evaluate("document.referrer") == ""
    offline = visit().go(survey.address)
    offline.context.set_offline(True)
    offline.get_by_role("button", name="Exit this page").click()
    offline.wait_for_url("about:blank")


def test_an_invitation_leaves_the_address_before_anything_else_happens(
    visit: Visit, product: Product
) -> None:
    forget(product)
    survey = asked(product, "invited")
    page = visit().page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/*.css", hold)
    page.goto(f"{product.url}{survey.address}#{survey.tokens[0]}", wait_until="commit")
    # No style has come, so nothing is painted and no module of the page has run.
    while not page.evaluate("sessionStorage.length"):
        page.wait_for_timeout(50)
    painted = "performance.getEntriesByName('first-paint').length"
    assert page.evaluate(f"[location.href, {painted}]") == [product.url + survey.address, 0]
    for route in held:
        route.continue_()
    page.unroute("**/*.css")
    respondent = Respondent(page)
    page.reload()
    assert respondent.kept() == {"state": "arrived", "token": survey.tokens[0]}
    respondent.answer(TRUTH)
    respondent.send()
    arrived(page)
    assert respondent.kept() == {}
    assert survey.tokens[0] not in json.dumps(respondent.receipt())
    assert len(inbox(product, survey)) == 1


def test_an_invitation_works_once(visit: Visit, product: Product) -> None:
    forget(product)
    survey = asked(product, "invited")
    for heading in ("Your answers have been received", "This invitation link cannot be used"):
        page = visit().go(f"{survey.address}#{survey.tokens[1]}")
        respondent = Respondent(page)
        respondent.answer(TRUTH)
        respondent.send()
        page.get_by_role("heading", name=heading).wait_for()
    assert len(inbox(product, survey)) == 1


def test_without_an_invitation_a_survey_that_wants_one_cannot_be_begun(
    visit: Visit, product: Product
) -> None:
    page = visit().go(asked(product, "invited").address)
    expect(page.get_by_text("This survey is by invitation.")).to_be_visible()
    expect(page.locator("[data-agree]:visible")).to_have_count(0)


def test_another_invitation_in_the_same_tab_begins_anew(visit: Visit, product: Product) -> None:
    survey = asked(product, "invited")
    page = visit().go(f"{survey.address}#{survey.tokens[2]}")
    respondent = Respondent(page)
    respondent.begin()
    page.evaluate(f"location.hash = '#{survey.tokens[3]}'")
    until(page, "() => sessionStorage.getItem(location.pathname)?.includes('arrived')")
    page.locator("[data-agree]:visible").wait_for()
    assert respondent.kept() == {"state": "arrived", "token": survey.tokens[3]}
    respondent.begin()
    assert respondent.kept() == {
        "state": "answering",
        "drawn": {"asked": [True] * 3, "draws": []},
        "token": survey.tokens[3],
    }
    assert "#" not in page.url


def test_where_the_browser_keeps_nothing_nobody_begins(visit: Visit, short: Asked) -> None:
    visitor = visit()
    visitor.page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    page = visitor.go(short.address)
    Respondent(page).begin()
    page.get_by_role("heading", name="Your browser is blocking storage for this page").wait_for()
    expect(page.locator("input")).to_have_count(0)
    visitor.check()
    visitor.shoot("answer-cannot-keep")


def test_a_closed_survey_still_delivers_what_was_being_sent(
    visit: Visit, product: Product, short: Asked
) -> None:
    closed = asked(product, "closed")
    visitor = visit()
    page = visitor.go(closed.address)
    expect(page.get_by_role("heading", name="This survey is closed")).to_be_visible()
    record = {"design": short.design.fingerprint, "group": 1, "answers": "010"}
    body = json.dumps({"key": "ab" * 16, "record": record})
    page.evaluate(
        "body => sessionStorage.setItem(location.pathname, JSON.stringify({state: 'sending', body}))", body
    )
    page.reload()
    # Within the hour of grace the record is still taken.
    arrived(page)
    assert inbox(product, closed) == ["1010"]


def test_a_survey_that_closes_while_somebody_answers_leaves_nothing_in_the_tab(
    visit: Visit, product: Product
) -> None:
    survey = asked(product, "closing")
    page = visit().go(f"{survey.address}#{'ab' * 16}")
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    assert respondent.kept()["state"] == "answering"
    close(product, survey)
    page.reload()
    expect(page.get_by_role("heading", name="This survey is closed")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    respondent.press("Exit this page")
    page.wait_for_url("about:blank")
