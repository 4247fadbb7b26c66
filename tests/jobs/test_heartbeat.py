"""What a running job tells, what it learns when it tells, and how a job without a heartbeat is taken for dead."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import cast

import numpy as np
import pytest
from django.db import OperationalError, connection, transaction
from django.test import override_settings
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from jobs import job_state_changes, running_job_heartbeats
from jobs.models import State, Trial, Worker
from jobs.progress_messages import Cancelled, ClaimLost, Message
from jobs.running_job_heartbeats import Heartbeat, MissingHeartbeats
from tests.jobs.conftest import NOON, MakeTrial, refresh

pytestmark = pytest.mark.page
# A beat is due every 5 seconds; after four that did not come a job is taken for dead.
ALIVE, DEAD = NOON + timedelta(seconds=20), NOON + timedelta(seconds=21)


def test_progress_needs_no_query_and_a_pulse_writes_the_latest(
    running_trial: Trial, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    progress = Heartbeat(running_trial)
    with django_assert_num_queries(0):
        for step in range(1000):
            progress(step / 1000, "Step %(step)s of %(steps)s", step=step, steps=1000)
    progress(0.5, "Step %(step)s of %(steps)s", step=5, steps=10)
    progress.write_progress_and_read_stop()
    told = refresh(running_trial)
    assert (told.fraction, str(told.progress_message)) == (0.5, "Step 5 of 10")
    assert told.heartbeat
    assert timezone.now() - told.heartbeat < timedelta(minutes=1)


def test_progress_fraction_is_bounded_and_accepts_arrays_and_none(running_trial: Trial) -> None:
    progress, seven = Heartbeat(running_trial), cast("int", np.int64(7))
    for fraction, told in ((1.0000001, 1), (-0.1, 0), (float("nan"), None), (np.float64(0.5), 0.5)):
        progress(fraction, "%(n)s of %(share)s", n=seven, share=float("inf"))
        progress.write_progress_and_read_stop()
        assert (refresh(running_trial).fraction, str(running_trial.progress_message)) == (told, "7 of inf")


def test_heartbeat_without_progress_is_as_rare_as_allowed(
    running_trial: Trial, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    progress = Heartbeat(running_trial)
    with override_settings(HEARTBEAT_SECONDS=60), django_assert_num_queries(0):
        progress.write_progress_and_read_stop()
    with override_settings(HEARTBEAT_SECONDS=0):
        progress.write_progress_and_read_stop()
    assert refresh(running_trial).heartbeat != NOON


def test_cancelled_or_reassigned_job_learns_it_at_its_next_progress(make_trial: MakeTrial) -> None:
    def give_away(trial: Trial, _now: datetime) -> None:
        Trial.objects.filter(pk=trial.pk).update(state=State.QUEUED, claim="")

    for happens, learned in ((job_state_changes.cancel, Cancelled), (give_away, ClaimLost)):
        trial = make_trial()
        claimed = job_state_changes.claim(trial.pk, token="a" * 32, worker="w1", now=NOON)
        assert claimed
        progress = Heartbeat(claimed)
        happens(trial, NOON)
        progress(0.5)
        progress.write_progress_and_read_stop()
        with pytest.raises(learned):
            progress(0.6)
        Trial.objects.all().delete()


def test_unwritable_progress_is_written_later(running_trial: Trial) -> None:
    progress = Heartbeat(running_trial)
    progress(0.5)

    def refuse(*args: object) -> None:
        raise ConnectionError

    def progress_during_query(execute: Callable[..., object], *query: object) -> object:
        progress(0.6)
        return execute(*query)

    with pytest.raises(ConnectionError), transaction.atomic(), connection.execute_wrapper(refuse):
        progress.write_progress_and_read_stop()
    with connection.execute_wrapper(progress_during_query):
        progress.write_progress_and_read_stop()
    assert refresh(running_trial).fraction == 0.5
    progress.write_progress_and_read_stop()
    assert refresh(running_trial).fraction == 0.6


def test_progress_words_are_translated_when_shown() -> None:
    message = Message("Yes").as_json()
    for language, words in {"zh-hans": "是", "en": "Yes"}.items():
        with translation.override(language):
            assert (str(Message(**message)), str(Message())) == (words, "")


# --- a job is taken for dead ---


class Onlooker:
    """Somebody who looks at the hearts, by a clock of the test's, at once and after each of these many seconds."""

    def __init__(self, *gaps: float) -> None:
        self.now = 0.0
        self.missing = MissingHeartbeats(lambda: self.now)
        self.read_heartbeats(*gaps)

    def read_heartbeats(self, *gaps: float) -> None:
        for gap in (0, *gaps):
            self.now += gap
            with self.missing.reading_heartbeats():
                pass

    def state(self, job: Trial, now: datetime = DEAD) -> str:
        """Of the job, after dead ones were reaped."""
        running_job_heartbeats.requeue_or_fail_dead_jobs(now, self.missing)
        return refresh(job).state


