"""A run in shards, one worker: the same digits, nothing lost and nothing counted twice, whoever dies or comes late."""

import gc
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.db.models import F
from django.test import override_settings
from pytest_django.fixtures import Settings

from accounts.models import RESEARCHERS, Person
from intake.batches import batches, merging
from intake.models import Batch
from jobs import database, heartbeat, transitions
from jobs.models import State
from mining.parameters import Parameters
from privacy.records.columns import Columns
from runs import histogram_cache, starting
from runs.models import Histogram, Run, Shard
from runs.shards import predicted_queries, sharding
from runs.shards.shard_ranges import ShardRange
from surveys.models import Survey
from tests.cast import with_role
from tests.runs import sealed, working
from tests.runs.conftest import Ran
from tests.runs.forgery.flooded import measure_due
from tests.shared_rows import shared_rows
from tests.surveys.conftest import NOW

__all__ = ["shared_rows"]
pytestmark = pytest.mark.page
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
WANTED = Parameters(min_support=0.2, min_confidence=0.4, max_size=2)
MANY = [60, 40, 300, 50]


@pytest.fixture
def many(owner: Person) -> Survey:
    """Too many questions for a histogram; the first shard holds two batches, the largest batch fills two shards."""
    return sealed.survey(owner, sealed.large(), MANY)


@pytest.fixture
def split(settings: Settings) -> None:
    settings.SHARD_RECORDS = 192


@pytest.fixture
def asked(many: Survey, owner: Person, split: None) -> Run:
    """A run that has parted its records and waits for its shards."""
    run = starting.start(many, owner, WANTED, NOW)
    working.one(run)
    run.refresh_from_db()
    return run


def whole(survey: Survey, person: Person, settings: Settings) -> Run:
    """The same run in one piece."""
    settings.SHARD_RECORDS = 10**6
    return working.work(starting.start(survey, person, WANTED, NOW))


@pytest.fixture(scope="module")
def digest(shared_rows: None) -> str:
    """That of a run in one piece over the records of `many`: in every test they are the same."""
    person = with_role(RESEARCHERS, "digest")
    survey = sealed.survey(person, sealed.large(), MANY)
    with override_settings(SHARD_RECORDS=10**6):
        return working.work(starting.start(survey, person, WANTED, NOW)).digest


