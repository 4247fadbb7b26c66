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
from mining.engines.mlxtend_check_duration import CheckSpeed, Line
from mining.json_codec import node_to_json
from mining.parameters import Parameters
from mining.reconstruction import supports
from privacy.designs import Design
from runs import mlxtend_check, row_check, run_start
from runs.mlxtend_check import CheckResult
from runs.mlxtend_check_sentence import CheckState, CheckStatus, Counts
from runs.models import EngineCheck, Itemset, MlxtendCheck, Rule, Run
from runs.pages.run_page import RunPage
from runs.row_check import RowCheck
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, kept_row, make_once
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
WANTED = Parameters(min_support=0.2, min_confidence=0.3)


@pytest.fixture(autouse=True)
def fast_machine() -> Iterator[None]:
    """As of a fast machine, without measuring."""
    with pytest.MonkeyPatch.context() as patched:
        set_check_speed(patched, 1e-4, 1e-8)
        yield


def set_check_speed(monkeypatch: pytest.MonkeyPatch, fixed: float, per_record: float) -> None:
    line = Line(fixed, per_record)
    speed = CheckSpeed((line,) * 3, line)
    monkeypatch.setattr(mlxtend_check, "measure_speed", lambda *_: speed)


def done_run(survey: Survey, person: Person, wanted: Parameters = WANTED, mlxtend: str = "automatic") -> Run:
    """A run that is over, whose check waits."""

    def make() -> Run:
        run = run_start.start_mining_run(survey, person, wanted, NOW, mlxtend=mlxtend)
        sealed.perform_one(run)
        run.refresh_from_db()
        assert run.state == State.DONE, run.error
        return run

    return kept_row(("done run", survey.pk, person.pk, repr(wanted), mlxtend), make)


def check_run(run: Run) -> CheckResult:
    def make() -> CheckResult:
        sealed.all_that_waits()
        job = run.checks.latest("pk")
        assert job.state == State.DONE, job.error
        result = mlxtend_check.last_result(run)
        assert result
        return result

    return make_once(("checked", run.pk), make, lambda result: result, is_computed=True)


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    "more", [{}, {"exact": True}, {"most": 12}, {"absences": True}, {"estimator": "combined"}, {"most": 3}]
)
def test_mlxtend_finds_what_the_run_has_stored(survey: Survey, owner: Person, more: dict[str, Any]) -> None:
    run = done_run(survey, owner, replace(WANTED, **more))
    result = check_run(run)
    assert result.difference is None
    assert (result.records, result.sample, result.minutes) == (600, False, None)
    assert result.itemsets == run.itemset_count
    assert result.itemsets > 0
    assert (result.scored, result.mlxtend, result.seconds > 0) == (0, "0.25.0", True)


def test_items_of_scores_are_counted_and_not_compared(owner: Person) -> None:
    survey = sealed.numbers_survey(owner, sealed.small_numbers(), [600, 600])
    run = done_run(survey, owner)
    result = check_run(run)
    assert result.difference is None
    assert result.scored > 0
    assert 0 < result.itemsets < (run.itemset_count or 0)


Plant = Callable[[Run], None]


def plant_change(model: type[Itemset | Rule], column: str, value: Any) -> Plant:
    """Changes the last row, which only the database itself can: rows of results are written once."""

    def plant_wrong_value(run: Run) -> None:
        rows = model._base_manager.filter(run=run).order_by("-place")
        row = next(row for row in rows if getattr(row, column) is not None)
        with connection.cursor() as cursor:
            table = model._meta.db_table
            cursor.execute(f'UPDATE "{table}" SET "{column}" = %s WHERE id = %s', [value, row.pk])

    return plant_wrong_value


def delete_rule(run: Run) -> None:
    Rule.objects.filter(run=run).order_by("-place")[0].delete()


def delete_itemset(run: Run) -> None:
    """With its rules, of which nothing is left to say that it was there."""
    lost = Itemset.objects.filter(run=run, size=2).order_by("-place")[0]
    Rule.objects.filter(run=run, itemset=lost).delete()
    lost.delete()


