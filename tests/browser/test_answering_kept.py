"""Who has to wait keeps the record on the device and sends it later, across tabs and on a phone; and nothing else."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.answering import Asked, Respondent, arrived, asked, close, forget, inbox, throws
from tests.browser.conftest import Visit
from tests.browser.questionnaires import TRUE_NAMES
from tests.browser.test_answering_traces import SNAPSHOT, YES_AND_NO
from tests.browser.visiting import PHONE, Visitor, profile
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
TRUTH = {0: 0, 1: 1, 2: 0}
KEEP, DELETE = "Keep it and send it later", "Delete it from this device"
WAIT = {"status": 503, "headers": {"Retry-After": "90"}, "json": {"outcome": "too many at once"}}


def crowd(page: Page, survey: Asked) -> list[dict[str, str]]:
    """From now on everybody is asked to wait; the headers of the requests."""
    heard: list[dict[str, str]] = []

    def handle(route: Route) -> None:
        heard.append(route.request.headers)
        route.fulfill(**WAIT)  # type: ignore[arg-type]

    page.context.route(f"**{survey.record}", handle)
    return heard


def made_to_wait(page: Page, survey: Asked, truth: Mapping[int, int] = TRUTH) -> Respondent:
    """Everything is answered and sent, and the page asks to wait."""
    crowd(page, survey)
    respondent = Respondent(page)
    respondent.answer(truth)
    respondent.send()
    page.get_by_text("receiving very many answers").wait_for()
    return respondent


def kept(page: Page) -> list[dict[str, Any]]:
    """What the device keeps, of whatever survey."""
    texts: list[str] = page.evaluate("Object.values({...localStorage})")
    return [json.loads(text) for text in texts]


def keep_and_leave(visitor: Visitor, survey: Asked, address: str = "") -> str:
    """Wait, keep the record, close the tab, and the crowd goes; the body that is kept."""
    page = visitor.go(address or survey.address)
    respondent = made_to_wait(page, survey)
    respondent.press(KEEP)
    page.get_by_text("This device keeps your record.").wait_for()
    (entry,) = kept(page)
    page.context.unroute(f"**{survey.record}")
    visitor.page = page.context.new_page()
    page.close()
    body: str = entry["body"]
    return body


def test_without_the_press_the_tab_alone_keeps_it(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = made_to_wait(page, short)
    assert kept(page) == []
    assert respondent.kept()["state"] == "sending"


def test_one_button_deletes_what_is_kept(visit: Visit, product: Product, short: Asked) -> None:
    visitor = visit(viewport=PHONE)
    page = visitor.go(short.address)
    heard = crowd(page, short)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.send()
    respondent.press(KEEP)
    expect(page.get_by_role("button", name=DELETE)).to_be_focused()
    tries = len(heard)
    respondent.press(DELETE)
    page.get_by_role("heading", name="The record was deleted from this device").wait_for()
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0
    visitor.check()
    page.reload()
    assert respondent.heading == "Short"
    assert (len(heard), inbox(product, short)) == (tries, [])


def test_at_the_next_visit_the_button_deletes_it_too(visit: Visit, product: Product, short: Asked) -> None:
    visitor = visit()
    keep_and_leave(visitor, short)
    crowd(visitor.page, short)
    page = visitor.go(short.address)
    page.get_by_text("This device kept a record of this survey.").wait_for()
    Respondent(page).press(DELETE)
    page.get_by_role("heading", name="The record was deleted from this device").wait_for()
    assert kept(page) == []


def test_what_is_deleted_in_one_tab_is_sent_by_no_other(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    made_to_wait(page, short).press(KEEP)
    page.get_by_text("This device keeps your record.").wait_for()
    second = page.context.new_page()
    second.goto(page.url)
    Respondent(second).press(DELETE)
    page.get_by_role("heading", name="The record was deleted from this device").wait_for()
    page.context.unroute(f"**{short.record}")
    page.reload()
    expect(page.locator("[data-agree]:visible")).to_have_count(1)
    assert (kept(page), inbox(product, short)) == ([], [])
    second.close()


def test_waiting_and_keeping_are_whole_on_a_phone_and_by_keyboard(visit: Visit, short: Asked) -> None:
    visitor = visit(viewport=PHONE)
    page = visitor.go(short.address)
    made_to_wait(page, short)
    visitor.check()
    page.get_by_role("button", name=KEEP).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=DELETE)).to_be_focused()
    expect(page.get_by_text("Keep it open")).to_have_count(0)
    visitor.check()
    for language in ("العربية", "简体中文"):
        if page.get_by_role("button", name=language).count():
            page.get_by_role("button", name=language).click()
            expect(page.locator("#keep button")).to_be_visible()


def test_a_page_that_stays_open_sends_the_kept_record_and_keeps_nothing(
    visit: Visit, product: Product, short: Asked
) -> None:
    page = visit().go(short.address)
    respondent = made_to_wait(page, short)
    respondent.press(KEEP)
    page.context.unroute(f"**{short.record}")
    respondent.press("Try now")
    arrived(page)
    assert inbox(product, short) == [f"1{respondent.receipt()['answers']}"]
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_with_an_invitation_it_counts_once_and_another_one_goes_on_after_it(
    visit: Visit, product: Product
) -> None:
    forget(product)
    invited = asked(product, "invited")
    visitor = visit()
    keep_and_leave(visitor, invited, f"{invited.address}#{invited.tokens[1]}")
    page = visitor.go(f"{invited.address}#{invited.tokens[2]}")
    page.get_by_role("heading", name="Your answers have been received").wait_for()
    other = Respondent(page)
    other.press("Continue")
    other.answer(TRUTH)
    other.deliver()
    assert len(inbox(product, invited)) == 2


def test_of_a_survey_that_has_closed_it_is_said_and_deleted(visit: Visit, product: Product) -> None:
    forget(product)
    survey = asked(product, "closing meanwhile")
    visitor = visit()
    keep_and_leave(visitor, survey)
    close(product, survey, hours=2)
    page = visitor.go(survey.address)
    page.get_by_role("heading", name="The survey closed before your answers arrived").wait_for()
    assert kept(page) == []
    assert inbox(product, survey) == []


def test_a_record_of_other_questions_is_not_sent_and_deleted(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    body = json.loads(keep_and_leave(visitor, short))
    page = visitor.page
    visitor.go("/app/limits")
    body["record"]["design"] = "0" * 64
    entry = [f"{short.address} {body['key']}", json.dumps({"body": json.dumps(body), "again": False})]
    page.evaluate("([name, text]) => { localStorage.clear(); localStorage.setItem(name, text); }", entry)
    heard = crowd(page, short)
    visitor.go(short.address)
    page.get_by_role("heading", name="The survey has changed").wait_for()
    visitor.check()
    assert (kept(page), heard) == ([], [])


def test_a_record_that_is_too_old_is_said_to_be_and_stays_until_it_is_deleted(
    visit: Visit, product: Product, short: Asked
) -> None:
    """Whoever else uses the device can answer all the same, and the record is never sent as one of another month."""
    visitor = visit()
    body = json.loads(keep_and_leave(visitor, short)) | {"epoch": 600}
    page = visitor.page
    visitor.go("/app/limits")
    old = json.dumps(body)
    keep_instead(page, short, old)
    for _visit in range(2):
        visitor.go(short.address)
        page.get_by_role("heading", name="This record is too old to be sent").wait_for()
        assert [found["body"] for found in kept(page)] == [old]
    visitor.check()
    forget(product)
    respondent = Respondent(page)
    respondent.press("Continue")
    assert respondent.heading == "Short"
    respondent.answer(TRUTH)
    respondent.send()
    arrived(page)
    assert len(inbox(product, short)) == 1
    assert [found["body"] for found in kept(page)] == [old]
    visitor.go(short.address)
    respondent.press(DELETE)
    page.get_by_role("heading", name="The record was deleted from this device").wait_for()
    assert kept(page) == []


TOO_OLD = "This record is too old to be sent"


def keep_instead(page: Page, survey: Asked, *bodies: str) -> None:
    """From now on the device keeps these and nothing else."""
    entries = [
        [f"{survey.address} {json.loads(body)['key']}", json.dumps({"body": body, "again": False})]
        for body in bodies
    ]
    page.evaluate(
        "(entries) => { localStorage.clear(); for (const entry of entries) localStorage.setItem(...entry); }",
        entries,
    )


def posted(page: Page) -> list[str]:
    """The keys of the records that are posted from now on."""
    keys: list[str] = []
    page.on(
        "request",
        lambda request: (
            keys.append(json.loads(request.post_data or "")["key"]) if request.method == "POST" else None
        ),
    )
    return keys


def test_a_record_that_is_too_old_is_posted_once_for_all_visits(visit: Visit, short: Asked) -> None:
    """Its key, sent at each, would tell that they are of one device."""
    visitor = visit()
    body = json.loads(keep_and_leave(visitor, short)) | {"epoch": 600}
    page = visitor.page
    visitor.go("/app/limits")
    keep_instead(page, short, json.dumps(body))
    keys = posted(page)
    for _visit in range(3):
        visitor.go(short.address)
        page.get_by_role("heading", name=TOO_OLD).wait_for()
    assert keys == [body["key"]]


def test_a_record_of_a_page_whose_clock_was_ahead_stays_and_is_sent_again(visit: Visit, short: Asked) -> None:
    visitor = visit()
    body = json.loads(keep_and_leave(visitor, short))
    body["epoch"] += 2
    page = visitor.page
    visitor.go("/app/limits")
    keep_instead(page, short, json.dumps(body))
    visitor.go(short.address)
    page.get_by_text("It has not arrived yet.").wait_for()
    assert [json.loads(found["body"]) for found in kept(page)] == [body]


def test_ones_own_that_is_too_old_is_said_to_be_in_the_tab_until_the_device_keeps_it(
    visit: Visit, short: Asked
) -> None:
    visitor = visit(viewport=PHONE)
    page = visitor.go(short.address)
    page.context.route(
        f"**{short.record}", lambda route: route.fulfill(status=410, json={"outcome": "too old"})
    )
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_role("heading", name=TOO_OLD).wait_for()
    expect(page.get_by_text("The record is in this tab only")).to_be_visible()
    expect(page.get_by_text("still kept here")).to_have_count(0)
    keys = posted(page)
    page.reload()
    page.get_by_role("heading", name=TOO_OLD).wait_for()
    visitor.check()
    respondent.press("Keep it on this device")
    expect(page.get_by_text("The record is still kept here, until you delete it.")).to_be_visible()
    visitor.check()
    second = page.context.new_page()
    page.close()
    second.goto(page.url)
    second.get_by_role("heading", name=TOO_OLD).wait_for()
    assert (len(kept(second)), keys) == (1, [])
    Respondent(second).press(DELETE)
    assert kept(second) == []
    second.close()


def test_ones_own_that_is_too_old_keeps_no_other_from_being_sent(
    visit: Visit, product: Product, short: Asked
) -> None:
    forget(product)
    visitor = visit()
    other = json.loads(keep_and_leave(visitor, short))
    page = visitor.page
    visitor.go("/app/limits")
    keep_instead(page, short, json.dumps(other))
    own = {"state": "sending", "body": json.dumps(other | {"epoch": 600, "key": "0" * 32})}
    page.evaluate("([name, text]) => sessionStorage.setItem(name, text)", [short.address, json.dumps(own)])
    visitor.go(short.address)
    page.get_by_role("heading", name=TOO_OLD).wait_for()
    Respondent(page).press("Continue")
    page.get_by_role("heading", name="Your answers have been received").wait_for()
    assert (len(inbox(product, short)), kept(page)) == (1, [])
    page.reload()
    page.get_by_role("heading", name=TOO_OLD).wait_for()
    keep_instead(page, short, json.dumps(other | {"key": "1" * 32}))
    page.reload()
    page.get_by_role("heading", name="Your answers have been received").wait_for()
    assert len(inbox(product, short)) == 2


def test_a_page_of_a_month_ago_goes_on_where_it_cannot_be_loaded_again(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 31 * 86_400_000; }")
    page.context.set_offline(True)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_text("You are offline.").wait_for()
    page.context.set_offline(False)
    arrived(page)


def test_a_page_that_was_loaded_a_month_ago_is_loaded_again_before_the_first_question(
    visit: Visit, short: Asked
) -> None:
    page = visit().go(short.address)
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url) if request.is_navigation_request() else None)
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 31 * 86_400_000; }")
    respondent = Respondent(page)
    with page.expect_navigation():
        page.locator("[data-agree]:visible").click()
    assert loads == [page.url]
    respondent.answer(TRUTH)
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 31 * 86_400_000; }")
    respondent.send()
    arrived(page)
    assert len(loads) == 1


def test_another_survey_does_not_touch_it(visit: Visit, product: Product, short: Asked) -> None:
    other = asked(product, "fourteen")
    visitor = visit()
    body = keep_and_leave(visitor, short)
    page = visitor.go(other.address)
    expect(page.locator("[data-agree]:visible")).to_have_count(1)
    assert [entry["body"] for entry in kept(page)] == [body]
    assert inbox(product, short) == []


def test_records_of_two_people_on_one_device_are_both_sent(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    first = made_to_wait(page, short)
    first.press(KEEP)
    second = page.context.new_page()
    second.goto(page.url)
    second.get_by_text("This device kept a record of this survey.").wait_for()
    # The other person answered in another tab before the first record was kept.
    (entry,) = kept(page)
    body = json.loads(entry["body"]) | {"key": "f" * 32}
    text = json.dumps({"body": json.dumps(body, separators=(",", ":")), "again": True})
    second.evaluate(
        "([name, text]) => localStorage.setItem(name, text)", [f"{short.address} {'f' * 32}", text]
    )
    page.close()
    page.context.unroute(f"**{short.record}")
    second.reload()
    second.get_by_role("heading", name="Your answers have been received").wait_for()
    Respondent(second).press("Continue")
    second.get_by_role("heading", name="Your answers have been received").wait_for()
    assert len(inbox(product, short)) == 2
    assert kept(second) == []


def test_a_browser_that_keeps_nothing_says_so(visit: Visit, short: Asked) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = made_to_wait(page, short)
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    respondent.press(KEEP)
    page.get_by_text("This browser cannot keep it. Please keep this tab open.").wait_for()
    visitor.check()


def device(chromium: Browser, product: Product, survey: Asked, truth: Mapping[int, int]) -> Any:
    """What the device holds after these answers were kept."""
    page = profile(chromium).new_page()
    throws(page, YES_AND_NO)
    page.goto(product.url + survey.address)
    made_to_wait(page, survey, truth).press(KEEP)
    page.get_by_text("This device keeps your record.").wait_for()
    found = page.evaluate(SNAPSHOT)
    page.context.close()
    return found


def test_two_truths_whose_coins_give_the_same_record_leave_the_same_device(
    chromium: Browser, product: Product, short: Asked
) -> None:
    one, other = (
        device(chromium, product, short, truth) for truth in ({0: 1, 1: 0, 2: 0}, {0: 1, 1: 1, 2: 1})
    )
    assert len(one["local"]) == 1
    assert one == other
    assert not [name for name in TRUE_NAMES if name in json.dumps([one["local"], one["session"]])]
