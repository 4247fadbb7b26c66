"""Background work of a report, never of what is gone: a backtest of the surest rules, the test of a front."""

import json
from typing import Any

import numpy as np
import pytest
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Person
from jobs import job_state_changes
from jobs.models import State
from jobs.progress_messages import JobFailed
from mining.engines import candor_engine
from mining.error import simulated_rule_backtest as testing
from mining.parameters import Parameters
from mining.reconstruction.coherent_supports import MOST_ITEMS
from privacy.designs import parse_design
from reports.models import Backtest, FrontTest, Review
from reports.review import rule_backtest_job
from reports.review.rule_backtest_job import select_rules_to_backtest
from reports.simulated_reports import first_finding_test_job
from reports.simulated_reports.simulated_surveys import FirstFindingsVerdict, SimulatedSurveys
from runs.models import Rule, Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.intake import asked
from tests.jobs.conftest import attempt
from tests.mining.listed import DISGUISED, Listed
from tests.reports import made
from tests.reports.conftest import desk_page, reader, shown
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def ran(owner: Person) -> Run:
    survey = sealed.survey(owner, sealed.small(), [300, 300])
    run = sealed.mined(survey, owner, Parameters(0.15, 0.3))
    made.waiting(run)
    return run


def worked_off(job: Backtest | FrontTest, **changed: Any) -> Any:
    """The job, over; `changed`: constants of its module."""
    module = rule_backtest_job if isinstance(job, Backtest) else first_finding_test_job
    with pytest.MonkeyPatch.context() as patched:
        for name, value in changed.items():
            patched.setattr(module, name, value)
        attempt(job)
    job.refresh_from_db()
    return job


def backtested(run: Run, reviewer: Person) -> Backtest:
    job = rule_backtest_job.start_backtest(Review.objects.get(run=run), reviewer)
    return worked_off(job, POPULATIONS=4)  # type: ignore[no-any-return]


def test_each_rule_gets_the_share_of_surveys_in_which_it_was_found_again(ran: Run, reviewer: Person) -> None:
    job = backtested(ran, reviewer)
    assert (job.state, job.populations) == ("done", 4)
    again = {int(place): share for place, share in job.again.items()}
    assert set(again.values()) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert again.keys() <= set(Rule.objects.filter(run=ran).values_list("place", flat=True))
    # Strong rules are found again more often than weak ones.
    rules = sorted(Rule.objects.filter(run=ran, place__in=again), key=lambda rule: rule.support or 0)
    third = len(rules) // 3
    weak, strong = ([again[rule.place] for rule in part] for part in (rules[:third], rules[-third:]))
    assert np.mean(strong) > np.mean(weak)
    # The same backtest says the same.
    Backtest.objects.all().delete()
    assert backtested(ran, reviewer).again == job.again


