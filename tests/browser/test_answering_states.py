"""What the tab keeps while somebody answers: which questions were drawn, no coin and no answer."""

import pytest
from playwright.sync_api import expect

from tests.browser.answering import Asked, Respondent, arrived, asked, forget, throws
from tests.browser.conftest import Visit
from tests.product import Product

pytestmark = pytest.mark.browser

TRUTH = {0: 0, 1: 1, 2: 0}
ANSWERING = {"state": "answering", "drawn": {"asked": [True] * 3, "draws": []}, "token": None}
WRONG = [
    *({"asked": asked, "draws": []} for asked in ([], [False] * 3, [1, 1, 1], {"length": 3})),
    *({"asked": [True] * 3, "draws": draws} for draws in (None, [0], "0")),
]
COUNT = """() => { const real = crypto.getRandomValues.bind(crypto); window.thrown = 0;
    crypto.getRandomValues = array => { window.thrown += 1; return real(array); }; }"""


@pytest.fixture
def short(product: Product) -> Asked:
    forget(product)
    return asked(product, "short")


def test_nothing_is_kept_and_no_coin_is_thrown_before_somebody_agrees_and_none_later(
    visit: Visit, short: Asked
) -> None:
    visitor = visit()
    visitor.page.add_init_script(f"({COUNT})()")
    page = visitor.go(short.address)
    respondent = Respondent(page)
    assert respondent.kept() == {}
    assert page.evaluate("window.thrown") == 0
    respondent.begin()
    thrown = page.evaluate("window.thrown")
    # Three coins of the section and the key's sixteen bytes; a word is drawn again now and then.
    assert 19 <= thrown <= 21
    respondent.choose(TRUTH)
    respondent.press("Continue")
    page.go_back()
    page.go_back()
    respondent.begin()
    assert page.evaluate("window.thrown") == thrown


def test_back_and_change_never_throw_a_coin_again(visit: Visit, short: Asked) -> None:
    visitor = visit()
    throws(visitor.page, [9999, 0, 9999])  # replaced: no and yes, whatever is answered
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    for _step in range(4):
        page.go_back()
    respondent.answer({0: 0, 1: 0, 2: 1})
    page.get_by_role("button", name="Change: Stolen?").click()
    respondent.choose({1: 1})
    respondent.press("Continue")
    assert respondent.heading == "Check your answers"
    respondent.send()
    arrived(page)
    assert respondent.receipt()["answers"] == "001"


def test_a_reload_throws_the_coins_anew(visit: Visit, short: Asked) -> None:
    visitor = visit()
    throws(visitor.page, [9999, 0, 0])  # replaced: no and no
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer({0: 0, 1: 1, 2: 1})
    throws(page, [0, 0, 0])  # kept
    page.reload()
    respondent.answer({0: 0, 1: 1, 2: 1})
    respondent.send()
    arrived(page)
    assert respondent.receipt()["answers"] == "011"


def test_a_reload_asks_the_same_questions_although_the_coins_would_draw_others(
    visit: Visit, product: Product
) -> None:
    forget(product)
    fourteen = asked(product, "fourteen")
    visitor = visit()
    first_part = [0] * 9  # a keep coin and eight noise coins come first
    throws(visitor.page, [*first_part, 2, 0, 0, 0, 0, 0, 0])  # the third and the second of four
    page = visitor.go(fourteen.address)
    respondent = Respondent(page)
    first, kept = list(respondent.screens({})), respondent.kept()
    throws(page, [*first_part, 3, 2, 0, 0, 0, 0, 0])  # the fourth and the first
    page.reload()
    assert list(respondent.screens({})) == first
    assert respondent.kept() == kept
    drawn = [bool(place) for place in kept["drawn"]["asked"]]
    assert drawn == [True] * 10 + [False, True, True, False]


def test_what_the_design_cannot_have_drawn_is_not_believed(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    keep = "drawn => sessionStorage.setItem(location.pathname, JSON.stringify({state: 'answering', drawn}))"
    for drawn in ("x", None, [], [True] * 3, *WRONG):
        page.evaluate(keep, drawn)
        page.reload()
        respondent.begin()
        assert respondent.kept() == ANSWERING, drawn
    page.evaluate(keep, drawn)
    page.reload()
    respondent.answer(TRUTH)
    respondent.send()
    arrived(page)


def test_what_is_kept_says_nothing_of_answers_and_coins(visit: Visit, short: Asked) -> None:
    seen = []
    for words in ([0, 0, 0], [9999, 9999, 9999]):
        visitor = visit()
        throws(visitor.page, words)
        page = visitor.go(short.address)
        respondent = Respondent(page)
        for truth in (TRUTH, {0: 1, 1: 0, 2: 1}):
            seen += [respondent.kept() for _screen in respondent.screens(truth)]
            page.reload()
    assert len(seen) == 16
    assert all(kept == ANSWERING for kept in seen)


def test_true_answers_survive_neither_a_reload_nor_leaving_the_page(visit: Visit, short: Asked) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    page.reload()
    expect(page.get_by_text("so your answers were deleted")).to_be_visible()
    respondent.begin()
    expect(page.locator("input:checked")).to_have_count(0)

    # Wiped before the browser can store the page.
    page.reload()
    respondent.answer(TRUTH)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    expect(page.locator("#screen > *")).to_have_count(0)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    assert respondent.heading == "Short"
    respondent.begin()
    expect(page.locator("input:checked")).to_have_count(0)

    page.reload()
    respondent.answer(TRUTH)
    assert respondent.heading == "Check your answers"
    kept = respondent.kept()
    visitor.go("/limits")
    page.go_back()
    page.locator("[data-agree]:visible").wait_for()
    assert respondent.kept() == kept
    respondent.begin()
    expect(page.locator("input:checked")).to_have_count(0)


def test_the_history_and_the_address_say_nothing_of_the_answers(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    address = page.url
    respondent = Respondent(page)
    for depth, _screen in enumerate(respondent.screens(TRUTH)):
        assert page.url == address
        assert page.evaluate("history.state") == {"at": depth + 1}
        assert page.title() == "Survey"


def test_back_and_forward_lead_through_the_questions_and_over_none_without_an_answer(
    visit: Visit, short: Asked
) -> None:
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
    expect(page.locator("#answer-0-0")).to_be_checked()
    page.reload()
    respondent.begin()
    page.go_forward()
    assert respondent.heading.endswith("Work?")
