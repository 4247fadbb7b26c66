"""Lost acknowledgements and networks, copies of a tab, pauses: the first record stands, and once."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests import servers
from tests.browser.answering import Asked, Respondent, arrived, asked, forget, inbox
from tests.browser.conftest import Visit
from tests.browser.visiting import Visitor
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
TRUTH = {0: 0, 1: 1, 2: 0}


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


def left_waiting(page: Page, survey: Asked) -> tuple[Respondent, Losing]:
    """Everything is answered and sent, and the acknowledgement is lost."""
    respondent = Respondent(page)
    losing = lose(page, survey)
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_text("No answer yet.").wait_for()
    return respondent, losing


def copied(page: Page) -> Respondent:
    """A copy of this tab, with all that it keeps."""
    with page.expect_popup() as opened:
        page.evaluate("window.open(location.href)")
    return Respondent(opened.value)


def test_a_reload_while_sending_sends_the_same_bytes(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    respondent, losing = left_waiting(page, short)
    losing.open = True
    page.reload()
    arrived(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert inbox(product, short) == [f"1{respondent.receipt()['answers']}"]
    expect(page.get_by_text("They had already arrived at an earlier try")).to_be_visible()


def test_an_invitation_opened_while_a_record_waits_does_not_replace_it(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent, losing = left_waiting(page, short)
    stored = inbox(product, short)
    losing.open = True
    visitor.go("/app/limits")
    visitor.go(f"{short.address}#{'c' * 32}")
    arrived(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert inbox(product, short) == stored == [f"1{respondent.receipt()['answers']}"]


def test_an_invitation_that_nobody_asks_for_is_not_sent(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(f"{short.address}#{'c' * 32}")
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    with page.expect_request(f"**{short.record}") as sent:
        respondent.send()
    arrived(page)
    assert "c" * 32 not in (sent.value.post_data or "")
    assert len(inbox(product, short)) == 1


def test_a_copy_of_a_tab_that_sends_sends_the_same_bytes(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent, losing = left_waiting(page, short)
    stored = inbox(product, short)
    copy = copied(page)
    arrived(copy.page)
    expect(copy.page.get_by_text("They had already arrived at an earlier try")).to_be_visible()
    Visitor(copy.page, product).check()
    losing.let_through()
    arrived(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert respondent.receipt() == copy.receipt()
    assert inbox(product, short) == stored == [f"1{copy.receipt()['answers']}"]


def test_a_copy_of_a_tab_knows_no_answer_and_no_key_of_it(
    visit: Visit, product: Product, short: Asked
) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    copy = copied(page)
    assert copy.kept() == respondent.kept()
    copy.begin()
    expect(copy.page.locator("input:checked")).to_have_count(0)
    copy.page.reload()
    copy.answer(TRUTH)
    keys = []
    for tab in (respondent, copy):
        with tab.page.expect_request(f"**{short.record}") as sent:
            tab.send()
        arrived(tab.page)
        keys.append(json.loads(sent.value.post_data or "")["key"])
    assert len(set(keys)) == len(inbox(product, short)) == 2


def test_a_network_that_comes_back_delivers_the_same_record_once(visit: Visit, product: Product) -> None:
    """Until then the page says that it is offline, whatever is pressed."""
    forget(product)
    fourteen = asked(product, "fourteen")
    page = visit().go(fourteen.address)
    respondent = Respondent(page)
    respondent.answer({})
    page.context.set_offline(True)
    respondent.send()
    offline = page.get_by_text("You are offline.")
    offline.wait_for()
    body = respondent.kept()["body"]
    assert inbox(product, fourteen) == []
    page.go_back()
    expect(page.get_by_text("you can no longer change your answers")).to_be_visible()
    expect(offline).to_be_visible()
    page.get_by_role("button", name="简体中文").click()
    expect(offline).to_have_count(0)
    page.get_by_role("button", name="English").click()
    expect(offline).to_be_visible()
    page.context.set_offline(False)
    arrived(page)
    assert inbox(product, fourteen) == [f"1{json.loads(body)['record']['answers']}"]


def test_waiting_for_the_network_is_whole_and_back_leaves_the_button_that_tries_at_once(
    visit: Visit, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = Respondent(page)
    page.route(f"**{short.record}", lambda route: route.abort())
    respondent.answer(TRUTH)
    respondent.send()
    page.get_by_text("The next try is in 8 seconds.").wait_for()
    page.go_back()
    expect(page.get_by_text(re.compile("The next try is in [0-9]+ seconds."))).to_be_visible()
    visitor.check()
    respondent.press("Try now")
    # Long enough that the next try does not come by itself while the button is pressed.
    page.get_by_text(re.compile("The next try is in ([12][0-9]|30) seconds.")).wait_for()
    page.unroute(f"**{short.record}")
    respondent.press("Try now")
    arrived(page)


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
    respondent.deliver()
    assert len(inbox(product, short)) == 1


def test_while_the_disk_is_full_the_page_asks_to_be_kept_open_and_the_record_arrives_later(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    with servers.full_disk(product.process.pid):
        respondent.send()
        words = (
            r"Your answers cannot be stored right now\. Keep this tab open: the next try is in \d\d seconds\."
        )
        page.get_by_text(re.compile(words)).wait_for()
        visitor.check()
        assert inbox(product, short) == []
    respondent.press("Try now")
    arrived(page)
    assert len(inbox(product, short)) == 1


def test_whoever_will_not_wait_can_try_at_once(visit: Visit, product: Product, short: Asked) -> None:
    visitor = visit()
    visitor.page.clock.install()
    page = visitor.go(short.address)
    failures = iter(range(1))

    def handle(route: Route) -> None:
        if next(failures, None) is None:
            route.continue_()
        else:
            route.abort()

    page.route(f"**{short.record}", handle)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    # No try comes by itself: the clock stands still, a minute from now, since it cannot be put back.
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    respondent.send()
    page.get_by_text(re.compile("The next try is in [0-9]+ seconds.")).wait_for()
    respondent.press("Try now")
    page.get_by_role("heading", name="Your answers have been received").wait_for()


def test_once_done_nothing_is_kept_and_back_shows_no_answer(visit: Visit, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.deliver()
    assert respondent.kept() == {}
    page.go_back()
    expect(page.locator("input")).to_have_count(0)
    page.reload()
    assert respondent.heading == "Short"
    expect(page.get_by_text("so your answers were deleted")).to_be_hidden()


REFUSALS = {
    404: ("no such survey", "This survey is no longer here"),
    410: ("closed", "The survey closed before your answers arrived"),
    413: ("too long", "Your answers were not accepted"),
    422: ("malformed", "Your answers were not accepted"),
    403: ("unknown or spent token", "This invitation link cannot be used"),
}


def test_a_refusal_says_what_happened_and_keeps_nothing(visit: Visit, product: Product, short: Asked) -> None:
    visitor = visit()
    page = visitor.page
    # Only a survey by invitation refuses one.
    by_invitation = asked(product, "invited")
    answer: dict[str, Any] = {}
    page.route("**/record", lambda route: route.fulfill(**answer))
    for status, (word, heading) in REFUSALS.items():
        survey = by_invitation if status == 403 else short
        answer.update(status=status, json={"outcome": word})
        visitor.go(f"{survey.address}#{survey.tokens[0]}" if survey.tokens else survey.address)
        respondent = Respondent(page)
        respondent.answer(TRUTH)
        respondent.send()
        page.get_by_role("heading", name=heading).wait_for()
        assert respondent.kept() == {}, status
        assert page.locator("pre").count() == 0, status
        if status != 422:  # the same page as for 413
            visitor.check()


# --- A survey that is paused, or receives too much at once

LIFE = """
from django.utils import timezone
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
survey = Survey.objects.get(slug={slug!r})
lifecycle.{act}_survey(survey, None, timezone.now())
"""


def live(product: Product, survey: Asked, act: str) -> None:
    code = LIFE.format(slug=survey.address.removeprefix("/a/"), act=act)
    servers.manage(product.env, "shell", "-v", "0", "-c", code)


def sent(page: Page) -> None:
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    respondent.send()


def test_a_record_sent_to_a_paused_survey_waits_survives_a_reload_and_is_sent_when_it_goes_on(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.answer(TRUTH)
    live(product, short, "pause")
    try:
        respondent.send()
        expect(page.get_by_text("This survey is paused. Keep this tab open")).to_be_visible()
        visitor.check()
        kept = respondent.kept()
        assert kept["state"] == "sending"
        page.reload()
        expect(page.get_by_text("This survey is paused. Keep this tab open")).to_be_visible()
        assert respondent.kept() == kept
        assert inbox(product, short) == []
    finally:
        live(product, short, "resume")
    page.get_by_role("button", name="Try now").click()
    arrived(page)
    assert json.loads(kept["body"])["record"] == respondent.receipt()
    assert inbox(product, short) == [f"1{respondent.receipt()['answers']}"]


def test_a_paused_survey_can_be_tried_again_with_what_the_tab_keeps(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    respondent = Respondent(page)
    respondent.begin()
    kept = respondent.kept()
    live(product, short, "pause")
    try:
        page.reload()
        expect(page.get_by_role("heading", name="This survey is paused")).to_be_visible()
        # Which questions are drawn stays, as over any reload.
        assert respondent.kept() == kept
        visitor.check()
    finally:
        live(product, short, "resume")
    page.get_by_role("link", name="Try again").click()
    respondent.answer(TRUTH)
    respondent.deliver()


def test_a_record_that_comes_beyond_the_rate_is_sent_again_by_itself(
    visit: Visit, product: Product, short: Asked
) -> None:
    visitor = visit()
    page = visitor.go(short.address)
    heard: list[Any] = []

    def busy_once(route: Route) -> None:
        heard.append(route.request.post_data)
        if len(heard) == 1:
            headers = {"Content-Type": "application/json", "Retry-After": "2"}
            route.fulfill(status=503, headers=headers, body='{"outcome":"too many at once"}')
        else:
            route.continue_()

    page.route(f"**{short.record}", busy_once)
    sent(page)
    expect(page.get_by_text("receiving very many answers")).to_be_visible()
    arrived(page)
    assert heard == [heard[0]] * 2
    assert len(inbox(product, short)) == 1


def test_its_owner_pauses_and_resumes_it(visit: Visit, product: Product) -> None:
    made = (
        "from accounts.models import Person; from tests.surveys import drafts; from surveys.lifecycle import opening;"
        "from surveys.models import Survey; from django.utils import timezone;"
        "robin = Person.objects.get(username='demo-researcher');"
        "survey = Survey.objects.create(owner=robin, draft=drafts.complete());"
        "opening.open_survey_now(survey, robin, timezone.now()); print(survey.pk)"
    )
    path = f"/app/surveys/{servers.manage(product.env, 'shell', '--verbosity=0', '-c', made).strip()}"
    visitor = visit("researcher")
    page = visitor.go(f"{path}/")
    page.get_by_role("link", name="Pause survey").click()
    visitor.check()
    page.get_by_role("button", name="Pause survey").click()
    page.wait_for_url(re.compile(rf"{path}/$"))
    expect(page.locator("h1 + .buttons .badge")).to_have_text("paused")
    visitor.check()
    page.get_by_role("link", name="Resume survey").click()
    visitor.check()
    page.get_by_role("button", name="Resume survey").click()
    expect(page.locator("h1 + .buttons .badge")).to_have_text("open")
