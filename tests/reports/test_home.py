"""The home page: what waits for whom, what was found, what is next, and what others did."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from reports.models import Review
from reports.pages.first_findings import first_findings
from reports.review.report_page_data import report_page
from reports.sentences.sentence_parts import as_html
from surveys.models import Survey
from tests.cast import As

pytestmark = pytest.mark.page
HOME = reverse("ui:signed-in-home")


def home(client: Client) -> str:
    response = client.get(HOME)
    assert response.status_code == 200
    return response.text


def test_a_report_waits_for_its_reviewer_alone(
    review: Review, owner: Person, stranger: Person, signed_in_as: As, judging: Client
) -> None:
    page = home(judging)
    assert "to judge" in page
    assert f'href="{review.reviewer_url}"' in page
    for person in (owner, stranger):
        assert "Waits for you" not in home(signed_in_as(person))
    assert str(review.survey) not in home(signed_in_as(stranger))
    assert "Review the report" in page
    assert "A reviewer reads the report" in home(signed_in_as(owner))


def test_a_published_report_shows_its_first_finding_and_is_next(
    published: Review, owner: Person, reading: Client
) -> None:
    page = home(reading)
    first = first_findings(report_page(owner, published.pk, whole=False))[0]
    assert as_html(first.finding.sentence) in page
    assert "<svg" in page.split("survey-card")[1]
    assert f'href="{published.get_absolute_url()}">Read the report' in page
    assert "Count and mine" not in page
    assert "Read the report" in reading.get(reverse("surveys:index")).text


def test_news_are_what_others_did(
    published: Review, reviewer: Person, stranger: Person, signed_in_as: As, reading: Client, judging: Client
) -> None:
    first = first_findings(report_page(reviewer, published.pk, whole=False))[0]
    sentence = as_html(first.finding.sentence)
    assert sentence in home(reading).partition('id="new"')[2]
    assert sentence not in home(judging).partition('id="new"')[2]
    assert "Waits for you" not in home(judging)
    assert "Nobody else did anything" in home(signed_in_as(stranger))


def test_a_draft_says_how_wide_its_intervals_will_be(survey: Survey, owner: Person, reading: Client) -> None:
    draft = Survey.objects.create(owner=owner, draft={**survey.questionnaire, "expected": 2000})
    page = home(reading).split("survey-card")[1]
    assert "With 2,000 answers the interval of a share" in page
    assert 'class="plan"' in page
    assert draft.get_absolute_url() in page


def test_nobody_else_opens_it(client: Client, reading: Client) -> None:
    assert client.get(HOME).status_code == 302
    assert reading.post(HOME).status_code == 405
