"""What the tab keeps while somebody answers: coins that are thrown once, and no answer."""

import pytest
from playwright.sync_api import expect

from privacy.mechanisms.coins import Coins
from privacy.mechanisms.disguise import disguise
from tests.browser.answering import Asked, Respondent, arrived, asked, forget
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
    expect(page.get_by_text("they are asked again")).to_be_visible()
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
