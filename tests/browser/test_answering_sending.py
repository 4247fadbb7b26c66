"""Lost acknowledgements and networks, copies of a tab, pauses: the first record stands, and once."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests import servers
from tests.browser.conftest import TRUTH, Asked, Respondent, Visit, get_survey, inbox, wait_for_receipt
from tests.browser.visiting import Visitor, shell
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


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


def left_waiting(page: Page, survey: Asked) -> tuple[Respondent, Losing]:
    """Everything is answered and sent, and the acknowledgement is lost."""
    respondent, losing = Respondent(page), Losing(page)
    page.route(f"**{survey.record}", losing.handle)
    respondent.send(TRUTH)
    page.get_by_text("No answer yet.").wait_for()
    return respondent, losing


def copy_tab(page: Page) -> Respondent:
    """A copy of this tab, with all that it keeps."""
    with page.expect_popup() as opened:
        page.evaluate("window.open(location.href)")
    return Respondent(opened.value)


def test_reloading_while_sending_sends_the_same_bytes(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    respondent, losing = left_waiting(page, short)
    losing.open = True
    page.reload()
    wait_for_receipt(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert inbox(product, short) == [f"1{respondent.receipt()['answers']}"]
    expect(page.get_by_text("They had already arrived at an earlier try")).to_be_visible()


def test_new_invitation_replaces_no_waiting_record(visitor: Visitor, product: Product, short: Asked) -> None:
    page = visitor.go(short.address)
    respondent, losing = left_waiting(page, short)
    losing.open = True
    visitor.go("/app/limits")
    visitor.go(f"{short.address}#{'c' * 32}")
    wait_for_receipt(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert inbox(product, short) == [f"1{respondent.receipt()['answers']}"]


def test_copied_tab_sends_the_same_bytes(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    respondent, losing = left_waiting(page, short)
    copy = copy_tab(page)
    wait_for_receipt(copy.page)
    expect(copy.page.get_by_text("They had already arrived at an earlier try")).to_be_visible()
    Visitor(copy.page, product).check()
    losing.let_through()
    wait_for_receipt(page)
    assert losing.heard == [losing.heard[0]] * 2
    assert respondent.receipt() == copy.receipt()
    assert inbox(product, short) == [f"1{copy.receipt()['answers']}"]


def test_copied_tab_knows_no_answer_and_no_key(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(short.address)
    respondent = Respondent(page).answer(TRUTH)
    copy = copy_tab(page)
    assert copy.tab_storage() == respondent.tab_storage()
    copy.agree_and_begin()
    expect(copy.page.locator("input:checked")).to_have_count(0)
    copy.page.reload()
    copy.answer(TRUTH)
    keys = []
    for tab in (respondent, copy):
        with tab.page.expect_request(f"**{short.record}") as sent:
            tab.send()
        wait_for_receipt(tab.page)
        keys.append(json.loads(sent.value.post_data or "")["key"])
    assert len(set(keys)) == len(inbox(product, short)) == 2


def test_record_is_delivered_once_when_the_network_returns(
    visit: Visit, product: Product, fourteen: Asked
) -> None:
    """Until then the page says that it is offline, whatever is pressed."""
    page = visit().go(fourteen.address)
    respondent = Respondent(page).answer({})
    page.context.set_offline(True)
    respondent.send()
    offline = page.get_by_text("You are offline.")
    offline.wait_for()
    body = respondent.tab_storage()["body"]
    assert inbox(product, fourteen) == []
    page.go_back()
    expect(page.get_by_text("you can no longer change your answers")).to_be_visible()
    expect(offline).to_be_visible()
    page.get_by_role("button", name="简体中文").click()
    expect(offline).to_have_count(0)
    page.get_by_role("button", name="English").click()
    expect(offline).to_be_visible()
    page.context.set_offline(False)
    wait_for_receipt(page)
    assert inbox(product, fourteen) == [f"1{json.loads(body)['record']['answers']}"]


def test_waiting_page_can_be_told_to_try_now(visitor: Visitor, short: Asked) -> None:
    page = visitor.go(short.address)
    respondent = Respondent(page)
    page.route(f"**{short.record}", lambda route: route.abort())
    respondent.send(TRUTH)
    page.get_by_text("The next try is in 8 seconds.").wait_for()
    page.go_back()
    expect(page.get_by_text(re.compile("The next try is in [0-9]+ seconds."))).to_be_visible()
    visitor.check()
    respondent.press_button("Try now")
    # Long enough that the next try does not come by itself while the button is pressed.
    page.get_by_text(re.compile("The next try is in ([12][0-9]|30) seconds.")).wait_for()
    page.unroute(f"**{short.record}")
    respondent.press_button("Try now")
    wait_for_receipt(page)


def test_record_waits_while_the_servers_disk_is_full(
    visitor: Visitor, product: Product, short: Asked
) -> None:
    page = visitor.go(short.address)
    respondent = Respondent(page)
    with servers.full_disk(product.process.pid):
        respondent.send(TRUTH)
        words = r"cannot be stored right now\. Keep this tab open: the next try is in \d\d seconds\."
        page.get_by_text(re.compile(words)).wait_for()
        visitor.check()
        assert inbox(product, short) == []
    respondent.press_button("Try now")
    wait_for_receipt(page)
    assert len(inbox(product, short)) == 1


def test_nothing_is_kept_after_sending(visit: Visit, product: Product, short: Asked) -> None:
    page = visit().go(f"{short.address}#{'c' * 32}")
    respondent = Respondent(page)
    with page.expect_request(f"**{short.record}") as sent:
        respondent.send(TRUTH)
    wait_for_receipt(page)
    assert "c" * 32 not in (sent.value.post_data or "")
    assert len(inbox(product, short)) == 1
    assert respondent.tab_storage() == {}
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


def test_refusal_is_explained_and_keeps_nothing(visit: Visit, product: Product, short: Asked) -> None:
    visitor = visit()
    page = visitor.page
    # Only a survey by invitation refuses one.
    by_invitation = get_survey(product, "invited")
    answer: dict[str, Any] = {}
    page.route("**/record", lambda route: route.fulfill(**answer))
    for status, (word, heading) in REFUSALS.items():
        survey = by_invitation if status == 403 else short
        answer.update(status=status, json={"outcome": word})
        visitor.go(f"{survey.address}#{survey.tokens[0]}" if survey.tokens else survey.address)
        respondent = Respondent(page).send(TRUTH)
        page.get_by_role("heading", name=heading).wait_for()
        assert respondent.tab_storage() == {}, status
        assert page.locator("pre").count() == 0, status
        if status != 422:  # the same page as for 413
            visitor.check()


LIFE = """
from surveys.lifecycle import state_changes
state_changes.{act}_survey(Survey.objects.get(slug={slug!r}), None, timezone.now())
"""


@contextmanager
def pause_survey(product: Product, survey: Asked) -> Iterator[None]:
    def act_on_survey(name: str) -> None:
        shell(product, LIFE.format(slug=survey.address.removeprefix("/a/"), act=name))

    act_on_survey("pause")
    try:
        yield
    finally:
        act_on_survey("resume")


def test_record_waits_while_the_survey_is_paused(visitor: Visitor, product: Product, short: Asked) -> None:
    page = visitor.go(short.address)
    respondent = Respondent(page).answer(TRUTH)
    said = page.get_by_text("This survey is paused. Keep this tab open")
    with pause_survey(product, short):
        respondent.send()
        expect(said).to_be_visible()
        visitor.check()
        kept = respondent.tab_storage()
        assert kept["state"] == "sending"
        page.reload()
        expect(said).to_be_visible()
        assert respondent.tab_storage() == kept
        assert inbox(product, short) == []
    respondent.press_button("Try now")
    wait_for_receipt(page)
    assert json.loads(kept["body"])["record"] == respondent.receipt()
    assert inbox(product, short) == [f"1{respondent.receipt()['answers']}"]


def test_paused_survey_can_be_tried_again(visitor: Visitor, product: Product, short: Asked) -> None:
    page = visitor.go(short.address)
    respondent = Respondent(page).agree_and_begin()
    kept = respondent.tab_storage()
    with pause_survey(product, short):
        page.reload()
        expect(page.get_by_role("heading", name="This survey is paused")).to_be_visible()
        # Which questions are drawn stays, as over any reload.
        assert respondent.tab_storage() == kept
        visitor.check()
    page.get_by_role("link", name="Try again").click()
    respondent.deliver(TRUTH)
