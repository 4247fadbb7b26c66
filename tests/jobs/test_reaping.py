from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import pytest
from django.db import OperationalError, connection
from django.test import override_settings

from jobs import heartbeat, job_state_changes
from jobs.heartbeat import MissingHeartbeats
from jobs.models import State, Trial, Worker
from tests.jobs.conftest import NOON, MakeTrial

pytestmark = pytest.mark.page
Capture = Callable[..., AbstractContextManager[list[Callable[[], object]]]]
# A beat is due every 5 seconds; after four that did not come a job is taken for dead.
ALIVE, DEAD = NOON + timedelta(seconds=20), NOON + timedelta(seconds=21)
seconds = override_settings(HEARTBEAT_SECONDS=5, TICK_SECONDS=10)


class Onlooker:
    """Somebody who looks at the hearts, by a clock of the test's."""

    def __init__(self) -> None:
        self.now = 0.0
        self.missing = MissingHeartbeats(lambda: self.now)

    def read_heartbeats(self, *gaps: float) -> None:
        """At once, then after each of these many seconds."""
        self.missing.read_heartbeats()
        for gap in gaps:
            self.now += gap
            self.missing.read_heartbeats()


def reap(now: datetime) -> None:
    """As somebody does who has looked at the jobs as they are for twenty seconds."""
    onlooker = Onlooker()
    onlooker.read_heartbeats(10, 10)
    heartbeat.requeue_dead_jobs(now, onlooker.missing)


@seconds
def test_a_job_whose_heart_beats_is_left_alone(claimed: Trial) -> None:
    reap(ALIVE)
    claimed.refresh_from_db()
    assert claimed.state == State.RUNNING


@seconds
def test_a_job_whose_heart_stopped_waits_again(claimed: Trial) -> None:
    reap(DEAD)
    claimed.refresh_from_db()
    assert (claimed.state, claimed.attempts, claimed.claim) == (State.QUEUED, 1, "")


@seconds
def test_the_third_attempt_is_the_last(claimed: Trial) -> None:
    Trial.objects.update(attempts=2)
    reap(DEAD)
    claimed.refresh_from_db()
    assert claimed.state == State.QUEUED
    Trial.objects.update(attempts=3, state=State.RUNNING, claim="c")
    reap(DEAD)
    claimed.refresh_from_db()
    assert (claimed.state, claimed.finished) == (State.FAILED, DEAD)
    assert "stopped answering 3 times" in str(claimed.problem)
    assert "ask the operator" in str(claimed.problem)


@seconds
def test_a_dead_job_that_somebody_cancelled_is_cancelled(claimed: Trial) -> None:
    Trial.objects.update(cancel_asked=True, attempts=3)
    reap(DEAD)
    claimed.refresh_from_db()
    assert claimed.state == State.CANCELLED


@seconds
def test_what_is_over_is_not_reaped(make_trial: MakeTrial) -> None:
    done = make_trial(state=State.DONE, finished=NOON, heartbeat=NOON)
    reap(DEAD)
    done.refresh_from_db()
    assert done.state == State.DONE


def state_after(claimed: Trial, onlooker: Onlooker, now: datetime = DEAD) -> str:
    heartbeat.requeue_dead_jobs(now, onlooker.missing)
    claimed.refresh_from_db()
    return claimed.state


@seconds
@pytest.mark.parametrize("gaps", [[], [10], [5, 5], [19.9]], ids=repr)
def test_a_silence_that_nobody_has_listened_to_for_long_enough_is_none(
    claimed: Trial, gaps: list[float]
) -> None:
    """The clock may have been put forward, or the database may have been away."""
    onlooker = Onlooker()
    onlooker.read_heartbeats(*gaps)
    assert state_after(claimed, onlooker, NOON + timedelta(days=1)) == State.RUNNING


@seconds
def test_one_beat_ends_a_silence(claimed: Trial) -> None:
    onlooker = Onlooker()
    onlooker.read_heartbeats(10)
    job_state_changes.write_heartbeat(claimed, NOON + timedelta(milliseconds=1))
    onlooker.read_heartbeats(10)
    assert state_after(claimed, onlooker) == State.RUNNING
    onlooker.read_heartbeats(10, 10)
    assert state_after(claimed, onlooker) == State.QUEUED


@seconds
def test_whoever_was_stopped_begins_to_listen_anew(claimed: Trial) -> None:
    onlooker = Onlooker()
    onlooker.read_heartbeats(10, 21)
    assert state_after(claimed, onlooker) == State.RUNNING
    onlooker.read_heartbeats(10, 10)
    assert state_after(claimed, onlooker) == State.QUEUED


@seconds
def test_while_the_database_is_away_nobody_is_silent(claimed: Trial) -> None:
    def refuse(*args: object) -> None:
        raise OperationalError("server closed the connection")

    onlooker = Onlooker()
    onlooker.read_heartbeats(10)
    with connection.execute_wrapper(refuse), pytest.raises(OperationalError):
        onlooker.read_heartbeats()
    onlooker.now += 10
    onlooker.read_heartbeats()
    assert state_after(claimed, onlooker) == State.RUNNING
    onlooker.read_heartbeats(10, 10)
    assert state_after(claimed, onlooker) == State.QUEUED


@seconds
def test_a_dead_job_whose_heartbeat_is_ahead_of_the_clock_waits_again(claimed: Trial) -> None:
    Trial.objects.update(heartbeat=NOON + timedelta(hours=1))
    onlooker = Onlooker()
    onlooker.read_heartbeats(10, 10)
    assert state_after(claimed, onlooker, NOON + timedelta(seconds=30)) == State.QUEUED


@seconds
def test_a_heartbeat_that_is_good_until_the_next_tick_is_no_silence(claimed: Trial) -> None:
    Trial.objects.update(heartbeat=NOON + timedelta(seconds=30))
    onlooker = Onlooker()
    onlooker.read_heartbeats(10, 10)
    assert state_after(claimed, onlooker, NOON) == State.RUNNING


@seconds
def test_a_reaped_job_waits_from_then_on(claimed: Trial) -> None:
    reap(DEAD)
    claimed.refresh_from_db()
    assert (claimed.queued, claimed.fraction, claimed.words) == (DEAD, None, {})


def test_trials_are_forgotten_after_a_day_and_silent_workers_after_an_hour(make_trial: MakeTrial) -> None:
    kept = make_trial(state=State.DONE, finished=NOON - timedelta(hours=23))
    make_trial(state=State.DONE, finished=NOON - timedelta(hours=25))
    waiting = make_trial()
    Worker.objects.create(name="old", heard=NOON - timedelta(minutes=61))
    Worker.objects.create(name="ahead", heard=NOON + timedelta(minutes=61))
    Worker.objects.create(name="new", heard=NOON - timedelta(minutes=59))
    heartbeat.delete_old_worker_rows(NOON)
    assert set(Trial.objects.all()) == {kept, waiting}
    assert Worker.objects.get().name == "new"
