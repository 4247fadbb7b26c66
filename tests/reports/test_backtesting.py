"""A backtest as background work: of the surest rules, the same each time, and never of what is gone."""

import numpy as np
import pytest

from accounts.models import Person
from mining.engines import candor_engine
from mining.error import rule_backtest as testing
from mining.parameters import Parameters
from mining.reconstruction.coherent_supports import MOST_ITEMS
from mining.rules import Rules
from reports.models import Backtest, Review
from reports.review import backtest_job, publishing
from reports.review.backtest_job import top_rules
from runs.models import Rule, Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.intake import asked
from tests.jobs.attempts import attempt
from tests.mining.listed import DISGUISED, Listed
from tests.reports import made
from tests.runs import sealed, working
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def ran(owner: Person) -> Run:
    survey = sealed.survey(owner, sealed.small(), [300, 300])
    run = working.mined(survey, owner, Parameters(0.15, 0.3))
    made.waiting(run)
    return run


def worked_off(run: Run, reviewer: Person) -> Backtest:
    job = backtest_job.start_backtest(Review.objects.get(run=run), reviewer)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(backtest_job, "POPULATIONS", 4)
        attempt(job)
    job.refresh_from_db()
    return job


def test_each_rule_gets_the_share_of_surveys_in_which_it_was_found_again(ran: Run, reviewer: Person) -> None:
    job = worked_off(ran, reviewer)
    assert (job.state, job.populations) == ("done", 4)
    assert set(job.again.values()) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    places = set(Rule.objects.filter(run=ran).values_list("place", flat=True))
    assert {int(place) for place in job.again} <= places
    assert job.again


def test_strong_rules_are_found_again_more_often_than_weak_ones(ran: Run, reviewer: Person) -> None:
    again = {int(place): share for place, share in worked_off(ran, reviewer).again.items()}
    rules = sorted(Rule.objects.filter(run=ran, place__in=again), key=lambda rule: rule.support or 0)
    third = len(rules) // 3
    weak, strong = ([again[rule.place] for rule in part] for part in (rules[:third], rules[-third:]))
    assert np.mean(strong) > np.mean(weak)


def test_the_same_backtest_says_the_same(ran: Run, reviewer: Person) -> None:
    first = worked_off(ran, reviewer).again
    Backtest.objects.all().delete()
    assert worked_off(ran, reviewer).again == first


@pytest.fixture
def confident(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of a share of surveys, each rule is given its confidence, to know it by."""

    def tested(_counter: object, rules: Rules, *_more: object) -> testing.BacktestResult:
        return testing.BacktestResult(1, rules.confidence)

    monkeypatch.setattr(backtest_job, "backtest", tested)


def test_rules_that_are_not_the_ones_of_the_run_are_not_tested(
    ran: Run, reviewer: Person, confident: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = Parameters(0.02, 0.02, absences=True)
    found = candor_engine.mine_rules
    monkeypatch.setattr(
        candor_engine, "mine_rules", lambda counter, _wanted, **more: found(counter, changed, **more)
    )
    job = worked_off(ran, reviewer)
    assert job.state == "failed"
    assert "Candor was changed since. Repeat the run, and test that one." in str(job.problem)


def test_what_is_published_is_tested_no_more(ran: Run, reviewer: Person) -> None:
    review = Review.objects.get(run=ran)
    made.publish(review, reviewer)
    with pytest.raises(NotAllowed, match="belongs before that"):
        backtest_job.start_backtest(review, reviewer)
    assert not Backtest.objects.exists()


def test_whoever_publishes_before_a_backtest_is_stored_gets_none_of_it(
    ran: Run, reviewer: Person, confident: None
) -> None:
    review = Review.objects.get(run=ran)
    job = Backtest.objects.create(run=ran, state="done", created=NOW, queued=NOW, finished=NOW)
    made.publish(review, reviewer)
    # A worker that had begun before: what it found comes too late.
    Backtest.objects.update(state="queued", finished=None)
    attempt(job)
    job.refresh_from_db()
    assert (job.state, job.populations, job.again) == ("cancelled", 0, {})


def test_a_run_without_rules_has_nothing_to_test(owner: Person, reviewer: Person) -> None:
    made.run(made.survey(owner), rules=0)
    publishing.create_reviews_of_finished_runs(NOW)
    with pytest.raises(NotAllowed, match="no rule to test"):
        backtest_job.start_backtest(Review.objects.get(), reviewer)


def test_the_surest_rules_are_followed_while_they_have_at_most_twelve_answers() -> None:
    names = [f"q{place}" for place in range(16)]
    questions = [{"name": name, "choices": ["no", "yes"]} for name in names]
    design = asked.written({"kind": "unrelated-question", "keep": "0.9", "questions": questions})
    rng = np.random.default_rng(1)
    codes = (rng.random((16, 400)) < 0.6).astype(np.int64)
    rules = candor_engine.mine_rules(
        Listed(design, np.full(400, DISGUISED), codes), Parameters(0.05, 0.05, max_size=2)
    ).rules
    chosen = top_rules(rules)
    items = {item for row in chosen for side in rules.sides(row) for item in side}
    assert len(items) == MOST_ITEMS
    assert chosen[0] == 0
    assert (np.diff(rules.split[chosen]) > 0).all()
    left_out = set(np.unique(rules.split, return_index=True)[1].tolist()) - set(chosen.tolist())
    assert all(set().union(*rules.sides(row)) - items for row in left_out)
