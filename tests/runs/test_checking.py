"""The check of a run by mlxtend: what it compares, what it costs, and whom it tells."""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from accounts.models import History, Person
from jobs import job_state_changes, job_status, running_job_heartbeats
from jobs.models import Job, State
from jobs.progress_messages import Preempted
from mining.engines import mlxtend_check_duration, mlxtend_engine
from mining.engines.comparison import Difference, EngineResult, FoundItemset
from mining.engines.mlxtend_check_duration import CheckSpeed
from mining.json_codec import node_to_json
from mining.parameters import Parameters
from privacy.designs import Design
from runs import mlxtend_check, mlxtend_check_sentence, run_start
from runs.mlxtend_check import CheckResult
from runs.models import EngineCheck, Itemset, MlxtendCheck, Rule, Run
from runs.pages.run_page import RunPage
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, kept, kept_row
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
WANTED = Parameters(min_support=0.2, min_confidence=0.3)


@pytest.fixture(autouse=True)
def speed() -> Iterator[None]:
    """As of a fast machine, without measuring."""
    with pytest.MonkeyPatch.context() as patched:
        at_speed(patched, 1e-4, 1e-8)
        yield


def at_speed(monkeypatch: pytest.MonkeyPatch, fixed: float, per_record: float) -> None:
    monkeypatch.setattr(mlxtend_check, "_cached_speed", lambda: CheckSpeed(fixed, per_record))


def done_run(survey: Survey, person: Person, wanted: Parameters = WANTED, mlxtend: str = "automatic") -> Run:
    """A run that is over, whose check waits."""

    def make() -> Run:
        run = run_start.start_mining_run(survey, person, wanted, NOW, mlxtend=mlxtend)
        sealed.one(run)
        run.refresh_from_db()
        assert run.state == State.DONE, run.error
        return run

    return kept_row(("done run", survey.pk, person.pk, repr(wanted), mlxtend), make)


def checked(run: Run) -> CheckResult:
    def make() -> CheckResult:
        sealed.all_that_waits()
        job = run.checks.latest("pk")
        assert job.state == State.DONE, job.error
        result = mlxtend_check.last_result(run)
        assert result
        return result

    return kept(("checked", run.pk), make, lambda result: result, is_computed=True)


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    "more",
    [{}, {"exact": True}, {"most": 12}, {"absences": True}, {"estimator": "combined"}, {"most": 3}],
)
def test_mlxtend_finds_what_the_run_has_stored(survey: Survey, owner: Person, more: dict[str, Any]) -> None:
    run = done_run(survey, owner, replace(WANTED, **more))
    result = checked(run)
    assert result.difference is None
    assert (result.records, result.sample, result.minutes) == (600, False, None)
    assert (result.itemsets, result.rules) == (run.itemset_count, run.rule_count)
    assert result.itemsets > 0
    assert (result.scored, result.mlxtend, result.seconds > 0) == (0, "0.25.0", True)


def test_items_of_scores_are_counted_and_not_compared(owner: Person) -> None:
    survey = sealed.numbers_survey(owner, sealed.small_numbers(), [600, 600])
    run = done_run(survey, owner)
    result = checked(run)
    assert result.difference is None
    assert result.scored > 0
    assert 0 < result.itemsets < (run.itemset_count or 0)


def test_a_row_that_was_stored_wrong_or_not_at_all_is_found(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner)
    for model, column in ((Itemset, "support"), (Rule, "confidence")):
        with transaction.atomic():
            row = model._base_manager.filter(run=run).order_by("place")[0]
            wrong = getattr(row, column) + 1e-9
            # Only the database itself can: rows of results are written once.
            with connection.cursor() as cursor:
                table = model._meta.db_table
                cursor.execute(f'UPDATE "{table}" SET "{column}" = %s WHERE id = %s', [wrong, row.pk])
            difference = checked_anew(run)
            assert (difference.candor, bool(difference.consequent)) == (wrong, model is Rule)
            assert difference.mlxtend == pytest.approx(wrong - 1e-9, abs=1e-12)
            transaction.set_rollback(True)
    for is_rule in (False, True):
        with transaction.atomic():
            rules = Rule.objects.filter(run=run).order_by("place")
            lost = rules[0] if is_rule else Itemset.objects.filter(run=run, size=2)[0]
            if not is_rule:
                rules.filter(itemset=lost.pk).delete()
            lost.delete()
            difference = checked_anew(run)
            assert (difference.candor, bool(difference.consequent)) == (None, is_rule)
            transaction.set_rollback(True)


def checked_anew(run: Run) -> Difference:
    difference = mlxtend_check.check_run(run, always=True, seed=1, raise_if_cancelled=lambda: None).difference
    assert difference
    return difference