@pytest.fixture
def confident(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of a share of surveys, each rule is given its confidence, to know it by."""

    monkeypatch.setattr(
        rule_backtest_job, "backtest", lambda _of, rules, *_more: testing.BacktestResult(1, rules.confidence)
    )


def test_rules_that_are_not_the_ones_of_the_run_are_not_tested(
    ran: Run, reviewer: Person, confident: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = Parameters(0.02, 0.02, absences=True)
    found = candor_engine.mine_rules
    monkeypatch.setattr(
        candor_engine, "mine_rules", lambda counter, _wanted, **more: found(counter, changed, **more)
    )
    job = backtested(ran, reviewer)
    assert job.state == "failed"
    assert "Candor was changed since. Repeat the run, and test that one." in str(job.problem)


def test_what_is_published_is_tested_no_more(ran: Run, owner: Person, reviewer: Person) -> None:
    empty = made.waiting(made.run(made.survey(owner), rules=0))
    with pytest.raises(NotAllowed, match="no rule to test"):
        rule_backtest_job.start_backtest(empty, reviewer)
    review = Review.objects.get(run=ran)
    made.publish(review, reviewer)
    with pytest.raises(NotAllowed, match="belongs before that"):
        rule_backtest_job.start_backtest(review, reviewer)
    assert not Backtest.objects.exists()


def test_a_backtest_after_publishing_comes_too_late(ran: Run, reviewer: Person, confident: None) -> None:
    review = Review.objects.get(run=ran)
    job = Backtest.objects.create(run=ran, state="done", created=NOW, queued=NOW, finished=NOW)
    made.publish(review, reviewer)
    # A worker that had begun before: what it found comes too late.
    Backtest.objects.update(state="queued", finished=None)
    attempt(job)
    job.refresh_from_db()
    assert (job.state, job.populations, job.again) == ("cancelled", 0, {})


def test_the_surest_rules_are_followed_while_they_have_at_most_twelve_answers() -> None:
    design = asked.written(sealed.section(*(f"q{place}" for place in range(16)), keep="0.9"))
    rng = np.random.default_rng(1)
    codes = (rng.random((16, 400)) < 0.6).astype(np.int64)
    records = Listed(design, np.full(400, DISGUISED), codes)
    rules = candor_engine.mine_rules(records, Parameters(0.05, 0.05, max_size=2)).rules
    chosen = select_rules_to_backtest(rules)
    items = {item for row in chosen for side in rules.sides(row) for item in side}
    assert len(items) == MOST_ITEMS
    assert chosen[0] == 0
    assert (np.diff(rules.split[chosen]) > 0).all()
    left_out = set(np.unique(rules.split, return_index=True)[1].tolist()) - set(chosen.tolist())
    assert all(set().union(*rules.sides(row)) - items for row in left_out)


def mined(owner: Person, *, rehearsal: bool) -> Run:
    said = json.loads(sealed.written(sealed.section("theft", "lies", keep="0.8")).canonical)
    design = parse_design(json.dumps(said | ({"rehearsal": True} if rehearsal else {})))
    run = sealed.mined(sealed.survey(owner, design, [300]), owner, Parameters(0.1, 0.2))
    made.waiting(run)
    return run


@pytest.fixture
def rehearsed(owner: Person) -> Run:
    return mined(owner, rehearsal=True)


def front_tested(run: Run, reviewer: Person, most: int = 1) -> FrontTest:
    job = first_finding_test_job.start_first_finding_test(Review.objects.get(run=run), reviewer)
    return worked_off(job, MOST=most)  # type: ignore[no-any-return]


def test_both_kinds_are_drawn(rehearsed: Run, reviewer: Person, reading: Client, judging: Client) -> None:
    page = shown(judging, desk_page("report"))
    assert "Draw surveys" in page
    assert "How often would this report say something false?" in page
    job = front_tested(rehearsed, reviewer, most=2)
    assert job.state == State.DONE, job.problem
    assert {name: many["surveys"] for name, many in job.result.items()} == {"alike": 2, "simulated": 2}
    page = shown(judging, desk_page("report"))
    assert "Of 2 surveys with nothing in them" in page
    assert "Of 2 surveys of the simulated people" in page
    assert "Draw surveys again" in page
    # The same test says the same.
    assert front_tested(rehearsed, reviewer, most=2).result == job.result
    assert QuerySet(FrontTest).count() == 1
    # Readers of the report see no section.
    made.publish(Review.objects.get(), reviewer)
    assert "How often would this report say something false?" not in shown(reading, reader(""))


def test_a_failed_one_says_so_and_can_be_drawn_again_though_no_more_when_the_time_is_over(
    rehearsed: Run, reviewer: Person, monkeypatch: pytest.MonkeyPatch, judging: Client
) -> None:
    def refused(_surveys: SimulatedSurveys, _number: int) -> FirstFindingsVerdict:
        raise JobFailed("No survey can be drawn.")

    with monkeypatch.context() as patched:
        patched.setattr(SimulatedSurveys, "simulate_headlines", refused)
        job = front_tested(rehearsed, reviewer)
    assert (job.state, job.result) == (State.FAILED, {})
    page = shown(judging, desk_page("report"))
    assert "No survey can be drawn." in page
    assert "Draw surveys again" in page
    monkeypatch.setattr(first_finding_test_job, "SECONDS", 0.0001)
    job = front_tested(rehearsed, reviewer, most=3)
    assert job.state == State.DONE
    assert {many["surveys"] for many in job.result.values()} == {1}


def test_a_cancelled_one_stores_nothing_and_can_be_drawn_again(
    rehearsed: Run, reviewer: Person, monkeypatch: pytest.MonkeyPatch, judging: Client
) -> None:
    draw = SimulatedSurveys.simulate_headlines

    def cancelled_meanwhile(surveys: SimulatedSurveys, number: int) -> FirstFindingsVerdict:
        job_state_changes.cancel(FrontTest.objects.get(), NOW)
        return draw(surveys, number)

    with monkeypatch.context() as patched:
        patched.setattr(SimulatedSurveys, "simulate_headlines", cancelled_meanwhile)
        job = front_tested(rehearsed, reviewer)
    assert (job.state, job.result) == (State.CANCELLED, {})
    page = shown(judging, desk_page("report"))
    assert "Draw surveys again" in page
    assert "would begin with a false sentence" not in page
    again = first_finding_test_job.start_first_finding_test(Review.objects.get(run=rehearsed), reviewer)
    assert again.state == State.QUEUED


def test_one_under_way(rehearsed: Run, reviewer: Person, reading: Client, judging: Client) -> None:
    review = Review.objects.get(run=rehearsed)
    job = first_finding_test_job.start_first_finding_test(review, reviewer)
    with pytest.raises(NotAllowed, match="Surveys are drawn already"):
        first_finding_test_job.start_first_finding_test(review, reviewer)
    page = shown(judging, desk_page("report"))
    assert "Cancel" in page
    assert "Draw surveys" not in page
    progress = f"/app/jobs/reports.fronttest/{job.pk}/progress"
    # Its page leads to its result at the reviewer's desk.
    assert f'href="{desk_page("report")}#front-test"' in judging.get(progress).text
    assert '<section class="flow no-print" id="front-test"' in judging.get(desk_page("report")).text
    assert reading.get(progress).status_code == 403


def test_a_real_survey_has_none_and_only_a_reviewer_may_draw_surveys(
    owner: Person, reviewer: Person, stranger: Person, signed_in_as: As, judging: Client
) -> None:
    review = Review.objects.get(run=mined(owner, rehearsal=False))
    with pytest.raises(NotAllowed, match="Only in a rehearsal"):
        first_finding_test_job.start_first_finding_test(review, reviewer)
    said = "How often would this report say something false?"
    assert said not in shown(judging, desk_page("report", review))
    rehearsal = Review.objects.get(run=mined(owner, rehearsal=True))
    client: Client = signed_in_as(stranger)
    assert client.post(desk_page("front-test", rehearsal)).status_code in {302, 403, 404}
    assert not QuerySet(FrontTest).exists()