def state_seen_by_onlooker(job: Trial, now: datetime = DEAD) -> str:
    """By somebody who has looked at the jobs as they are for twenty seconds."""
    return Onlooker(10, 10).state(job, now)


def test_job_without_heartbeat_waits_again_and_no_other(running_trial: Trial) -> None:
    assert state_seen_by_onlooker(running_trial, ALIVE) == State.RUNNING
    assert state_seen_by_onlooker(running_trial) == State.QUEUED
    assert (running_trial.attempts, running_trial.claim, running_trial.queued) == (1, "", DEAD)
    assert (running_trial.fraction, running_trial.words) == (None, {})


def test_third_attempt_is_the_last(running_trial: Trial) -> None:
    Trial.objects.update(attempts=2)
    assert state_seen_by_onlooker(running_trial) == State.QUEUED
    Trial.objects.update(attempts=3, state=State.RUNNING, claim="c")
    assert (state_seen_by_onlooker(running_trial), running_trial.finished) == (State.FAILED, DEAD)
    assert "stopped answering 3 times" in str(running_trial.problem)
    assert "ask the operator" in str(running_trial.problem)


def test_dead_job_is_cancelled_if_that_was_requested(running_trial: Trial, make_trial: MakeTrial) -> None:
    done = make_trial(state=State.DONE, finished=NOON, heartbeat=NOON)
    Trial.objects.filter(pk=running_trial.pk).update(cancel_asked=True, attempts=3)
    assert state_seen_by_onlooker(running_trial) == State.CANCELLED
    assert refresh(done).state == State.DONE


def test_silence_not_observed_long_enough_is_ignored(running_trial: Trial) -> None:
    """The clock may have been put forward, or the database may have been away. Whoever was stopped listens anew."""
    for gaps in ([], [10], [5, 5], [19.9]):
        assert Onlooker(*gaps).state(running_trial, NOON + timedelta(days=1)) == State.RUNNING, gaps
    onlooker = Onlooker(10, 21)
    assert onlooker.state(running_trial) == State.RUNNING
    onlooker.read_heartbeats(10, 10)
    assert onlooker.state(running_trial) == State.QUEUED


def test_one_heartbeat_ends_a_silence(running_trial: Trial) -> None:
    onlooker = Onlooker(10)
    job_state_changes.write_heartbeat(running_trial, NOON + timedelta(milliseconds=1))
    onlooker.read_heartbeats(10)
    assert onlooker.state(running_trial) == State.RUNNING
    onlooker.read_heartbeats(10, 10)
    assert onlooker.state(running_trial) == State.QUEUED


def cannot_read(onlooker: Onlooker) -> None:
    def refuse(*args: object) -> None:
        raise OperationalError("server closed the connection")

    with connection.execute_wrapper(refuse):
        onlooker.read_heartbeats()


def cannot_write(onlooker: Onlooker) -> None:
    with onlooker.missing.reading_heartbeats():
        raise OperationalError("the disk is full")


@pytest.mark.parametrize("looks", [cannot_read, cannot_write])
def test_no_job_counts_as_silent_while_the_database_is_away_or_read_only(
    running_trial: Trial, looks: Callable[[Onlooker], None]
) -> None:
    onlooker = Onlooker(10)
    with pytest.raises(OperationalError):
        looks(onlooker)
    onlooker.now += 10
    onlooker.read_heartbeats()
    assert onlooker.state(running_trial) == State.RUNNING
    onlooker.read_heartbeats(10, 10)
    assert onlooker.state(running_trial) == State.QUEUED


def test_heartbeat_ahead_of_the_clock_is_valid_until_the_next_tick(running_trial: Trial) -> None:
    Trial.objects.update(heartbeat=NOON + timedelta(seconds=30))
    assert state_seen_by_onlooker(running_trial, NOON) == State.RUNNING
    Trial.objects.update(heartbeat=NOON + timedelta(hours=1))
    assert state_seen_by_onlooker(running_trial, NOON + timedelta(seconds=30)) == State.QUEUED


def test_trials_are_deleted_after_a_day_and_silent_workers_after_an_hour(make_trial: MakeTrial) -> None:
    kept = make_trial(state=State.DONE, finished=NOON - timedelta(hours=23))
    make_trial(state=State.DONE, finished=NOON - timedelta(hours=25))
    waiting = make_trial()
    for name, minutes in {"old": -61, "ahead": 61, "new": -59}.items():
        Worker.objects.create(name=name, heard=NOON + timedelta(minutes=minutes))
    running_job_heartbeats.delete_old_workers_and_trials(NOON)
    assert set(Trial.objects.all()) == {kept, waiting}
    assert Worker.objects.get().name == "new"
