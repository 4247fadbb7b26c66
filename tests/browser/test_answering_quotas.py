"""A person over quota: the device ends the survey before any sensitive question, and asks nobody."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.answering import Asked, Respondent, asked, database, forget, inbox, listening
from tests.browser.visiting import profile
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="intake/test_quotas.py")]
ENOUGH = "Thank you. Enough people like you have answered"
FULL = """
INSERT INTO disclosure_quotacell (survey_id, quota, bar, count, full_after)
SELECT id, 0, 0, 99, 1 FROM surveys_survey WHERE slug = ?
"""


def fill(product: Product, survey: Asked) -> None:
    """As if enough had answered."""
    with database(product) as rows, rows:
        rows.execute("DELETE FROM disclosure_quotacell")
        rows.execute(FULL, [survey.address.removeprefix("/a/")])


def test_the_survey_ends_before_any_sensitive_question_without_a_request(
    chromium: Browser, product: Product
) -> None:
    survey = asked(product, "with a quota")
    forget(product)
    with listening(product) as line:
        page = profile(chromium).new_page()
        early = page.context.new_page()
        # Whoever was under way when it filled goes on to the end.
        early.goto(line.url + survey.address)
        fill(product, survey)
        page.goto(line.url + survey.address)
        page.wait_for_load_state("networkidle")
        loaded = len(line.requests())
        respondent = Respondent(page)
        respondent.answer({0: 0}, screens=1)
        expect(page.get_by_role("heading", name=ENOUGH)).to_be_focused()
        expect(page.get_by_text("None of your answers was sent.")).to_be_visible()
        assert respondent.kept() == {}
        assert page.locator("#screen input").count() == 0
        page.go_back()
        assert respondent.heading == "Short"
        respondent.answer({0: 1}, screens=1)
        assert "Stolen?" in respondent.heading or "Taxes?" in respondent.heading
        assert len(line.requests()) == loaded
        assert inbox(product, survey) == []
        first = Respondent(early)
        first.answer({0: 0, 1: 0, 2: 0})
        first.deliver()
        assert len(inbox(product, survey)) == 1
        page.context.close()
