"""Who has to wait keeps the record on the device and sends it later, across tabs and on a phone; and nothing else."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.conftest import (
    TRUTH,
    Asked,
    NewPage,
    Respondent,
    Visit,
    close,
    fix_words,
    forget_all,
    get_survey,
    inbox,
    wait_for_receipt,
)
from tests.browser.questionnaires import TRUE_NAMES
from tests.browser.test_answering_traces import SNAPSHOT, YES_AND_NO
from tests.browser.visiting import PHONE, Visitor
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
KEEP, DELETE = "Keep it and send it later", "Delete it from this device"
DELETED = "The record was deleted from this device"
RECEIVED = "Your answers have been received"
TOO_OLD = "This record is too old to be sent"
WAIT = {"status": 503, "headers": {"Retry-After": "90"}, "json": {"outcome": "too many at once"}}
ALL_KEPT = "sessionStorage.length + localStorage.length"
A_MONTH_LATER = "() => { const now = Date.now; Date.now = () => now() + 31 * 86_400_000; }"


def wait_for_heading(page: Page, heading: str) -> None:
    page.get_by_role("heading", name=heading).wait_for()


def make_everybody_wait(page: Page, survey: Asked) -> list[Request]:
    """From now on everybody is asked to wait; the requests that came."""
    heard: list[Request] = []

    def handle(route: Route) -> None:
        heard.append(route.request)
        route.fulfill(**WAIT)  # type: ignore[arg-type]

    page.context.route(f"**{survey.record}", handle)
    return heard


def made_to_wait(page: Page, survey: Asked, truth: Mapping[int, int] = TRUTH) -> Respondent:
    """Everything is answered and sent, and the page asks to wait."""
    make_everybody_wait(page, survey)
    respondent = Respondent(page).send(truth)
    page.get_by_text("receiving very many answers").wait_for()
    return respondent


def keep_answers_on_device(page: Page, survey: Asked, truth: Mapping[int, int] = TRUTH) -> Respondent:
    respondent = made_to_wait(page, survey, truth)
    respondent.press_button(KEEP)
    page.get_by_text("This device keeps your record.").wait_for()
    return respondent


def kept_bodies(page: Page) -> list[str]:
    """The bodies that the device keeps, of whatever survey."""
    texts: list[str] = page.evaluate("Object.values({...localStorage})")
    return [json.loads(text)["body"] for text in texts]


def keep_and_leave(visitor: Visitor, survey: Asked, address: str = "") -> str:
    """Wait, keep the record, close the tab, and the crowd goes; the body that is kept."""
    page = visitor.go(address or survey.address)
    keep_answers_on_device(page, survey)
    (body,) = kept_bodies(page)
    page.context.unroute(f"**{survey.record}")
    visitor.page = page.context.new_page()
    page.close()
    return body


def keep_instead(visitor: Visitor, survey: Asked, body: dict[str, Any]) -> None:
    """From now on the device keeps this and nothing else; the tab is elsewhere."""
    entry = [f"{survey.address} {body['key']}", json.dumps({"body": json.dumps(body), "again": False})]
    script = "entry => { localStorage.clear(); localStorage.setItem(...entry); }"
    visitor.go("/app/limits").evaluate(script, entry)


def collect_posted_keys(page: Page) -> list[str]:
    """The keys of the records that are posted from now on."""
    keys: list[str] = []

    def note_key(request: Request) -> None:
        if request.method == "POST":
            keys.append(json.loads(request.post_data or "")["key"])

    page.on("request", note_key)
    return keys


def test_record_is_kept_only_on_demand_and_blocked_storage_is_reported(visit: Visit, short: Asked) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = made_to_wait(page, short)
    assert kept_bodies(page) == []
    assert respondent.tab_storage()["state"] == "sending"
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    respondent.press_button(KEEP)
    page.get_by_text("This browser cannot keep it. Please keep this tab open.").wait_for()
    visitor.check()


def test_button_deletes_the_kept_record(visit: Visit, product: Product, short: Asked) -> None:
    """On a phone and by keyboard."""
    visitor = visit(viewport=PHONE)
    page = visitor.go(short.address)
    respondent = made_to_wait(page, short)
    visitor.check()
    heard = make_everybody_wait(page, short)
    page.get_by_role("button", name=KEEP).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=DELETE)).to_be_focused()
    expect(page.get_by_text("Keep it open")).to_have_count(0)
    visitor.check()
    tries = len(heard)
    respondent.press_button(DELETE)
    wait_for_heading(page, DELETED)
    assert page.evaluate(ALL_KEPT) == 0
    visitor.check()
    page.reload()
    assert respondent.heading == "Short"
    assert (len(heard), inbox(product, short)) == (tries, [])


def test_kept_record_deleted_at_the_next_visit_is_not_sent(
    visit: Visit, product: Product, short: Asked
) -> None:
    page = visit().go(short.address)
    keep_answers_on_device(page, short)
    second = page.context.new_page()
    second.goto(page.url)
    second.get_by_text("This device kept a record of this survey.").wait_for()
    Respondent(second).press_button(DELETE)
    for tab in (second, page):
        wait_for_heading(tab, DELETED)
    page.context.unroute(f"**{short.record}")
    page.reload()
    expect(page.locator("[data-agree]:visible")).to_have_count(1)
    assert (kept_bodies(page), inbox(product, short)) == ([], [])
    second.close()


def test_open_page_sends_the_kept_record(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = keep_answers_on_device(page, short)
    page.context.unroute(f"**{short.record}")
    respondent.press_button("Try now")
    wait_for_receipt(page)
    assert inbox(product, short) == [f"1{respondent.receipt()['answers']}"]
    assert page.evaluate(ALL_KEPT) == 0


def test_two_invitations_on_one_device_count_twice(
    visitor: Visitor, product: Product, invited: Asked
) -> None:
    keep_and_leave(visitor, invited, f"{invited.address}#{invited.tokens[1]}")
    page = visitor.go(f"{invited.address}#{invited.tokens[2]}")
    wait_for_heading(page, RECEIVED)
    other = Respondent(page)
    other.press_button("Continue")
    other.deliver(TRUTH)
    assert len(inbox(product, invited)) == 2


def test_kept_record_of_a_closed_survey_is_deleted(visitor: Visitor, product: Product, short: Asked) -> None:
    closing = get_survey(product, "closing meanwhile")
    keep_and_leave(visitor, closing)
    close(product, closing, hours=2)
    page = visitor.go(closing.address)
    wait_for_heading(page, "The survey closed before your answers arrived")
    assert (kept_bodies(page), inbox(product, closing)) == ([], [])

    body = json.loads(keep_and_leave(visitor, short))
    keep_instead(visitor, short, body | {"record": body["record"] | {"design": "0" * 64}})
    heard = make_everybody_wait(visitor.page, short)
    page = visitor.go(short.address)
    wait_for_heading(page, "The survey has changed")
    visitor.check()
    assert (kept_bodies(page), heard) == ([], [])


def test_kept_record_that_is_too_old_is_named_and_stays_until_deleted(
    visitor: Visitor, product: Product, short: Asked
) -> None:
    """Whoever else uses the device can answer all the same, and the record is never sent as one of another month.

    Its key, sent at each visit, would tell that they are of one device: it is posted once.
    """
    old = json.loads(keep_and_leave(visitor, short)) | {"epoch": 600}
    page = visitor.page
    keep_instead(visitor, short, old)
    keys = collect_posted_keys(page)
    for _visit in range(3):
        visitor.go(short.address)
        wait_for_heading(page, TOO_OLD)
        assert [*map(json.loads, kept_bodies(page))] == [old]
    assert keys == [old["key"]]
    visitor.check()
    forget_all(product)
    respondent = Respondent(page)
    respondent.press_button("Continue")
    assert respondent.heading == "Short"
    respondent.deliver(TRUTH)
    assert len(inbox(product, short)) == 1
    assert [*map(json.loads, kept_bodies(page))] == [old]
    visitor.go(short.address)
    respondent.press_button(DELETE)
    wait_for_heading(page, DELETED)
    assert kept_bodies(page) == []


def test_kept_record_from_a_fast_clock_stays_and_is_sent_again(visit: Visit, short: Asked) -> None:
    visitor = visit()
    body = json.loads(keep_and_leave(visitor, short))
    body["epoch"] += 2
    keep_instead(visitor, short, body)
    page = visitor.go(short.address)
    page.get_by_text("It has not arrived yet.").wait_for()
    assert [*map(json.loads, kept_bodies(page))] == [body]


def test_own_old_record_stays_in_the_tab_until_kept(visit: Visit, short: Asked) -> None:
    visitor = visit(viewport=PHONE)
    page = visitor.go(short.address)
    refusal = {"status": 410, "json": {"outcome": "too old"}}
    page.context.route(f"**{short.record}", lambda route: route.fulfill(**refusal))
    respondent = Respondent(page).send(TRUTH)
    wait_for_heading(page, TOO_OLD)
    expect(page.get_by_text("The record is in this tab only")).to_be_visible()
    expect(page.get_by_text("still kept here")).to_have_count(0)
    keys = collect_posted_keys(page)
    page.reload()
    wait_for_heading(page, TOO_OLD)
    visitor.check()
    respondent.press_button("Keep it on this device")
    expect(page.get_by_text("The record is still kept here, until you delete it.")).to_be_visible()
    visitor.check()
    second = page.context.new_page()
    page.close()
    second.goto(page.url)
    wait_for_heading(second, TOO_OLD)
    assert (len(kept_bodies(second)), keys) == (1, [])
    Respondent(second).press_button(DELETE)
    assert kept_bodies(second) == []
    second.close()


def test_own_old_record_does_not_hinder_another(visitor: Visitor, product: Product, short: Asked) -> None:
    other = json.loads(keep_and_leave(visitor, short))
    keep_instead(visitor, short, other)
    page = visitor.page
    own = {"state": "sending", "body": json.dumps(other | {"epoch": 600, "key": "0" * 32})}
    page.evaluate("([name, text]) => sessionStorage.setItem(name, text)", [short.address, json.dumps(own)])
    visitor.go(short.address)
    wait_for_heading(page, TOO_OLD)
    Respondent(page).press_button("Continue")
    wait_for_heading(page, RECEIVED)
    assert (len(inbox(product, short)), kept_bodies(page)) == (1, [])
    page.reload()
    wait_for_heading(page, TOO_OLD)
    keep_instead(visitor, short, other | {"key": "1" * 32})
    visitor.go(short.address)
    wait_for_heading(page, RECEIVED)
    assert len(inbox(product, short)) == 2


def test_month_old_page_goes_on_where_it_cannot_reload(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    page.evaluate(A_MONTH_LATER)
    page.context.set_offline(True)
    Respondent(page).send(TRUTH)
    page.get_by_text("You are offline.").wait_for()
    page.context.set_offline(False)
    wait_for_receipt(page)


def test_month_old_page_is_reloaded(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url) if request.is_navigation_request() else None)
    page.evaluate(A_MONTH_LATER)
    with page.expect_navigation():
        page.locator("[data-agree]:visible").click()
    assert loads == [page.url]
    respondent = Respondent(page).answer(TRUTH)
    page.evaluate(A_MONTH_LATER)
    respondent.deliver()
    assert len(loads) == 1


def test_kept_records_of_two_people_are_both_sent(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    keep_answers_on_device(page, short)
    second = page.context.new_page()
    second.goto(page.url)
    second.get_by_text("This device kept a record of this survey.").wait_for()
    # The other person answered in another tab before the first record was kept.
    (first,) = kept_bodies(page)
    body = json.dumps(json.loads(first) | {"key": "f" * 32}, separators=(",", ":"))
    other = [f"{short.address} {'f' * 32}", json.dumps({"body": body, "again": True})]
    second.evaluate("([name, text]) => localStorage.setItem(name, text)", other)
    page.close()
    page.context.unroute(f"**{short.record}")
    second.reload()
    wait_for_heading(second, RECEIVED)
    Respondent(second).press_button("Continue")
    wait_for_heading(second, RECEIVED)
    assert (len(inbox(product, short)), kept_bodies(second)) == (2, [])


def test_two_truths_leave_the_same_traces_on_the_device(
    new_page: NewPage, product: Product, short: Asked
) -> None:
    devices = []
    for truth in ({0: 1, 1: 0, 2: 0}, {0: 1, 1: 1, 2: 1}):
        page = new_page()
        fix_words(page, YES_AND_NO)
        page.goto(product.url + short.address)
        keep_answers_on_device(page, short, truth)
        devices.append(page.evaluate(SNAPSHOT))
    one, other = devices
    assert len(one["local"]) == 1
    assert one == other
    assert not [name for name in TRUE_NAMES if name in json.dumps([one["local"], one["session"]])]