PLANTS: dict[str, Plant] = {
    "a support": plant_change(Itemset, "support", 0.9),
    "a support by a little": plant_change(Itemset, "support", 0.27),
    "records asked": plant_change(Itemset, "base", 33),
    "an observed share": plant_change(Itemset, "observed", 0.01),
    "an expected error": plant_change(Itemset, "expected_w", 0.7),
    "an interval": plant_change(Itemset, "low_listed", 0.01),
    "a lift": plant_change(Rule, "lift", 9.99),
    "an interval of a lift": plant_change(Rule, "lift_low", 9.0),
    "a confidence": plant_change(Rule, "confidence", 0.05),
    "a rule's support": plant_change(Rule, "support", 0.99),
    "an antecedent": plant_change(Rule, "antecedent_support", 0.01),
    "a consequent": plant_change(Rule, "consequent_support", 0.01),
    "a rule's base": plant_change(Rule, "base", 33),
    "a p": plant_change(Rule, "p", 0.0001),
    "another antecedent": plant_change(Rule, "antecedent", " 1 "),
    "a rule is lost": delete_rule,
    "an itemset is lost": delete_itemset,
}
NOT_COMPUTED_ANEW = {"an interval", "an interval of a lift", "a p"}
"""A comparison takes their numbers as they are: only their digests say that they were changed."""


@pytest.mark.at_push(6)
@pytest.mark.parametrize("is_sample", [False, True])
@pytest.mark.parametrize("kind", PLANTS)
def test_planted_wrong_row_is_named(
    survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch, kind: str, is_sample: bool
) -> None:
    """After the check, and by a check that is made again, whether mlxtend searches all records or a sample."""
    run = done_run(survey, owner)
    if is_sample:
        search_a_sample(monkeypatch)
    result = checked_anew(run, always=False)
    assert (result.sample, result.difference) == (is_sample, None)
    assert CheckStatus(run).state != CheckState.CHANGED
    with transaction.atomic():
        PLANTS[kind](run)
        assert CheckStatus(run).state == CheckState.CHANGED
        rows, search = compare_again(run), checked_anew(run, always=not is_sample)
        assert bool(rows.differences or search.difference) == (kind not in NOT_COMPUTED_ANEW)
        # Once more it is said to be changed, or to differ; never that it was checked.
        Run.objects.filter(pk=run.pk).update(row_check=node_to_json(rows))
        run.refresh_from_db()
        run.checks.update(state=State.DONE, finished=NOW, result=node_to_json(search))
        expected = CheckState.CHANGED if kind in NOT_COMPUTED_ANEW else CheckState.DIFFERS
        assert CheckStatus(run).state == expected
        transaction.set_rollback(True)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("kind", [kind for kind in PLANTS if kind not in NOT_COMPUTED_ANEW])
def test_a_row_that_was_planted_before_any_check_is_named(survey: Survey, owner: Person, kind: str) -> None:
    run = done_run(survey, owner, mlxtend=MlxtendCheck.NEVER)
    with transaction.atomic():
        PLANTS[kind](run)
        assert compare_again(run).differences or checked_anew(run).difference
        transaction.set_rollback(True)


def search_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    set_check_speed(monkeypatch, 0.0, 1.0)
    monkeypatch.setattr(mlxtend_check_duration, "LEAST_SAMPLE", 100)
    monkeypatch.setattr(mlxtend_check_duration.CheckCost, "affordable_sample_size", lambda _cost: 450)


def compare_again(run: Run) -> RowCheck:
    return mlxtend_check.compare_stored_rows(run, lambda: None)


def checked_anew(run: Run, *, always: bool = True) -> CheckResult:
    return mlxtend_check.check_run(run, always=always, seed=1, raise_if_cancelled=lambda: None)


def test_the_rows_are_compared_in_the_runs_own_job_on_all_records(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner)
    rows = row_check.read_row_check(run)
    assert rows
    assert (rows.records, rows.itemsets, rows.rules) == (600, run.itemset_count, run.rule_count)
    assert (rows.found, rows.scored, rows.mlxtend) == (0, 0, "0.25.0")
    assert not run.checks.get().result


