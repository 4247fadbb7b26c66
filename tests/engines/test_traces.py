"""The first promise of docs/promises.md in Firefox and WebKit: nothing but the record leaves the page."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import WORDS, Asked, Respondent, forget_all, get_survey, inbox, record_line
from tests.browser.questionnaires import TRUE_CELL, TRUE_NAMES, TRUE_NUMBER
from tests.browser.test_answering_disk import contents
from tests.browser.test_answering_traces import (
    SECRETS,
    SNAPSHOT,
    YES_AND_NO,
    Trace,
    database_dump,
    has_word,
    worker,
)
from tests.engines.conftest import Visit, window
from tests.engines.test_answering import screen_headings
from tests.engines.webdriver import PHONE, Driver, Firefox
from tests.product import Product

__all__ = ["worker"]
pytestmark = [pytest.mark.apart, pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


def trace_of_answering(visit: Visit, product: Product, survey: Asked, truth: dict[int, int]) -> Trace:
    """What there is to be seen at every step; the page draws the same words whoever answers."""
    forget_all(product)
    trace, logged = Trace(), len(product.logs())
    with record_line(product) as line:
        page = visit()
        page.goto(line.url + survey.address)
        page.evaluate(WORDS, YES_AND_NO)
        respondent = Respondent(page)
        for _screen in respondent.screens(truth):
            trace.snapshots.append(json.loads(json.dumps(page.evaluate(SNAPSHOT)).replace(line.url, "")))
        respondent.deliver()
        trace.snapshots.append(json.loads(json.dumps(page.evaluate(SNAPSHOT)).replace(line.url, "")))
        trace.receipt = page.locator("main").inner_html()
        trace.cookies = page.driver.command("GetCookies")
        trace.console = page.driver.console()
        host = line.url.removeprefix("http://").encode()
        trace.requests = [one.replace(host, b"") for one in line.requests()]
    trace.log, trace.inbox = product.logs()[logged:], inbox(product, survey)
    return trace


def test_two_truths_whose_coins_give_the_same_record_leave_the_same_traces(
    worker: None, visit: Visit, product: Product
) -> None:
    survey = get_survey(product, "short")
    one = trace_of_answering(visit, product, survey, {0: 1, 1: 0, 2: 0})
    other = trace_of_answering(visit, product, survey, {0: 1, 1: 1, 2: 1})
    assert one.inbox == ["1110"]
    assert one == other
    # What they are compared by would show a plain answer, which is sent as it is given.
    plain = trace_of_answering(visit, product, survey, {0: 0, 1: 0, 2: 0})
    assert plain.requests != one.requests
    assert plain.receipt != one.receipt


def test_true_answers_are_only_in_the_page_in_each_engine(
    engine: type[Driver], worker: None, product: Product, tmp_path: Path
) -> None:
    """One person answers all of `SECRETS` by hand; the profile is searched after the browser has ended.

    A WebKit that is driven stores nothing of a page in it.
    """
    folder = tmp_path / "profile"
    seen: list[Any] = []
    with record_line(product) as line, window(engine, folder, "en", PHONE) as page:
        for name, (truth, _words, coins) in SECRETS.items():
            forget_all(product)
            survey = get_survey(product, name)
            page.goto(line.url + survey.address)
            page.evaluate(WORDS, coins)
            respondent = Respondent(page).agree_and_begin()  # type: ignore[arg-type]
            seen += [page.evaluate(SNAPSHOT) for _heading in screen_headings(respondent, truth)]
            respondent.deliver()
            seen += [page.evaluate(SNAPSHOT), page.locator("main").inner_html()]
            seen += [inbox(product, survey), database_dump(product)]
        sent = b"".join(bytes(stream) for stream in line.sent)
    files = contents(folder) | contents(product.var)
    places = {str(path): content for path, content in files.items() if "candor.sqlite3" not in path.name}
    visited = any(
        place.startswith(str(folder)) and has_word(places[place], survey.address) for place in places
    )
    assert visited == (engine is Firefox)
    places |= {"the requests": sent, "what was seen": json.dumps(seen, ensure_ascii=False).encode()}
    words = [word for _truth, words, _coins in SECRETS.values() for word in words]
    assert {TRUE_CELL, *TRUE_NAMES, str(TRUE_NUMBER)} <= {*words}
    found = {word: [place for place, content in places.items() if has_word(content, word)] for word in words}
    assert {word: where for word, where in found.items() if where} == {}


SESSION = """
const done = arguments[0], lazy = {};
ChromeUtils.defineESModuleGetters(lazy, {
  SessionStore: "resource:///modules/sessionstore/SessionStore.sys.mjs",
  TabStateFlusher: "resource:///modules/sessionstore/TabStateFlusher.sys.mjs",
});
lazy.TabStateFlusher.flush(window.gBrowser.selectedBrowser).then(() => done(lazy.SessionStore.getBrowserState()));
"""


@pytest.mark.parametrize("engine", ["firefox"], indirect=True)
@pytest.mark.parametrize("name", ["mixture", "battery", "places", "numbers", "sets"])
def test_firefox_crash_restore_holds_no_answer(visit: Visit, product: Product, name: str) -> None:
    """It writes this to the disk every fifteen seconds: of each field that a page does not except what stands in it."""
    page = visit()
    page.goto(product.url + get_survey(product, name).address)
    firefox: Firefox = page.driver
    page.evaluate("""() => {
      const field = document.createElement("input");
      field.id = "kept-by-firefox";
      document.body.append(field);
    }""")
    page.locator("#kept-by-firefox").fill("seen")
    (kept,) = restorable_fields(firefox)
    assert kept["id"] == {"kept-by-firefox": "seen"}
    page.evaluate("document.querySelector('#kept-by-firefox').remove()")
    respondent = Respondent(page).agree_and_begin()
    for heading in screen_headings(respondent, {0: 0, 1: 1, 2: 1}):
        assert restorable_fields(firefox) == [], heading
    assert restorable_fields(firefox) == []


def restorable_fields(firefox: Firefox) -> list[Any]:
    """What the browser would put back into the fields of its pages."""
    state = json.loads(firefox.inside_browser(SESSION, command="ExecuteAsyncScript"))
    tabs = [tab for one in state["windows"] for tab in one["tabs"]]
    return [tab["formdata"] for tab in tabs if tab.get("formdata")]