def test_what_costs_too_much(survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    at_speed(monkeypatch, 0.0, 1.0)
    # The sample would be too small.
    result = checked(done_run(survey, owner))
    assert (result.records, result.itemsets, result.is_equal) == (0, 0, False)
    assert (result.minutes or 0) > 10
    always = done_run(survey, owner, replace(WANTED, min_support=0.21), mlxtend=MlxtendCheck.ALWAYS)
    result = checked(always)
    assert (result.records, result.sample, result.minutes) == (600, False, None)
    monkeypatch.setattr(mlxtend_check_duration, "LEAST_SAMPLE", 100)
    monkeypatch.setattr(mlxtend_check_duration, "affordable_sample_size", lambda *_: 450)
    result = checked(done_run(survey, owner, replace(WANTED, min_support=0.22)))
    assert (result.records, result.sample, result.difference) == (450, True, None)
    assert result.itemsets > 3


def test_the_sample_is_drawn_of_batches_and_of_no_later_one(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner)
    sealed.seal(survey, 300)
    firsts = set()
    for seed in range(8):
        (first, second) = mlxtend_check.draw_sample(run, 450, np.random.default_rng(seed))
        assert (first.n, second.n) == (300, 150)
        firsts.add(first.everyone_bits.tobytes() + first.disguised.tobytes())
    assert len(firsts) == 2
    assert sum(part.n for part in mlxtend_check.draw_sample(run, 10_000, np.random.default_rng(1))) == 600


def test_never_there_is_no_check_and_a_repetition_has_none_either(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner, mlxtend=MlxtendCheck.NEVER)
    assert not run.checks.exists()
    assert run_start.repeat_run(run, owner, NOW).mlxtend == "never"


def test_a_run_that_waits_goes_first(survey: Survey, owner: Person) -> None:
    check = done_run(survey, owner).checks.get()
    later = run_start.start_mining_run(survey, owner, replace(WANTED, max_size=2), NOW)
    claimed = job_state_changes.claim_next(token="a" * 32, worker="w1", now=timezone.now())
    assert claimed
    assert claimed.pk == later.pk
    assert Job.objects.get(pk=check.pk).state == State.QUEUED


def test_it_gives_way_three_times(survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    run = done_run(survey, owner)
    result, begun = mlxtend_engine.mine_without_standard_errors, []

    def interrupted(*args: Any, **more: Any) -> EngineResult:
        begun.append(1)
        if len(begun) <= 3:
            raise Preempted
        return result(*args, **more)

    monkeypatch.setattr(mlxtend_engine, "mine_without_standard_errors", interrupted)
    assert checked(run).is_equal
    job = run.checks.get()
    assert (job.gave_way, job.attempts, len(begun)) == (3, 1, 4)


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    ("design", "records", "seconds"),
    [(sealed.small, 300, 0.0), (sealed.large, 4_000, 0.5)],
    ids=["at once", "in the middle"],
)
def test_mlxtend_itself_is_interrupted_within_two_seconds(
    owner: Person, monkeypatch: pytest.MonkeyPatch, design: Callable[[], Design], records: int, seconds: float
) -> None:
    survey = sealed.survey(owner, design(), [records])
    run = done_run(survey, owner, Parameters(min_support=0.05, min_confidence=0.3))
    result, begun = mlxtend_engine.mine_without_standard_errors, list[float]()

    def begin(*args: Any, **more: Any) -> EngineResult:
        """Mlxtend again and again: a small table may be done before anybody asks."""
        begun.append(time.monotonic())
        while time.monotonic() - begun[0] < 30:
            found = result(*args, **more)
        return found

    def ask() -> None:
        """Another job comes so long after mlxtend has begun."""
        if begun and time.monotonic() - begun[0] > seconds:
            raise Preempted

    monkeypatch.setattr(mlxtend_engine, "mine_without_standard_errors", begin)

    with pytest.raises(Preempted):
        mlxtend_check.check_run(run, always=True, seed=1, raise_if_cancelled=ask)
    assert time.monotonic() - begun[0] < 2


def test_a_worker_that_is_killed_leaves_a_check_that_is_done_again(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner)
    job = run.checks.get()
    assert job_state_changes.claim(job.pk, token="a" * 32, worker="killed", now=NOW)
    running_job_heartbeats.requeue_or_end_overdue_jobs({job.pk}, timezone.now())
    assert checked(run).is_equal
    assert Job.objects.get(pk=job.pk).attempts == 2


def test_a_destroyed_survey_takes_its_checks_along(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner)
    job_state_changes.cancel(run.checks.get(), NOW)
    sealed.all_that_waits()
    assert mlxtend_check.last_result(run) is None
    run = done_run(survey, owner, replace(WANTED, min_support=0.21))
    claimed = job_state_changes.claim(run.checks.get().pk, token="a" * 32, worker="w1", now=NOW)
    assert claimed
    write = claimed.perform(lambda *_, **__: None)
    lifecycle.destroy_survey(survey, owner, NOW)
    assert not job_state_changes.finish(claimed, write, NOW)
    assert not EngineCheck.objects.exists()


def page(client: Client, run: Run) -> str:
    response = client.get(f"/app/runs/{run.pk}/")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_page_says_what_it_did(survey: Survey, owner: Person, reviewer: Person, signed_in_as: As) -> None:
    run, judging, reading = done_run(survey, owner), signed_in_as(reviewer), signed_in_as(owner)
    assert "Not yet checked by mlxtend." in page(judging, run)
    result = checked(run)
    same = "mlxtend 0.25’s apriori and association_rules found the same"
    assert f"{same} {result.itemsets} itemsets and {result.rules} rules." in page(judging, run)
    # What a check costs depends on what was found: before a review only one of all records is told to others.
    for changed in (result, replace(result, sample=True, records=451), replace(result, minutes=17)):
        run.checks.update(result=node_to_json(changed))
        shown = page(reading, run)
        assert "by mlxtend too" not in shown
        assert "that would take" not in shown
        assert same not in shown
        assert "Check it by mlxtend" in shown
    run.checks.update(result=node_to_json(result), always=True)
    assert f"{same} itemsets and rules." in page(reading, run)
    equal = "Mined by mlxtend 0.25 too: equal on a sample of"
    too_long = "Not checked by mlxtend: that would take"
    not_compared = "in no table of yes and no, and {} not compared."
    for client, changed, words in (
        (judging, replace(result, sample=True, records=1451), f"{equal} 1,451 records."),
        (reading, replace(result, sample=True, records=451), f"{equal} the records."),
        (judging, replace(result, minutes=17), f"{too_long} about 17 min."),
        (reading, replace(result, minutes=17), f"{too_long} too long."),
        (judging, replace(result, scored=1), f"1 item of numbers or sets is {not_compared.format('was')}"),
        (judging, replace(result, scored=5), f"5 items of numbers or sets are {not_compared.format('were')}"),
    ):
        run.checks.update(result=node_to_json(changed))
        assert words in page(client, run)
    with translation.override("zh-hans"):
        counted = mlxtend_check_sentence.check_sentence(run, (1, 1))
    # In Chinese no space stands between sentences.
    assert "。 " not in counted


def test_a_page_reads_the_last_result_once(
    survey: Survey, owner: Person, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = done_run(survey, owner)
    checked(run)
    run.checks.update(always=True)
    shown = RunPage(run, owner)
    assert not shown.sees_numbers
    with django_assert_num_queries(2):
        assert "found the same itemsets and rules." in shown.check_sentence
        assert not shown.is_disputed


def test_a_difference_is_said_with_its_first_row_and_told_the_operator(
    survey: Survey, owner: Person, reviewer: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """mlxtend finds half of the support of the first single item."""
    result = mlxtend_engine.mine_without_standard_errors

    def other(*args: Any, **more: Any) -> EngineResult:
        found = result(*args, **more)
        item = min((itemset for itemset in found.itemsets if len(itemset) == 1), key=min)
        half = FoundItemset(found.itemsets[item].support / 2, 1.0)
        return replace(found, itemsets={**found.itemsets, item: half})

    monkeypatch.setattr(mlxtend_engine, "mine_without_standard_errors", other)
    run = done_run(survey, owner)
    with caplog.at_level(logging.ERROR):
        difference = checked(run).difference
    assert difference
    assert f"mlxtend finds something else than run {run.pk}" in caplog.text
    shown = page(signed_in_as(reviewer), run)
    assert "mlxtend 0.25 finds something else than Candor, so one of them is wrong." in shown
    assert f"{difference.candor:.15g} by Candor and {difference.mlxtend:.15g} by mlxtend." in shown
    assert "by Candor and" not in page(signed_in_as(owner), run)
    assert ("Runs in which mlxtend finds something else", 1) in [fact() for fact in job_status.FACTS]


def test_the_owner_has_it_checked_whatever_it_costs(
    survey: Survey, owner: Person, reading: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_speed(monkeypatch, 0.0, 1.0)
    run = done_run(survey, owner)
    assert checked(run).minutes
    assert "Check it by mlxtend" in page(reading, run)
    assert reading.post(f"/app/runs/{run.pk}/check").status_code == 302
    assert "Check it by mlxtend" not in page(reading, run)
    assert History.objects.filter(what="mining.checked", who=owner).count() == 1
    assert checked(run).is_equal
    assert "Check it by mlxtend" not in page(reading, run)


def test_nobody_else_can_and_one_check_is_under_way_at_a_time(
    survey: Survey, owner: Person, viewer: Person, stranger: Person, signed_in_as: As
) -> None:
    run = done_run(survey, owner)
    for person, statuses in ((stranger, {404}), (viewer, {403, 404})):
        assert signed_in_as(person).post(f"/app/runs/{run.pk}/check").status_code in statuses
    assert signed_in_as(owner).get(f"/app/runs/{run.pk}/check").status_code == 405
    assert run.checks.count() == 1
    with pytest.raises(NotAllowed, match="on its way already"):
        run_start.start_full_check(run, owner, NOW)
    waiting = run_start.start_mining_run(survey, owner, replace(WANTED, max_size=1), NOW)
    with pytest.raises(NotAllowed, match="not finished"):
        run_start.start_full_check(waiting, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    with pytest.raises(NotAllowed, match="deleted"):
        run_start.start_full_check(run, owner, NOW)
