"""A report of a finished survey says how many people were asked to wait; no count of records depends on it."""

import json

import pytest
from django.test import Client

from accounts.models import Person
from intake.disclosure.models import Disclosure, Door, Population
from intake.models import WaitCount
from mining.report.report_nodes import About
from reports.models import Publication, Review
from reports.review import build_content, publishing, read_published_content
from reports.texts.report_facts import waiting_facts
from runs.models import Run
from surveys.models import Survey
from tests.reports.paged import accept
from tests.reports.test_pictures import ABOUT
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.page]


@pytest.fixture
def waited(survey: Survey) -> None:
    WaitCount.objects.create(survey=survey, hour=NOW, asked=400, returned=340)
    WaitCount.objects.create(survey=survey, hour=NOW.replace(year=2024), asked=40, returned=0)


def test_the_published_report_says_it_on_its_page_and_in_its_json(
    waited: None, published: Review, reading: Client
) -> None:
    about = Publication.objects.get().content["about"]
    assert (about["asked_to_wait"], about["not_returned"]) == (440, 100)
    page = reading.get(f"/app/reports/{published.run_id}/")
    assert "about 440 people, and up to 100 of them did not come back" in page.content.decode()


def test_what_was_published_does_not_change_with_the_rows(waited: None, published: Review) -> None:
    WaitCount.objects.update(asked=9000)
    assert read_published_content.published_report(published).about.asked_to_wait == 440


def test_the_ledger_holds_the_same_counts_with_and_without_people_who_waited(
    run: Run, review: Review, reviewer: Person
) -> None:
    accept(review, reviewer, 1)
    _content, told_before, attack_before = publishing.propose_publication(run, ["age"])
    WaitCount.objects.create(survey=run.survey, hour=NOW, asked=400, returned=340)
    content, told, attack = publishing.propose_publication(run, ["age"])
    assert content.about.asked_to_wait == 400
    assert json.dumps(told.tables) == json.dumps(told_before.tables)
    assert attack == attack_before
    assert not Disclosure.objects.filter(door=Door.REPORT).exists()


def test_before_the_survey_is_finished_a_report_does_not_say_it(waited: None, run: Run) -> None:
    run.population = Population.DISGUISED
    assert build_content.build_about(run).asked_to_wait == 0


def test_where_nobody_waited_there_is_no_line() -> None:
    assert isinstance(ABOUT, About)
    assert waiting_facts(ABOUT) == []