def test_a_difference_of_rows_is_stored_logged_and_told_before_any_search(
    survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """All supports are computed too small, so that the list is whole and its numbers are wrong."""
    whole = supports._support_error_and_pooled
    monkeypatch.setattr(
        supports, "_support_error_and_pooled", lambda *of: tuple(column * 1.001 for column in whole(*of))
    )
    with caplog.at_level(logging.ERROR):
        run = done_run(survey, owner, replace(WANTED, min_support=0.23))
    assert f"mlxtend finds something else than run {run.pk}" in caplog.text
    assert CheckStatus(run).state == CheckState.DIFFERS
    assert "(support)" in mlxtend_check.difference_sentence(run)


def test_too_expensive_check_is_skipped(
    survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_check_speed(monkeypatch, 0.0, 1.0)
    # The sample would be too small.
    result = check_run(done_run(survey, owner))
    assert (result.records, result.is_equal) == (0, False)
    assert (result.minutes or 0) > 10
    always = done_run(survey, owner, replace(WANTED, min_support=0.21), mlxtend=MlxtendCheck.ALWAYS)
    result = check_run(always)
    assert (result.records, result.sample, result.minutes) == (600, False, None)
    search_a_sample(monkeypatch)
    result = check_run(done_run(survey, owner, replace(WANTED, min_support=0.22)))
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


def test_waiting_run_precedes_a_check(survey: Survey, owner: Person) -> None:
    check = done_run(survey, owner).checks.get()
    later = run_start.start_mining_run(survey, owner, replace(WANTED, max_size=2), NOW)
    claimed = job_state_changes.claim_next(token="a" * 32, worker="w1", now=timezone.now())
    assert claimed
    assert claimed.pk == later.pk
    assert Job.objects.get(pk=check.pk).state == State.QUEUED


def test_check_yields_three_times(survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    run = done_run(survey, owner)
    result, begun = mlxtend_engine.find_itemsets_by_mlxtend, []

    def preempt_three_times(*args: Any, **more: Any) -> dict[frozenset[int], float]:
        begun.append(1)
        if len(begun) <= 3:
            raise Preempted
        return result(*args, **more)

    monkeypatch.setattr(mlxtend_engine, "find_itemsets_by_mlxtend", preempt_three_times)
    assert check_run(run).is_equal
    job = run.checks.get()
    assert (job.gave_way, job.attempts, len(begun)) == (3, 1, 4)


@pytest.mark.at_push(1)
@pytest.mark.parametrize(
    ("design", "records", "seconds"),
    [(sealed.small_design, 300, 0.0), (sealed.large_design, 4_000, 0.5)],
    ids=["at once", "in the middle"],
)
def test_mlxtend_itself_is_interrupted_within_two_seconds(
    owner: Person, monkeypatch: pytest.MonkeyPatch, design: Callable[[], Design], records: int, seconds: float
) -> None:
    survey = sealed.survey(owner, design(), [records])
    run = done_run(survey, owner, Parameters(min_support=0.05, min_confidence=0.3))
    result, begun = mlxtend_engine.find_itemsets_by_mlxtend, list[float]()

    def repeat_result(*args: Any, **more: Any) -> dict[frozenset[int], float]:
        """Mlxtend again and again: a small table may be done before anybody asks."""
        begun.append(time.monotonic())
        while time.monotonic() - begun[0] < 30:
            found = result(*args, **more)
        return found

    def ask() -> None:
        """Another job comes so long after mlxtend has begun."""
        if begun and time.monotonic() - begun[0] > seconds:
            raise Preempted

    monkeypatch.setattr(mlxtend_engine, "find_itemsets_by_mlxtend", repeat_result)

    with pytest.raises(Preempted):
        mlxtend_check.check_run(run, always=True, seed=1, raise_if_cancelled=ask)
    assert time.monotonic() - begun[0] < 2


def test_a_worker_that_is_killed_leaves_a_check_that_is_done_again(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner)
    job = run.checks.get()
    assert job_state_changes.claim(job.pk, token="a" * 32, worker="killed", now=NOW)
    running_job_heartbeats.requeue_or_end_overdue_jobs({job.pk}, timezone.now())
    assert check_run(run).is_equal
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


ROWS = "equal means over all records and what mlxtend 0.25’s association_rules makes of these."
SEARCH = "mlxtend’s apriori lists the same itemsets of all records."


def test_the_page_says_what_was_checked(
    survey: Survey, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    run, judging, reading = done_run(survey, owner), signed_in_as(reviewer), signed_in_as(owner)
    numbers = f"The numbers of {run.itemset_count} itemsets and {run.rule_count} rules {ROWS}"
    assert f"{numbers} The search is not yet checked." in page(judging, run)
    result = check_run(run)
    assert f"{numbers} {SEARCH}" in page(judging, run)
    # What a search costs depends on what was found: before a review only one of all records is told to others.
    for changed in (result, replace(result, sample=True, records=451), replace(result, minutes=17)):
        run.checks.update(result=node_to_json(changed))
        shown = page(reading, run)
        assert f"The numbers of all itemsets and rules {ROWS}</p>" in shown
        assert "Check again" in shown
    run.checks.update(result=node_to_json(result), always=True)
    assert SEARCH in page(reading, run)
    sample, too_long = (
        "The search was checked on a sample of",
        "The search was not checked by mlxtend: that would take",
    )
    for client, changed, words in (
        (judging, replace(result, sample=True, records=1451), f"{sample} 1,451 records."),
        (reading, replace(result, sample=True, records=451), f"{sample} the records."),
        (judging, replace(result, minutes=17), f"{too_long} about 17 min."),
        (reading, replace(result, minutes=17), f"{too_long} too long."),
    ):
        run.checks.update(result=node_to_json(changed))
        assert words in page(client, run)


def test_what_was_not_compared_and_what_noise_did_is_said(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner)
    for scored, words in (
        (1, "1 item of numbers or sets is in no"),
        (5, "5 items of numbers or sets are in no"),
    ):
        run.row_check["scored"] = scored  # type: ignore[index]
        assert words in CheckStatus(run).sentence(None)
    said = CheckStatus(run).sentence(Counts(9, 7, above_one=2, below=1))
    assert "2 confidences are above 100 %, by noise." in said
    assert "1 itemset has a part below the threshold, so a strict Apriori would not list it." in said
    words = "The numbers of 9 itemsets equal means over all records. "
    assert CheckStatus(run).sentence(Counts(9, 0, above_one=0, below=0)).startswith(words)
    with translation.override("zh-hans"):
        # In Chinese no space stands between sentences.
        assert "。 " not in CheckStatus(run).sentence(Counts(1, 1, 1, 1))


def test_nothing_that_was_not_compared_is_called_checked(survey: Survey, owner: Person) -> None:
    run = done_run(survey, owner, mlxtend=MlxtendCheck.NEVER)
    assert (CheckStatus(run).state, CheckStatus(run).sentence(None)) == (
        "not checked",
        "Not checked by mlxtend.",
    )
    run = done_run(survey, owner)
    assert (CheckStatus(run).state, CheckStatus(run).label) == ("rows", "Numbers checked, the search not")
    Rule.objects.filter(run=run).delete()
    assert "Changed since it was checked: " in CheckStatus(run).sentence(None)


def test_a_page_reads_the_last_result_once(
    survey: Survey, owner: Person, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Of the checks the last one and the last finished one; and all rows, to compare their digests."""
    run = done_run(survey, owner)
    check_run(run)
    run.checks.update(always=True)
    shown = RunPage(run, owner)
    assert not shown.sees_numbers
    with django_assert_num_queries(4):
        assert SEARCH in shown.check_sentence
        assert not shown.is_disputed


def test_a_difference_is_said_with_its_first_row_and_told_the_operator(
    survey: Survey, owner: Person, reviewer: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """mlxtend does not find the first single item."""
    result = mlxtend_engine.find_itemsets_by_mlxtend

    def drop_one_itemset(*args: Any, **more: Any) -> dict[frozenset[int], float]:
        found = result(*args, **more)
        del found[min((itemset for itemset in found if len(itemset) == 1), key=min)]
        return found

    monkeypatch.setattr(mlxtend_engine, "find_itemsets_by_mlxtend", drop_one_itemset)
    run = done_run(survey, owner)
    with caplog.at_level(logging.ERROR):
        difference = check_run(run).difference
    assert difference
    assert f"mlxtend finds something else than run {run.pk}" in caplog.text
    shown = page(signed_in_as(reviewer), run)
    assert "mlxtend 0.25 finds something else than Candor, so one of them is wrong." in shown
    assert "The first row that differs: only Candor finds" in shown
    assert f"{difference.candor:.15g}." in shown
    assert "only Candor finds" not in page(signed_in_as(owner), run)
    assert ("Runs in which mlxtend finds something else", 1) in [fact() for fact in job_status.FACTS]


def test_the_owner_has_it_checked_whatever_it_costs(
    survey: Survey, owner: Person, reading: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_check_speed(monkeypatch, 0.0, 1.0)
    run = done_run(survey, owner)
    assert check_run(run).minutes
    assert "Check again" in page(reading, run)
    assert reading.post(f"/app/runs/{run.pk}/check").status_code == 302
    assert "Check again" not in page(reading, run)
    assert History.objects.filter(what="mining.checked", who=owner).count() == 1
    assert check_run(run).is_equal
    # What changes after it was checked can be checked again.
    assert "Check again" in page(reading, run)


def test_owner_alone_starts_a_check_and_one_runs_at_a_time(
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
