"""The first heading of a page is its own name, as its title begins, and not that of everything it belongs to."""

import re
from html import unescape

import pytest
from django.test import Client

from reports.models import Review
from surveys.models import Survey

pytestmark = [pytest.mark.page, pytest.mark.django_db]


def names(client: Client, address: str) -> tuple[str, str]:
    """The beginning of the title, and the first heading."""
    page = client.get(address).content.decode()
    title, heading = (
        re.search(r"<title>(.*?)</title>", page, re.DOTALL),
        re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL),
    )
    assert title
    assert heading
    return unescape(title[1].split(" · ")[0].strip()), unescape(heading[1].strip())


def test_a_page_of_a_report_has_its_own_name_and_its_front_that_of_its_first_finding(
    review: Review, judging: Client
) -> None:
    for page in ("groups", "itemsets", "rules", "publish"):
        title, heading = names(judging, f"/app/admin/reports/review/{review.pk}/{page}")
        assert heading == title, page
        assert heading != str(review.survey), page
    title, heading = names(judging, f"/app/admin/reports/review/{review.pk}/report")
    assert title == str(review.survey)
    assert "answered" in heading


def test_a_page_of_a_survey_has_its_own_name_and_its_overview_that_of_the_survey(
    survey: Survey, reading: Client
) -> None:
    for page in ("runs", "records", "people", "history", "releases", "export"):
        title, heading = names(reading, f"/app/surveys/{survey.pk}/{page}")
        assert heading == title, page
        assert heading != str(survey), page
    assert names(reading, f"/app/surveys/{survey.pk}/")[1] == str(survey)