def numbers(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows without their own ids and their run's."""
    return [row[4:] for row in rows]


def test_a_sharded_run_gives_the_digits_of_a_whole_one(
    many: Survey, owner: Person, settings: Settings
) -> None:
    """In one level: of so few records all are in the sample."""
    one = whole(many, owner, settings)
    settings.SHARD_RECORDS = 192
    other = working.work(starting.start(many, owner, WANTED, NOW))
    assert (other.state, other.level) == (State.DONE, 1)
    assert one.digest == other.digest
    left, right = (
        numbers(run.rules.values_list()) + numbers(run.itemsets.values_list()) for run in (one, other)
    )
    assert len(left) > 20
    assert left == right


def test_what_a_sample_foresees_is_counted_in_one_level(many: Survey, owner: Person, split: None) -> None:
    """Candidates of all sizes, rules and what reports need."""
    run = working.work(starting.start(many, owner, replace(WANTED, max_size=3), NOW))
    assert (run.state, run.level) == (State.DONE, 1)
    assert max(run.itemsets.values_list("size", flat=True)) == 3


@pytest.mark.release
def test_what_a_poor_sample_does_not_foresee_is_asked_for_later_and_progress_never_falls(
    many: Survey, owner: Person, split: None, digest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicted_queries, "RECORDS", 40)  # too few to estimate anything
    run = starting.start(many, owner, WANTED, NOW)
    working.one(run)
    told: list[float] = []
    while waiting := Shard.objects.filter(state=State.QUEUED).first():
        working.one(waiting)
        run.refresh_from_db()
        told.append(run.fraction or 0.0)
        if run.state == State.QUEUED:
            working.one(run)
    run.refresh_from_db()
    assert run.level > 1
    assert told == sorted(told)
    assert told[-1] < 1
    assert (run.state, run.digest) == (State.DONE, digest)


def test_batches_that_were_merged_before_they_were_sampled_leave_nothing_foreseen(
    asked: Run, split: None
) -> None:
    """Then the first question asks how many records there are, and the next ones for the rest."""
    between = [ShardRange(1, 1, 0, 60), ShardRange(2, 2, 0, 40)]
    Batch.objects.filter(first=1).update(last=2)
    Batch.objects.filter(first=2).delete()
    assert len(predicted_queries.predicted(asked, between)) == 0


def test_nothing_of_a_survey_stays_in_a_worker_when_its_shard_is_counted(asked: Run) -> None:
    before = opened()
    for shard in asked.shards.all():
        working.one(shard)
    # What earlier tests left may go meanwhile.
    assert opened() <= before


def opened() -> int:
    """How many columns of batches this process holds. Only types are asked, so that no lazy object wakes."""
    gc.collect()
    return sum(type(held) is Columns for held in gc.get_objects())


def test_where_a_histogram_will_do_the_shards_make_it(
    survey: Survey, owner: Person, settings: Settings
) -> None:
    settings.SHARD_RECORDS = 192
    run = working.work(starting.start(survey, owner, WANTED, NOW))
    assert (run.state, run.level) == (State.DONE, 1)
    kept = histogram_cache.read(survey.pk, 2, run.population, sealed.small())
    assert kept
    assert kept.counts.sum() == 600
    Histogram.objects.all().delete()
    assert whole(survey, owner, settings).digest == run.digest


def test_the_literal_engine_is_never_split(survey: Survey, ran: Ran, split: None) -> None:
    run = ran(engine="mlxtend")
    assert (run.state, run.level) == (State.DONE, 0)


def test_every_record_is_in_one_shard(many: Survey, asked: Run) -> None:
    shards = list(asked.shards.order_by("first", "start"))
    assert [(s.first, s.last, s.start, s.stop) for s in shards] == [
        (1, 2, 0, 100),
        (3, 3, 0, 192),
        (3, 3, 192, 300),
        (4, 4, 0, 50),
    ]
    parts = [part for shard in shards for part in sharding.read(shard)]
    everybody = [batch.columns for batch in batches.read(many, 4)]
    for question in range(3):
        assert having(parts, question) == having(everybody, question) > 0


def having(parts: list[Columns], question: int) -> int:
    return sum(int(np.bitwise_count(part.choice(question, 1)).sum()) for part in parts)


def test_a_run_in_shards_runs_and_nobody_holds_it(asked: Run) -> None:
    assert (asked.state, asked.worker, asked.attempts, asked.missing) == (State.RUNNING, "", 0, 4)
    assert str(asked.saying) == "Count 1: 0 of 4 parts are counted"


def test_the_last_shard_of_a_level_lets_the_run_go_on_and_no_other_does(asked: Run) -> None:
    first, *others = asked.shards.all()
    for shard in others:
        working.one(shard)
    asked.refresh_from_db()
    assert (asked.state, asked.missing) == (State.RUNNING, 1)
    working.one(first)
    asked.refresh_from_db()
    assert (asked.state, asked.missing) == (State.QUEUED, 0)


def test_a_shard_that_is_attempted_twice_counts_once(asked: Run) -> None:
    shard = asked.shards.all()[0]
    working.one(shard)
    working.one(shard)
    asked.refresh_from_db()
    assert asked.missing == 3


def test_a_shard_and_a_plan_whose_workers_died_are_taken_by_others(asked: Run, digest: str) -> None:
    shard = asked.shards.all()[0]
    transitions.claim(shard.pk, token="a" * 32, worker="dead", now=LONG_AGO)
    working.all_that_waits()
    asked.refresh_from_db()
    assert asked.missing == 1
    heartbeat.requeue_unheard({shard.pk}, database.now())
    working.one(shard)
    asked.refresh_from_db()
    assert (asked.state, asked.missing) == (State.QUEUED, 0)
    # Somebody takes the run to plan its next level, and dies.
    transitions.claim(asked.pk, token="b" * 32, worker="dead", now=LONG_AGO)
    asked.refresh_from_db()
    assert asked.worker == "dead"
    heartbeat.requeue_unheard({asked.pk}, database.now())
    working.all_that_waits()
    asked.refresh_from_db()
    assert (asked.state, asked.digest) == (State.DONE, digest)


def test_a_run_that_is_claimed_too_early_is_handed_on_again(asked: Run) -> None:
    working.one(asked.shards.all()[0])
    Run.objects.filter(pk=asked.pk).update(heartbeat=LONG_AGO)
    heartbeat.requeue_unheard({asked.pk}, database.now())
    working.one(asked)
    asked.refresh_from_db()
    assert (asked.state, asked.worker, asked.missing, asked.attempts) == (State.RUNNING, "", 3, 0)
    working.all_that_waits()
    asked.refresh_from_db()
    assert asked.state == State.DONE


def test_a_cancelled_run_has_no_further_shard_counted(asked: Run) -> None:
    working.one(asked.shards.all()[0])
    transitions.cancel(asked, NOW)
    working.all_that_waits()
    asked.refresh_from_db()
    assert (asked.state, asked.missing) == (State.CANCELLED, 3)
    assert asked.shards.filter(state=State.CANCELLED).count() == 3
    sharding.check_sharded_runs(NOW)
    assert not asked.shards.exists()


def test_a_cancelled_run_ends_at_the_next_tick_though_no_shard_is_claimed(asked: Run) -> None:
    transitions.cancel(asked, NOW)
    sharding.check_sharded_runs(NOW)
    asked.refresh_from_db()
    assert asked.state == State.CANCELLED
    assert not asked.shards.exists()


def test_a_run_fails_with_its_shard_and_says_why(asked: Run) -> None:
    shard = asked.shards.all()[0]
    Batch.objects.filter(first=shard.first).update(columns=b"damaged")
    working.one(shard)
    sharding.check_sharded_runs(NOW)
    asked.refresh_from_db()
    assert asked.state == State.FAILED
    assert "reference" in str(asked.problem)


def test_the_tick_keeps_a_run_alive_that_nobody_holds(asked: Run) -> None:
    now = database.now() + timedelta(minutes=1)
    sharding.check_sharded_runs(now)
    heartbeat.requeue_unheard({asked.pk}, now)
    asked.refresh_from_db()
    assert asked.state == State.RUNNING


@pytest.mark.release
def test_batches_are_not_merged_across_a_shard_while_the_run_is_counted(
    asked: Run, many: Survey, owner: Person, settings: Settings
) -> None:
    for n in [50] * 8:
        sealed.seal(many, n)
    measure_due(NOW)
    # But for the run all twelve would become one.
    assert merging.merge(many.pk) == 7
    merged = Batch.objects.filter(survey=many).order_by("first").values_list("first", "last")
    assert list(merged) == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 12)]
    working.all_that_waits()
    asked.refresh_from_db()
    assert asked.state == State.DONE
    settings.SHARD_RECORDS = 10**6
    again = working.work(starting.repeat(asked, owner, NOW))
    assert again.digest == asked.digest


def test_counts_of_another_question_are_not_taken(asked: Run) -> None:
    for shard in asked.shards.all():
        working.one(shard)
    Shard.objects.update(question=F("run"))
    working.one(asked)
    asked.refresh_from_db()
    assert asked.state == State.FAILED
    assert str(asked.problem) == "Candor was changed while this run was counted. Start it again."


def test_another_program_does_not_go_on_with_a_run(asked: Run) -> None:
    Run.objects.update(version="mining 1, numpy 1.0.0, scipy 1.0.0")
    for shard in asked.shards.all():
        working.one(shard)
    working.one(asked)
    asked.refresh_from_db()
    assert asked.state == State.FAILED
    assert str(asked.problem) == "Candor was changed while this run was counted. Start it again."
