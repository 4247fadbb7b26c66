"""How often a report of such a survey would begin with a false sentence: a job of a rehearsal."""

import json

import pytest
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Person
from jobs import job_state_changes
from jobs.models import State
from jobs.progress_messages import JobFailed
from mining.parameters import Parameters
from privacy.designs import parse_design
from reports.models import FrontTest, Review
from reports.simulated_reports import first_finding_test_job
from reports.simulated_reports.simulated_surveys import FirstFindingsVerdict, SimulatedSurveys
from runs.models import Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.jobs.conftest import attempt
from tests.reports import made
from tests.reports.conftest import desk_page, page_text, reader
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def mine_survey(owner: Person, *, rehearsal: bool) -> Run:
    said = json.loads(sealed.make_design(sealed.section("theft", "lies", keep="0.8")).canonical)
    design = parse_design(json.dumps(said | ({"rehearsal": True} if rehearsal else {})))
    run = sealed.mine_sealed(sealed.survey(owner, design, [300]), owner, Parameters(0.1, 0.2))
    made.waiting_review(run)
    return run


@pytest.fixture
def rehearsal_run(owner: Person) -> Run:
    return mine_survey(owner, rehearsal=True)


def front_tested(run: Run, reviewer: Person, most: int = 1) -> FrontTest:
    job = first_finding_test_job.start_first_finding_test(Review.objects.get(run=run), reviewer)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(first_finding_test_job, "MOST", most)
        attempt(job)
    job.refresh_from_db()
    return job


def test_first_finding_test_draws_both_kinds_of_surveys(
    rehearsal_run: Run, reviewer: Person, reading: Client, judging: Client
) -> None:
    page = page_text(judging, desk_page("report"))
    assert "Draw surveys" in page
    assert "How often would this report say something false?" in page
    # The reviewer's list of rules leads to it.
    assert f'<a href="{desk_page("report")}#front-test">' in judging.get(desk_page("rules")).text
    job = front_tested(rehearsal_run, reviewer, most=2)
    assert job.state == State.DONE, job.problem
    assert {name: many["surveys"] for name, many in job.result.items()} == {"alike": 2, "simulated": 2}
    page = page_text(judging, desk_page("report"))
    assert "Of 2 surveys with nothing in them" in page
    assert "Of 2 surveys of the simulated people" in page
    assert "Draw surveys again" in page
    # The same test says the same.
    assert front_tested(rehearsal_run, reviewer, most=2).result == job.result
    assert QuerySet(FrontTest).count() == 1
    # Readers of the report see no section.
    made.publish(Review.objects.get(), reviewer)
    assert "How often would this report say something false?" not in page_text(reading, reader(""))


def test_failed_first_finding_test_says_so_and_can_be_repeated(
    rehearsal_run: Run, reviewer: Person, monkeypatch: pytest.MonkeyPatch, judging: Client
) -> None:
    def refuse(_surveys: SimulatedSurveys, _number: int) -> FirstFindingsVerdict:
        raise JobFailed("No survey can be drawn.")

    with monkeypatch.context() as patched:
        patched.setattr(SimulatedSurveys, "simulate_headlines", refuse)
        job = front_tested(rehearsal_run, reviewer)
    assert (job.state, job.result) == (State.FAILED, {})
    page = page_text(judging, desk_page("report"))
    assert "No survey can be drawn." in page
    assert "Draw surveys again" in page
    monkeypatch.setattr(first_finding_test_job, "SECONDS", 0.0001)
    job = front_tested(rehearsal_run, reviewer, most=3)
    assert job.state == State.DONE
    assert {many["surveys"] for many in job.result.values()} == {1}


def test_cancelled_first_finding_test_stores_nothing(
    rehearsal_run: Run, reviewer: Person, monkeypatch: pytest.MonkeyPatch, judging: Client
) -> None:
    draw = SimulatedSurveys.simulate_headlines

    def cancelled_meanwhile(surveys: SimulatedSurveys, number: int) -> FirstFindingsVerdict:
        job_state_changes.cancel(FrontTest.objects.get(), NOW)
        return draw(surveys, number)

    with monkeypatch.context() as patched:
        patched.setattr(SimulatedSurveys, "simulate_headlines", cancelled_meanwhile)
        job = front_tested(rehearsal_run, reviewer)
    assert (job.state, job.result) == (State.CANCELLED, {})
    page = page_text(judging, desk_page("report"))
    assert "Draw surveys again" in page
    assert "would begin with a false sentence" not in page
    again = first_finding_test_job.start_first_finding_test(Review.objects.get(run=rehearsal_run), reviewer)
    assert again.state == State.QUEUED


def test_running_first_finding_test_is_shown(
    rehearsal_run: Run, reviewer: Person, reading: Client, judging: Client
) -> None:
    review = Review.objects.get(run=rehearsal_run)
    job = first_finding_test_job.start_first_finding_test(review, reviewer)
    with pytest.raises(NotAllowed, match="Surveys are drawn already"):
        first_finding_test_job.start_first_finding_test(review, reviewer)
    page = page_text(judging, desk_page("report"))
    assert "Cancel" in page
    assert "Draw surveys" not in page
    progress = f"/app/jobs/reports.fronttest/{job.pk}/progress"
    # Its page leads to its result at the reviewer's desk.
    assert f'href="{desk_page("report")}#front-test"' in judging.get(progress).text
    assert '<section class="flow no-print" id="front-test"' in judging.get(desk_page("report")).text
    assert reading.get(progress).status_code == 403


def test_first_finding_test_is_for_rehearsals_and_reviewers(
    owner: Person, reviewer: Person, stranger: Person, signed_in_as: As, judging: Client
) -> None:
    review = Review.objects.get(run=mine_survey(owner, rehearsal=False))
    with pytest.raises(NotAllowed, match="Only in a rehearsal"):
        first_finding_test_job.start_first_finding_test(review, reviewer)
    said = "How often would this report say something false?"
    for page in ("report", "rules"):
        assert said not in page_text(judging, desk_page(page, review))
    rehearsal = Review.objects.get(run=mine_survey(owner, rehearsal=True))
    client: Client = signed_in_as(stranger)
    assert client.post(desk_page("front-test", rehearsal)).status_code in {302, 403, 404}
    assert not QuerySet(FrontTest).exists()
