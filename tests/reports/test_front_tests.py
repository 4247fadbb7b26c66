"""The test of a rehearsal's front as background work, and its section on the report."""

import json

import pytest
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Person
from jobs import job_state_changes
from jobs.models import State
from jobs.progress_messages import JobFailed
from mining.parameters import Parameters
from privacy.designs import parse
from reports.models import FrontTest, Review
from reports.simulated_reports import first_finding_test_job
from reports.simulated_reports.simulated_surveys import SimulatedFront, SimulatedSurveys
from runs.models import Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.jobs.attempts import attempt
from tests.reports import made
from tests.reports.paged import desk, reader, shown
from tests.runs import sealed, working
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def mined(owner: Person, *, rehearsal: bool) -> Run:
    said = json.loads(sealed.written(sealed.section("theft", "lies", keep="0.8")).canonical)
    design = parse(json.dumps(said | ({"rehearsal": True} if rehearsal else {})))
    run = working.mined(sealed.survey(owner, design, [300]), owner, Parameters(0.1, 0.2))
    made.waiting(run)
    return run


@pytest.fixture
def rehearsed(owner: Person) -> Run:
    return mined(owner, rehearsal=True)


def worked_off(run: Run, reviewer: Person, most: int = 1) -> FrontTest:
    job = first_finding_test_job.start_headline_test(Review.objects.get(run=run), reviewer)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(first_finding_test_job, "MOST", most)
        attempt(job)
    job.refresh_from_db()
    return job


def test_both_kinds_of_people_are_drawn_and_the_report_says_how_many(
    rehearsed: Run, reviewer: Person, reading: Client, judging: Client
) -> None:
    page = shown(judging, desk("report"))
    assert "Draw surveys" in page
    assert "How often would this report say something false?" in page
    job = worked_off(rehearsed, reviewer, most=2)
    assert job.state == State.DONE, job.problem
    assert {name: many["surveys"] for name, many in job.result.items()} == {"alike": 2, "simulated": 2}
    page = shown(judging, desk("report"))
    assert "Of 2 surveys with nothing in them" in page
    assert "Of 2 surveys of the simulated people" in page
    assert "Draw surveys again" in page
    # The same test says the same.
    assert worked_off(rehearsed, reviewer, most=2).result == job.result
    assert QuerySet(FrontTest).count() == 1
    # Readers of the report see no section.
    made.publish(Review.objects.get(), reviewer)
    assert "How often would this report say something false?" not in shown(reading, reader(""))


def test_no_more_are_drawn_when_the_time_is_over(
    rehearsed: Run, reviewer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_finding_test_job, "SECONDS", 0.0001)
    result = worked_off(rehearsed, reviewer, most=3).result
    assert {many["surveys"] for many in result.values()} == {1}


def test_a_cancelled_one_stores_nothing_and_can_be_drawn_again(
    rehearsed: Run, reviewer: Person, monkeypatch: pytest.MonkeyPatch, judging: Client
) -> None:
    draw = SimulatedSurveys.simulate_headlines

    def cancelled_meanwhile(surveys: SimulatedSurveys, number: int) -> SimulatedFront:
        job_state_changes.cancel(FrontTest.objects.get(), NOW)
        return draw(surveys, number)

    with monkeypatch.context() as patched:
        patched.setattr(SimulatedSurveys, "simulate_headlines", cancelled_meanwhile)
        job = worked_off(rehearsed, reviewer)
    assert (job.state, job.result) == (State.CANCELLED, {})
    page = shown(judging, desk("report"))
    assert "Draw surveys again" in page
    assert "would begin with a false sentence" not in page
    assert (
        first_finding_test_job.start_headline_test(Review.objects.get(run=rehearsed), reviewer).state
        == State.QUEUED
    )


def test_a_failed_one_says_so_and_can_be_drawn_again(
    rehearsed: Run, reviewer: Person, monkeypatch: pytest.MonkeyPatch, judging: Client
) -> None:
    def refused(_surveys: SimulatedSurveys, _number: int) -> SimulatedFront:
        raise JobFailed("No survey can be drawn.")

    with monkeypatch.context() as patched:
        patched.setattr(SimulatedSurveys, "simulate_headlines", refused)
        job = worked_off(rehearsed, reviewer)
    assert (job.state, job.result) == (State.FAILED, {})
    page = shown(judging, desk("report"))
    assert "No survey can be drawn." in page
    assert "Draw surveys again" in page
    assert worked_off(rehearsed, reviewer).state == State.DONE


def test_one_under_way_can_be_cancelled_and_not_started(
    rehearsed: Run, reviewer: Person, reading: Client, judging: Client
) -> None:
    review = Review.objects.get(run=rehearsed)
    job = first_finding_test_job.start_headline_test(review, reviewer)
    with pytest.raises(NotAllowed, match="Surveys are drawn already"):
        first_finding_test_job.start_headline_test(review, reviewer)
    page = shown(judging, desk("report"))
    assert "Cancel" in page
    assert "Draw surveys" not in page
    progress = f"/app/jobs/reports.fronttest/{job.pk}/progress"
    assert judging.get(progress).status_code == 200
    assert reading.get(progress).status_code == 403


def test_a_real_survey_has_none(owner: Person, reviewer: Person, judging: Client) -> None:
    review = Review.objects.get(run=mined(owner, rehearsal=False))
    with pytest.raises(NotAllowed, match="Only in a rehearsal"):
        first_finding_test_job.start_headline_test(review, reviewer)
    assert "How often would this report say something false?" not in shown(judging, desk("report"))


def test_only_a_reviewer_may_draw_surveys(rehearsed: Run, stranger: Person, signed_in_as: As) -> None:
    client: Client = signed_in_as(stranger)
    assert client.post(desk("front-test")).status_code in {302, 403, 404}
    assert not QuerySet(FrontTest).exists()
