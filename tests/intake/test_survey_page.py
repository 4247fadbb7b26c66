"""A survey's page as an object of its own; no test here may ask the database."""

import pytest
from django.template.loader import render_to_string

from intake.pages.survey_page import SurveyPage
from tests.intake import asked
from tests.intake.test_pages import Elements

pytestmark = pytest.mark.page


def test_survey_page_is_made_without_database_and_request() -> None:
    """Of a design with a logo that follows another survey: both are given."""
    design = asked.design(follows="f" * 64, logo="a" * 64, languages=["en", "fr"])
    record = "https://research.example.org/a/x/record"
    page = SurveyPage(design, "answer", "fr", waves=None, logo="logo.webp", record_url=record)
    elements = Elements(render_to_string("intake/answer.html", {"page": page, "speaker": page.speaker}))
    told = elements.page_settings
    assert (told["record"], told["language"], told["mode"]) == (record, "fr", "answer")
    assert {attributes["src"] for tag, attributes in elements.found if tag == "img"} == {"logo.webp"}
