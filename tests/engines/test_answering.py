"""Each kind of survey is answered in Firefox and in WebKit as in Chromium, on a phone's width."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest

from intake.invitations.embedding_setup import embedding_snippet
from privacy.blind_signatures.tokens import is_token_signed
from tests.browser import test_answering_exchange as exchange, test_answering_kept as kept
from tests.browser.conftest import (
    TRUTH,
    Asked,
    Line,
    Respondent,
    forget_all,
    get_survey,
    get_unanswered_survey,
    inbox,
    record_line,
    wait_for_receipt,
)
from tests.browser.test_answering_exchange import survey
from tests.browser.test_answering_framed import OtherSite, other_site, surveys
from tests.browser.test_field import PEOPLE, STORED, Field, field
from tests.browser.visiting import PHONE
from tests.engines.conftest import Visit
from tests.product import Product

__all__ = ["field", "other_site", "survey", "surveys"]
pytestmark = [pytest.mark.apart, pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
HELD = 700
"""Milliseconds: a button inside another site's page is held for half a second where no browser says what covers it."""


def screen_headings(respondent: Respondent, truth: Mapping[int, int] = TRUTH) -> Iterator[str]:
    """From the first question to the check, by clicks and keys; the headings."""
    page = respondent.page
    page.locator("#screen .onward").wait_for()
    while not page.get_by_role("button", name="Send", exact=True).is_visible():
        if not respondent.choose(truth):
            page.locator("#screen input[type=checkbox]").first.check()
        yield respondent.heading
        respondent.press_button("Continue")


def bodies(line: Line) -> list[Any]:
    """Of whatever was sent and not only asked for."""
    sent = (one.partition(b"\r\n\r\n") for one in line.requests() if not one.startswith(b"GET "))
    return [json.loads(body) for _head, _, body in sent]


@pytest.mark.parametrize("name", ["mixture", "battery", "places", "numbers", "sets"])
def test_open_link_survey_is_answered_and_one_record_sent(visit: Visit, product: Product, name: str) -> None:
    survey = get_unanswered_survey(product, name)
    with record_line(product) as line:
        page = visit()
        page.goto(line.url + survey.address)
        respondent = Respondent(page).agree_and_begin()
        for heading in screen_headings(respondent, {0: 0, 1: 1, 2: 2}):
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= PHONE["width"], heading
        respondent.deliver()
        (body,) = bodies(line)
    assert body["record"] == respondent.receipt()
    assert inbox(product, survey) == [f"1{body['record']['answers']}"]


def test_an_invitation_is_exchanged_and_the_record_carries_the_token(
    visit: Visit, product: Product, survey: Asked
) -> None:
    with record_line(product) as line:
        page = visit()
        page.goto(f"{line.url}{survey.address}#{survey.tokens[0]}")
        respondent = exchange.begin_exchange(page)
        exchange.handed_in(respondent)
        page.get_by_text(exchange.LATER).wait_for()
        (first,) = bodies(line)
        assert first["invitation"] == survey.tokens[0]
        respondent.press_button("Send now")
        wait_for_receipt(page)
        (envelope,) = (body for body in bodies(line) if body != first)
    assert is_token_signed(survey.design.invitation_key, envelope["token"])
    assert survey.tokens[0] not in json.dumps(envelope)
    assert inbox(product, survey) == [f"1{respondent.receipt()['answers']}"]
    assert page.evaluate(kept.ALL_KEPT) == 0


def test_one_code_gives_the_same_answers_in_two_rounds(visit: Visit, product: Product) -> None:
    """The instant stage keeps all but one in 5,000 of the permanent answers."""
    rounds, sent, code = [get_survey(product, name) for name in ("lasting", "lasting again")], [], ""
    for one in rounds:
        with record_line(product) as line:
            device = exchange.Traced(visit(), line, one)
            device.start()
            if not code:
                device.respondent.press_button("Make a new code")
                code = device.page.locator(".person-code").inner_text()
            device.type(code)
            answers = device.answers_until_receipt()
            assert not device.shows_code(code)
        sent.append(
            [
                answer
                for question, answer in zip(one.design.questions, answers, strict=True)
                if answer < question.not_asked
            ]
        )
    assert sent[0] == sent[1]


