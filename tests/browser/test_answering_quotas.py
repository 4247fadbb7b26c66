"""A person over quota: the device ends the survey before any sensitive question, and asks nobody."""

import json

import pytest
from playwright.sync_api import expect

from privacy.designs import parse_design
from tests.browser.conftest import (
    Asked,
    NewPage,
    Respondent,
    Visit,
    database,
    get_unanswered_survey,
    inbox,
    record_line,
)
from tests.browser.questionnaires import SURVEYS
from tests.browser.test_answering_exchange import MAKE
from tests.browser.visiting import collect_requests, shell
from tests.intake.asked import primes, signing_key
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="intake/test_quotas.py")]
ENOUGH = "Thank you. Enough people like you have answered"
FULL = """
INSERT INTO disclosure_quotacell (survey_id, quota, bar, count, full_after)
SELECT id, 0, 0, 99, 1 FROM surveys_survey WHERE slug = ?
"""


def fill_quotas(product: Product, survey: Asked) -> None:
    """As if enough had answered."""
    with database(product) as rows, rows:
        rows.execute("DELETE FROM disclosure_quotacell")
        rows.execute(FULL, [survey.address.removeprefix("/a/")])


def test_full_quota_ends_the_survey_before_sensitive_questions_without_a_request(
    new_page: NewPage, product: Product
) -> None:
    survey = get_unanswered_survey(product, "with a quota")
    with record_line(product) as line:
        page = new_page()
        early = page.context.new_page()
        # Whoever was under way when it filled goes on to the end.
        early.goto(line.url + survey.address)
        fill_quotas(product, survey)
        page.goto(line.url + survey.address, wait_until="networkidle")
        loaded = len(line.requests())
        respondent = Respondent(page).answer({0: 0}, screens=1)
        expect(page.get_by_role("heading", name=ENOUGH)).to_be_focused()
        expect(page.get_by_text("None of your answers was sent.")).to_be_visible()
        assert respondent.tab_storage() == {}
        assert page.locator("#screen input").count() == 0
        page.go_back()
        assert respondent.heading == "Short"
        respondent.answer({0: 1}, screens=1)
        assert "Stolen?" in respondent.heading or "Taxes?" in respondent.heading
        # Another plain answer after a sensitive question was shown is sent.
        respondent.answer({0: 1, 1: 1, 2: 1}, is_begun=True)
        page.get_by_role("button", name="Change").first.click()
        respondent.go_on({0: 0})
        assert len(line.requests()) == loaded
        assert inbox(product, survey) == []
        respondent.deliver()
        Respondent(early).deliver({})
        assert len(inbox(product, survey)) == 2


@pytest.mark.parametrize("is_exchanged", [False, True])
def test_invitation_is_gone_after_a_full_quota(visit: Visit, product: Product, is_exchanged: bool) -> None:
    design = {**SURVEYS["with a quota"]["design"], "contact": "board@example.org"}
    if is_exchanged:
        design["invitation_key"] = signing_key().public.text
    address, tokens = json.loads(shell(product, MAKE.format(design=json.dumps(design), primes=primes())))
    fill_quotas(product, Asked(address, tokens, parse_design(json.dumps(design))))
    page = visit().page
    requests = collect_requests(page)
    page.goto(f"{product.url}{address}#{tokens[0]}", wait_until="networkidle")
    respondent = Respondent(page).agree_and_begin()
    page.locator("#screen .onward").wait_for()
    assert page.evaluate("localStorage.length") == int(is_exchanged)
    respondent.go_on({0: 0})
    expect(page.get_by_role("heading", name=ENOUGH)).to_be_visible()
    assert (respondent.tab_storage(), page.evaluate("localStorage.length")) == ({}, 0)
    page.go_back()
    expect(page.locator("[data-uninvited]:visible").first).to_be_visible()
    assert page.locator("[data-agree]:visible").count() == 0
    assert [request.method for request in requests].count("POST") == int(is_exchanged)
