"""A survey that is paused, or receives too much at once: the record waits in its tab and is sent by itself."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests import servers
from tests.browser.answering import Asked, Respondent, arrived, asked, forget, inbox
from tests.browser.conftest import Visit
from tests.browser.warm import visit
from tests.product import Product

pytestmark = pytest.mark.browser
__all__ = ["visit"]

TRUTH = {0: 0, 1: 1, 2: 0}
LIFE = """
from django.utils import timezone
from surveys.lifecycle import states as lifecycle
from surveys.models import Survey
survey = Survey.objects.get(slug={slug!r})
lifecycle.{act}(survey, None, timezone.now())
"""


def live(product: Product, survey: Asked, act: str) -> None:
    code = LIFE.format(slug=survey.address.removeprefix("/a/"), act=act)
    servers.manage(product.env, "shell", "-v", "0", "-c", code)


@pytest.fixture
def short(product: Product) -> Asked:
    forget(product)
    return asked(product, "short")


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
        visitor.shoot("answering-sending-paused")
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
        visitor.shoot("answering-paused")
    finally:
        live(product, short, "resume")
    page.get_by_role("link", name="Try again").click()
    respondent.answer(TRUTH)
    respondent.send()
    arrived(page)


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
    visitor.shoot("answering-sending-busy")
    arrived(page)
    assert heard == [heard[0]] * 2
    assert len(inbox(product, short)) == 1


def test_its_owner_pauses_and_resumes_it(visit: Visit, product: Product) -> None:
    made = (
        "from accounts.models import Person; from tests.surveys import drafts; from surveys.lifecycle import opening;"
        "from surveys.models import Survey; from django.utils import timezone;"
        "robin = Person.objects.get(username='demo-researcher');"
        "survey = Survey.objects.create(owner=robin, draft=drafts.complete());"
        "opening.open_now(survey, robin, timezone.now()); print(survey.pk)"
    )
    path = f"/surveys/{servers.manage(product.env, 'shell', '--verbosity=0', '-c', made).strip()}"
    visitor = visit("researcher")
    page = visitor.go(f"{path}/")
    page.get_by_role("link", name="Pause survey").click()
    visitor.check()
    visitor.shoot("surveys-pause")
    page.get_by_role("button", name="Pause survey").click()
    page.wait_for_url(re.compile(rf"{path}/$"))
    expect(page.locator("h1 + .buttons .badge")).to_have_text("paused")
    visitor.check()
    visitor.shoot("surveys-paused")
    page.get_by_role("link", name="Resume survey").click()
    visitor.check()
    visitor.shoot("surveys-resume")
    page.get_by_role("button", name="Resume survey").click()
    expect(page.locator("h1 + .buttons .badge")).to_have_text("open")
