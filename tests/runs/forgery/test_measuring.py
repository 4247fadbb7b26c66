"""Each batch is measured once, before it is merged, with one level for all batches of a survey."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Person
from intake.batches import due, merging
from intake.models import Batch, Sweep
from jobs import tick
from jobs.models import State
from mining.error import identical as error
from runs.forgery import measuring
from runs.forgery.measuring import LEVEL, meter, start_due
from runs.forgery.models import ForgeryCheck, Measured
from surveys.lifecycle import states as lifecycle
from surveys.models import Survey
from tests.runs.forgery import flooded
from tests.runs.forgery.flooded import measure_due
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
Rows = list[tuple[int, int, bool]]


def rows(survey: Survey) -> Rows:
    found = Measured.objects.filter(survey=survey).order_by("pooled", "last")
    return list(found.values_list("first", "last", "pooled"))


def excess(survey: Survey) -> dict[int, int]:
    return dict(Measured.objects.filter(survey=survey, pooled=False).values_list("last", "excess"))


def test_the_tick_starts_checks_of_what_is_sealed() -> None:
    assert tick.registered()["forgery"].function is start_due


def test_the_tick_itself_measures_nothing_and_starts_one_job_a_survey(owner: Person) -> None:
    survey = flooded.survey(owner, honest=2)
    for _tick in range(3):
        start_due(NOW)
    (check,) = ForgeryCheck.objects.all()
    assert (check.survey, check.state) == (survey, State.QUEUED)
    assert not Measured.objects.exists()


def test_of_the_checks_of_a_survey_the_last_one_is_kept(owner: Person) -> None:
    survey = flooded.survey(owner, honest=1)
    measure_due(NOW)
    flooded.flood(survey)
    measure_due(NOW)
    (check,) = ForgeryCheck.objects.all()
    assert (check.survey, check.state) == (survey, State.DONE)


def test_a_check_that_failed_is_tried_again_after_an_hour_whatever_the_clock_said(owner: Person) -> None:
    survey = flooded.survey(owner, honest=1)
    Batch.objects.filter(survey=survey).update(columns=b"unreadable")
    measure_due(NOW)
    (check,) = ForgeryCheck.objects.all()
    assert check.state == State.FAILED
    assert check.finished
    start_due(check.finished + timedelta(minutes=59))
    assert ForgeryCheck.objects.get() == check
    start_due(check.finished - timedelta(days=1))  # the clock was set back
    assert ForgeryCheck.objects.get().state == State.QUEUED
    measure_due(NOW)
    failed = ForgeryCheck.objects.get().finished
    assert failed
    start_due(failed + timedelta(minutes=61))
    assert ForgeryCheck.objects.get().state == State.QUEUED


def test_operators_see_checks_that_failed_and_nobody_else_sees_any(owner: Person, superuser: Person) -> None:
    survey = flooded.survey(owner, honest=1)
    start_due(NOW)
    check = ForgeryCheck.objects.get()
    assert check.title() == f"Check of survey {survey.pk} for forged records"
    superuser.is_staff = True
    assert list(ForgeryCheck.objects.visible_to(superuser)) == [check]
    assert not ForgeryCheck.objects.visible_to(owner).exists()
    assert (check.may(superuser, "see"), check.may(owner, "see")) == (True, False)
    measure_due(NOW)
    assert not ForgeryCheck.objects.visible_to(superuser).exists()


def test_each_batch_is_measured_once(owner: Person) -> None:
    survey = flooded.survey(owner, honest=2)
    measure_due(NOW)
    assert rows(survey) == [(1, 1, False), (2, 2, False), (1, 2, True)]
    before = list(Measured.objects.values_list("pk"))
    measure_due(NOW)
    assert list(Measured.objects.values_list("pk")) == before
    flooded.flood(survey)
    measure_due(NOW)
    assert rows(survey) == [(1, 1, False), (2, 2, False), (3, 3, False), (1, 2, True)]


def test_a_flood_shows_where_it_was_and_how_large_it_was_at_least(owner: Person) -> None:
    survey = flooded.survey(owner, honest=3, flooded=2)
    measure_due(NOW)
    found = excess(survey)
    assert [found[batch] for batch in (1, 2, 3)] == [0, 0, 0]
    assert 40 < found[4] <= 100
    known = meter(survey.pk, 5)
    assert known
    assert (known.through, [row.last for row in known.batches]) == (5, [4, 5])
    assert found[4] + found[5] <= known.excess <= 200
    assert measuring.surveys_with_excess([survey.pk]) == {survey.pk}


def test_of_a_run_only_its_own_batches_count(owner: Person) -> None:
    survey = flooded.survey(owner, honest=1, flooded=1)
    assert meter(survey.pk, 2) is None
    measure_due(NOW)
    first, both = meter(survey.pk, 1), meter(survey.pk, 2)
    assert first
    assert both
    assert (first.through, first.excess, first.batches) == (1, 0, ())
    assert both.excess > 0


def test_nobody_looks_forged_where_nobody_forged(owner: Person) -> None:
    survey = flooded.survey(owner, honest=20)
    measure_due(NOW)
    assert not any(Measured.objects.values_list("excess", flat=True))
    assert measuring.surveys_with_excess([survey.pk]) == set()


# --- one level for all ----------------------------------------------------------------------------------


def test_the_level_is_shared_by_all_batches_and_all_pools() -> None:
    singles = sum(measuring.share_of_batches(t, t) for t in range(1, 5_000))
    assert singles == pytest.approx(measuring.share_of_batches(1, 4_999))
    assert singles < 1
    pools = [measuring.share_of_pool(2**j) for j in range(1, 40)]
    assert pools[:2] == [1 / 2, 1 / 6]
    assert sum(pools) < 1
    # However many batches come at once, a pool never gets more than is left for it.
    assert all(
        measuring.share_of_pool(t) == measuring.share_of_pool(2 ** (t.bit_length() - 1)) for t in range(2, 99)
    )


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """At which levels records were tested."""
    asked: list[float] = []

    def listen(design: Any, group: Any, codes: Any, level: float) -> error.Identical:
        asked.append(level)
        return error.identical(design, group, codes, level)

    monkeypatch.setattr(measuring, "identical", listen)
    return asked


def test_what_a_survey_spends_in_its_life_is_no_more_than_the_level(
    owner: Person, levels: list[float]
) -> None:
    survey = flooded.survey(owner)
    for _ in range(40):
        flooded.flood(survey, n=20, copies=0)
        measure_due(NOW)
        merging.merge(survey.pk)
    assert len(levels) == 40 + 5  # and the pools at 2, 4, 8, 16, 32
    assert sum(levels) <= LEVEL
    assert Measured.objects.filter(pooled=True).count() == 5


def test_what_was_merged_before_it_was_measured_gets_the_levels_of_its_batches(
    owner: Person, levels: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = flooded.survey(owner, honest=8)
    monkeypatch.setattr(merging, "pinned", lambda survey: set())
    assert merging.merge(survey.pk) == 7
    measure_due(NOW)
    assert rows(survey) == [(1, 8, False), (1, 8, True)]
    assert levels == pytest.approx([LEVEL / 2 * (1 - 1 / 9), LEVEL / 2 / 12])


@pytest.mark.parametrize("copies", [0, 100])
def test_of_what_was_merged_with_measured_ones_only_the_rest_counts(
    owner: Person, levels: list[float], monkeypatch: pytest.MonkeyPatch, copies: int
) -> None:
    survey = flooded.survey(owner, honest=6, flooded=1)
    measure_due(NOW)
    before = meter(survey.pk, 7)
    levels.clear()
    flooded.flood(survey, copies=copies)
    monkeypatch.setattr(merging, "pinned", lambda survey: set())
    assert merging.merge(survey.pk) == 7
    measure_due(NOW)
    assert rows(survey)[6:] == [(7, 7, False), (8, 8, False), (1, 7, True), (1, 8, True)]
    assert levels[0] == pytest.approx(LEVEL / 2 * (1 / 8 - 1 / 9))
    after = meter(survey.pk, 8)
    assert before
    assert after
    assert after.disguised == before.disguised + 100
    assert before.excess <= after.excess <= before.excess + copies


# --- merging ----------------------------------------------------------------------------------------------


def test_no_batch_is_merged_before_it_is_measured(owner: Person) -> None:
    survey = flooded.survey(owner, honest=4, flooded=4)
    due.tick(NOW)
    assert Batch.objects.filter(survey=survey).count() == 8
    measure_due(NOW)
    due.tick(NOW)
    assert Batch.objects.filter(survey=survey).count() == 1
    assert [last for last, found in excess(survey).items() if found] == [5, 6, 7, 8]
    assert len(excess(survey)) == 8


def test_what_is_sealed_later_is_not_merged_with_what_is_measured(owner: Person) -> None:
    survey = flooded.survey(owner, honest=8)
    measure_due(NOW)
    for _batch in range(8):
        flooded.flood(survey)
    due.tick(NOW)
    found = Batch.objects.filter(survey=survey).order_by("first").values_list("first", "last")
    assert list(found) == [(1, 8), *((t, t) for t in range(9, 17))]


def test_few_forged_in_each_batch_are_seen_in_all_together(owner: Person) -> None:
    """Of a hundred .95 + .05/2 may be the same: all of them are nothing strange, all of eight hundred are."""
    survey = flooded.survey(owner, flooded=8, design=flooded.weak())
    measure_due(NOW)
    assert not any(excess(survey).values())
    (pooled,) = Measured.objects.filter(pooled=True)
    assert pooled.excess > 0
    known = meter(survey.pk, 8)
    assert known
    assert (known.excess, known.batches) == (pooled.excess, ())


def test_so_many_records_are_not_pooled(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "MOST_POOLED", 150)
    survey = flooded.survey(owner, honest=2)
    measure_due(NOW)
    assert rows(survey) == [(1, 1, False), (2, 2, False)]


# --- what goes wrong, and the end --------------------------------------------------------------------------


def test_a_survey_whose_columns_are_damaged_does_not_keep_others_from_it(
    owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    damaged = flooded.survey(owner, honest=1)
    other = flooded.survey(owner, flooded=1)
    Batch.objects.filter(survey=damaged).update(columns=b"unreadable")
    measure_due(NOW)
    assert rows(damaged) == []
    assert rows(other) == [(1, 1, False)]
    (failed,) = ForgeryCheck.objects.filter(survey=damaged)
    assert failed.state == State.FAILED
    assert f"forgery.forgerycheck {failed.pk} failed" in caplog.text


def test_it_ends_with_the_answers(owner: Person) -> None:
    survey = flooded.survey(owner, flooded=2)
    measure_due(NOW)
    Sweep.objects.all().delete()
    lifecycle.destroy(survey, owner, NOW)
    assert not Measured.objects.exists()
    assert Sweep.objects.filter(table="forgery_measured").exists()


def test_what_was_measured_while_the_survey_was_destroyed_is_not_stored(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = flooded.survey(owner, flooded=1)
    real: Callable[..., error.Identical] = error.identical

    def meanwhile(*words: Any) -> error.Identical:
        found = real(*words)
        lifecycle.destroy(survey, owner, NOW)
        return found

    monkeypatch.setattr(measuring, "identical", meanwhile)
    measure_due(NOW)
    assert not Measured.objects.exists()