def test_framed_survey_with_held_buttons_is_answered(
    visit: Visit, product: Product, other_site: OtherSite, surveys: dict[str, Asked]
) -> None:
    """Neither engine says what lies over an element."""
    survey = surveys["framed"]
    forget_all(product)
    snippet = embedding_snippet(f"{product.url}{survey.address}", "Survey").replace(' loading="lazy"', "")
    other_site.pages["/"] = f"<!doctype html><title>Other</title><div id=holder>{snippet}</div>"
    page = visit(size=(1280, 1000))
    page.goto(f"{other_site.url}/")
    with page.inside("iframe"):
        assert page.evaluate("'isVisible' in IntersectionObserverEntry.prototype") is False
        page.get_by_text("This page is inside another site, which can see when it loads").wait_for()
        agree = page.locator("[data-agree]:visible")
        agree.click()
        page.get_by_text("Hold this button for half a second").wait_for()
        agree.click(delay=HELD)
        respondent = Respondent(page)
        list(screen_headings(respondent))
        assert respondent.tab_storage()["state"] == "answering"
        send = page.get_by_role("button", name="Send", exact=True)
        send.click()
        assert inbox(product, survey) == []
        send.click(delay=HELD)
        wait_for_receipt(page)
        answers = respondent.receipt()["answers"]
    assert inbox(product, survey) == [f"1{answers}"]


BUSY = """() => {
  const { fetch } = window, headers = { "Retry-After": "90" };
  const busy = () => Response.json({ outcome: "too many at once" }, { status: 503, headers });
  window.fetch = async (address, options) => options?.method === "POST" ? busy() : fetch(address, options);
}"""
"""From now on this page is asked to wait."""


def test_kept_record_is_all_the_device_holds_and_is_sent_at_the_next_visit_in_each_engine(
    visit: Visit, product: Product
) -> None:
    survey = get_unanswered_survey(product, "short")
    page = visit()
    page.goto(product.url + survey.address)
    page.evaluate(BUSY)
    respondent = Respondent(page).send(TRUTH)
    page.get_by_text("receiving very many answers").wait_for()
    assert kept.kept_bodies(page) == []
    respondent.press_button(kept.KEEP)
    page.get_by_text("This device keeps your record.").wait_for()
    (body,) = kept.kept_bodies(page)
    page.goto(f"{product.url}/app/limits")
    assert inbox(product, survey) == []
    page.goto(product.url + survey.address)
    kept.wait_for_heading(page, kept.RECEIVED)
    assert inbox(product, survey) == [f"1{json.loads(body)['record']['answers']}"]
    assert page.evaluate(kept.ALL_KEPT) == 0


def interview(page: Any, first: int) -> None:
    page.locator(".begin").click()
    with page.inside("iframe"):
        Respondent(page).answer({0: first, 1: 1, 2: 0})
        page.get_by_role("button", name="Finish", exact=True).click()
        kept.wait_for_heading(page, "Your answers are locked")
        page.get_by_role("button", name="Hand the device back").click()
    page.locator(".begin").wait_for()


@pytest.mark.parametrize("engine", ["firefox"], indirect=True)
def test_field_device_is_set_up_works_offline_and_sends(visit: Visit, product: Product, field: Field) -> None:
    page = visit(size=(600, 960))
    with record_line(product) as line:
        page.goto(f"{line.url}{field.address}/field#{field.tickets[0]}")
        kept.wait_for_heading(page, "Set up this device")
        respondent = Respondent(page)
        respondent.press_button("Set up")
        kept.wait_for_heading(page, "Your PIN for this device")
        pin = page.locator(".figure").inner_text().replace(" ", "")
        respondent.press_button("I have written it down")
        page.get_by_text(f"{PEOPLE} people can be asked.").wait_for()
        respondent.press_button("To the first page")
        page.locator(".begin").wait_for()
    page.goto(page.url)  # WebDriver's own reload in Firefox passes by what a site has stored
    for first in (0, 1):
        interview(page, first)
    assert inbox(product, field.survey) == []
    with record_line(product, urlsplit(line.url).port or 0):
        respondent.press_button("For the keeper")
        page.fill("#pin", pin)
        respondent.press_button("Continue")
        respondent.press_button("Send now")
        page.get_by_text("Sent: 2").wait_for()
        assert len(inbox(product, field.survey)) == 2
        assert page.evaluate(STORED) == [0, 0, 0]


@pytest.mark.parametrize("engine", ["webkit"], indirect=True)
def test_engine_without_file_storage_cannot_be_a_field_device(
    visit: Visit, product: Product, field: Field
) -> None:
    """WebKitGTK has none of its own for a site; Safari has."""
    page = visit(size=(600, 960))
    page.goto(f"{product.url}{field.address}/field#{field.tickets[0]}")
    kept.wait_for_heading(page, "This browser cannot be a field device")
    assert page.locator("main li").inner_text() == "FileSystemSyncAccessHandle"


def test_an_arabic_survey_runs_from_right_to_left_on_every_screen(visit: Visit, product: Product) -> None:
    survey = get_unanswered_survey(product, "arabic")
    page = visit("ar")
    page.goto(product.url + survey.address)
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    Respondent(page).agree_and_begin()
    onward = page.locator("#screen .button.primary")
    while not page.locator("#screen .summary").count():
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).direction") == "rtl"
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        respondent = Respondent(page)
        respondent.choose({})
        onward.last.click()
    onward.last.click()
    page.locator("pre.bytes").first.text_content()
    assert len(inbox(product, survey)) == 1
