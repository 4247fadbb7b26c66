"""What the tab keeps, through reloads, Back, lost acknowledgements, lost networks and ways out."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from privacy.mechanisms.coins import Coins
from privacy.mechanisms.disguise import disguise
from tests.browser.answering import Asked, Respondent, asked, forget, inbox, throws
from tests.browser.conftest import Visit
from tests.product import Product

pytestmark = pytest.mark.browser

TRUTH = {0: 0, 1: 1, 2: 0}
COUNT = """() => { const real = crypto.getRandomValues.bind(crypto); window.thrown = 0;
    crypto.getRandomValues = array => { window.thrown += 1; return real(array); }; }"""


@pytest.fixture
def short(product: Product) -> Asked:
    forget(product)
    return asked(product, "short")


def arrived(page: Page) -> None:
    page.get_by_role("heading", name="Your record has arrived").wait_for()


# --- answering: the coins are thrown once --------------------------------------------------------


def test_before_anybody_agrees_nothing_is_kept_and_no_coin_is_thrown(visit: Visit, short: Asked) -> None:
    visitor = visit()
    visitor.page.add_init_script(f"({COUNT})()")
    page = visitor.go(short.address)
    assert Respondent(page).kept() == {}
    assert page.evaluate("window.thrown") == 0


def test_reload_back_and_change_never_throw_a_coin_again(visit: Visit, short: Asked) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    first = respondent.kept()
    assert set(first) == {"state", "coins", "key", "token"}

    for _step in range(4):
        page.go_back()
        assert respondent.kept() == first
    page.reload()
    assert respondent.kept() == first
    respondent.answer({0: 0, 1: 0, 2: 1})
    assert respondent.kept() == first
    page.get_by_role("button", name="Change: Stolen?").click()
    respondent.choose({1: 1})
    respondent.press("Continue")
    assert respondent.heading == "Check your answers"
    assert respondent.kept() == first

    respondent.send()
    arrived(page)
    expected = disguise(short.design, Coins(tuple(first["coins"]["values"])), 1, [0, 1, 1])
    assert respondent.receipt()["answers"] == expected.answers


def test_coins_once_thrown_are_the_only_draw_before_the_check(visit: Visit, short: Asked) -> None:
    visitor = visit()
    visitor.page.add_init_script(f"({COUNT})()")
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.begin()
    thrown = page.evaluate("window.thrown")
    # Three coins of the section and the key's sixteen bytes; a word is drawn again now and then.
    assert 19 <= thrown <= 21
    respondent.choose(TRUTH)
    respondent.press("Continue")
    page.go_back()
    page.go_forward()
    assert page.evaluate("window.thrown") == thrown
    page.reload()
    respondent.begin()
    assert page.evaluate("window.thrown") == 0


def test_true_answers_do_not_survive_a_reload(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    page.reload()
    assert page.get_by_text("they are asked again").is_visible()
    respondent.begin()
    assert page.locator("input:checked").count() == 0


def test_what_is_kept_says_nothing_of_the_answers(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    seen = [respondent.kept() for _screen in respondent.screens(TRUTH)]
    assert all(kept == seen[0] for kept in seen)
    assert set(seen[0]) == {"state", "coins", "key", "token"}


def test_leaving_the_page_wipes_the_answers_before_the_browser_can_store_the_page(
    visit: Visit, short: Asked
) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    assert page.locator("#screen > *").count() == 0
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    assert respondent.heading == "Short"
    respondent.begin()
    assert page.locator("input:checked").count() == 0


def test_after_going_elsewhere_back_shows_no_answer(visit: Visit, short: Asked) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    kept = respondent.kept()
    visitor.go("/limits")
    page.go_back()
    page.locator("[data-agree]:visible").wait_for()
    assert respondent.kept() == kept
    respondent.begin()
    assert page.locator("input:checked").count() == 0


def test_back_and_forward_lead_through_the_questions(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    seen = []
    for _step in range(4):
        page.go_back()
        seen.append(respondent.heading.splitlines()[-1].strip())
    assert seen == ["Taxes?", "Stolen?", "Work?", "Short"]
    page.go_forward()
    assert respondent.heading.endswith("Work?")
    assert page.locator("#answer-0-0").is_checked()


def test_the_history_and_the_address_say_nothing_of_the_answers(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    address = page.url
    respondent = Respondent(page)
    for depth, _screen in enumerate(respondent.screens(TRUTH)):
        assert page.url == address
        assert page.evaluate("history.state") == {"at": depth + 1}
        assert page.title() == "Survey"


def test_forward_does_not_jump_over_a_question_that_was_never_answered(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    for _step in range(3):
        page.go_back()
    page.reload()
    respondent.begin()
    page.go_forward()
    assert respondent.heading.endswith("Work?")


# --- sending: the first record stands ------------------------------------------------------------


@dataclass
class Losing:
    """The server hears every request and its first answer is lost; later requests wait to be let through."""

    page: Page
    heard: list[Any] = field(default_factory=list)
    held: list[Route] = field(default_factory=list)
    open: bool = False

    def handle(self, route: Route) -> None:
        self.heard.append(route.request.post_data)
        if len(self.heard) == 1:
            route.fetch()
            route.abort()
        elif self.open:
            route.continue_()
        else:
            self.held.append(route)

    def let_through(self) -> None:
        self.open = True
        while not self.held and len(self.heard) < 2:
            self.page.wait_for_timeout(50)
        for route in self.held:
            route.continue_()


def lose(page: Page, survey: Asked) -> Losing:
    losing = Losing(page)
    page.route(f"**{survey.record}", losing.handle)
    return losing


def test_from_sending_on_the_record_stands_where_the_coins_were(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    losing = lose(page, short)
    respondent.answer(TRUTH)
    key = respondent.kept()["key"]
    respondent.send()
    page.get_by_text("No answer yet.").wait_for()
    assert respondent.kept() == {"state": "sending", "body": losing.heard[0]}
    assert json.loads(losing.heard[0])["key"] == key
    losing.let_through()
    arrived(page)
    assert respondent.kept() == {}
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_after_a_lost_acknowledgement_and_back_no_other_answer_can_be_given_and_the_first_record_stands(
    visit: Visit, product: Product, short: Asked
) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    losing = lose(page, short)
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_text("No answer yet.").wait_for()
    stored = inbox(product, short)
    for _step in range(3):
        page.go_back()
        assert page.get_by_text("the answers can no longer be changed").is_visible()
        assert page.locator("input").count() == 0
    losing.let_through()
    arrived(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert inbox(product, short) == stored == [f"1{respondent.receipt()['answers']}"]


def test_a_reload_while_sending_sends_the_same_bytes(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    losing = lose(page, short)
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_text("No answer yet.").wait_for()
    losing.open = True
    page.reload()
    arrived(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert inbox(product, short) == [f"1{respondent.receipt()['answers']}"]
    assert page.get_by_text("It had arrived at an earlier try already").is_visible()


def test_leaving_and_coming_back_while_sending_sends_the_same_bytes(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = Respondent(page)
    losing = lose(page, short)
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_text("No answer yet.").wait_for()
    losing.open = True
    visitor.go("/limits")
    visitor.go(short.address)
    arrived(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert len(inbox(product, short)) == 1


def test_another_answer_from_a_copy_of_the_tab_is_not_stored_and_the_copy_says_so(
    visit: Visit, product: Product, short: Asked
) -> None:
    page = visit().go(short.address)
    throws(page, [0, 0, 0])
    page.reload()
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    with page.expect_popup() as opened:
        page.evaluate("window.open(location.href)")
    copy = Respondent(opened.value)
    assert copy.kept() == respondent.kept()

    losing = lose(page, short)
    respondent.send()
    page.get_by_text("No answer yet.").wait_for()
    stored = inbox(product, short)
    assert stored == ["1010"]

    copy.answer({0: 1, 1: 0, 2: 1})
    copy.send()
    opened.value.get_by_role("heading", name="A record of yours had already arrived").wait_for()
    assert opened.value.locator("pre").count() == 0

    losing.let_through()
    arrived(page)
    assert len(losing.heard) == 2
    assert respondent.receipt()["answers"] == "010"
    assert inbox(product, short) == stored


def test_a_network_that_comes_back_delivers_the_same_record_once(
    visit: Visit, product: Product, short: Asked
) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    page.context.set_offline(True)
    respondent.send()
    page.get_by_text("This device is offline.").wait_for()
    body = respondent.kept()["body"]
    assert inbox(product, short) == []
    page.context.set_offline(False)
    arrived(page)
    assert inbox(product, short) == [f"1{json.loads(body)['record']['answers']}"]


def test_a_server_that_stumbles_is_asked_again(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    answers = iter([502, 429])

    def handle(route: Route) -> None:
        status = next(answers, None)
        if status:
            route.fulfill(status=status, body="<html>")
        else:
            route.continue_()

    page.route(f"**{short.record}", handle)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.send()
    arrived(page)
    assert len(inbox(product, short)) == 1


def test_whoever_will_not_wait_can_try_at_once(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    failures = iter(range(3))

    def handle(route: Route) -> None:
        if next(failures, None) is None:
            route.continue_()
        else:
            route.abort()

    page.route(f"**{short.record}", handle)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_text("The next try is in 4 seconds.").wait_for()
    respondent.press("Try now")
    page.get_by_role("heading", name="Your record has arrived").wait_for(timeout=3000)


def test_once_done_nothing_is_kept_and_back_shows_no_answer(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.send()
    arrived(page)
    assert respondent.kept() == {}
    page.go_back()
    assert page.locator("input").count() == 0
    page.reload()
    assert respondent.heading == "Short"
    assert page.get_by_text("they are asked again").is_hidden()


@pytest.mark.parametrize(
    ("status", "word", "heading"),
    [
        (403, "unknown or spent token", "This invitation cannot be used"),
        (404, "no such survey", "This survey is no longer here"),
        (410, "closed", "The survey closed before your record arrived"),
        (413, "too long", "The record was not accepted"),
        (422, "malformed", "The record was not accepted"),
    ],
)
def test_a_refusal_says_what_happened_and_keeps_nothing(
    visit: Visit, short: Asked, status: int, word: str, heading: str
) -> None:
    page = visit().go(short.address)
    page.route(f"**{short.record}", lambda route: route.fulfill(status=status, json={"outcome": word}))
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_role("heading", name=heading).wait_for()
    assert respondent.kept() == {}
    assert page.locator("pre").count() == 0


# --- ways out and ways in ------------------------------------------------------------------------


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
    assert page.get_by_text("Press Shift 2 more times").count() == 1
    page.keyboard.press("Tab")
    assert page.get_by_text("more times").count() == 0
    for _press in range(3):
        page.keyboard.press("Shift")
    page.wait_for_url("about:blank")


def test_leave_is_an_exit_too(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    page.get_by_role("button", name="Leave", exact=True).click()
    page.wait_for_url("about:blank")


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
    for heading in ("Your record has arrived", "This invitation cannot be used"):
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
    assert page.get_by_text("This survey is by invitation.").is_visible()
    assert page.locator("[data-agree]:visible").count() == 0


def test_another_invitation_in_the_same_tab_begins_anew(visit: Visit, product: Product) -> None:
    survey = asked(product, "invited")
    page = visit().go(f"{survey.address}#{survey.tokens[2]}")
    respondent = Respondent(page)
    respondent.begin()
    first = respondent.kept()
    page.evaluate(f"location.hash = '#{survey.tokens[3]}'")
    page.wait_for_function("() => sessionStorage.getItem(location.pathname)?.includes('arrived')")
    assert respondent.kept() == {"state": "arrived", "token": survey.tokens[3]}
    page.locator("[data-agree]:visible").wait_for()
    respondent.begin()
    assert respondent.kept()["coins"] != first["coins"]
    assert "#" not in page.url


def test_where_the_browser_keeps_nothing_nobody_begins(visit: Visit, short: Asked) -> None:
    visitor = visit()
    visitor.page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    page = visitor.go(short.address)
    Respondent(page).begin()
    page.get_by_role("heading", name="Your browser lets this page keep nothing").wait_for()
    assert page.locator("input").count() == 0


def test_a_closed_survey_still_delivers_what_was_being_sent(
    visit: Visit, product: Product, short: Asked
) -> None:
    closed = asked(product, "closed")
    visitor = visit()
    page = visitor.go(closed.address)
    assert page.get_by_role("heading", name="This survey is closed").is_visible()
    record = {"design": short.design.fingerprint, "group": 1, "answers": "010"}
    body = json.dumps({"key": "ab" * 16, "record": record})
    page.evaluate(
        "body => sessionStorage.setItem(location.pathname, JSON.stringify({state: 'sending', body}))", body
    )
    page.reload()
    # Within the hour of grace the record is still taken.
    arrived(page)
    assert inbox(product, closed) == ["1010"]
