from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.test import override_settings

from jobs import queue, reaping, transitions
from jobs.models import State, Trial, Worker
from jobs.silence import SilentJobs
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
        self.silences = SilentJobs(lambda: self.now)

    def look(self, *gaps: float) -> None:
        """At once, then after each of these many seconds."""
        self.silences.look()
        for gap in gaps:
            self.now += gap
            self.silences.look()


def reap(now: datetime) -> None:
    """As somebody does who has looked at the jobs as they are for twenty seconds."""
    onlooker = Onlooker()
    onlooker.look(10, 10)
    reaping.reap(now, onlooker.silences)


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
    reaping.reap(now, onlooker.silences)
    claimed.refresh_from_db()
    return claimed.state


@seconds
@pytest.mark.parametrize("gaps", [[], [10], [5, 5], [19.9]], ids=repr)
def test_a_silence_that_nobody_has_listened_to_for_long_enough_is_none(
    claimed: Trial, gaps: list[float]
) -> None:
    """The clock may have been put forward, or the database may have been away."""
    onlooker = Onlooker()
    onlooker.look(*gaps)
    assert state_after(claimed, onlooker, NOON + timedelta(days=1)) == State.RUNNING


@seconds
def test_one_beat_ends_a_silence(claimed: Trial) -> None:
    onlooker = Onlooker()
    onlooker.look(10)
    transitions.beat(claimed, NOON + timedelta(milliseconds=1))
    onlooker.look(10)
    assert state_after(claimed, onlooker) == State.RUNNING
    onlooker.look(10, 10)
    assert state_after(claimed, onlooker) == State.QUEUED


@seconds
def test_whoever_was_stopped_begins_to_listen_anew(claimed: Trial) -> None:
    onlooker = Onlooker()
    onlooker.look(10, 21)
    assert state_after(claimed, onlooker) == State.RUNNING
    onlooker.look(10, 10)
    assert state_after(claimed, onlooker) == State.QUEUED


@seconds
def test_while_the_database_is_away_nobody_is_silent(claimed: Trial) -> None:
    def refuse(*args: object) -> None:
        raise OperationalError("server closed the connection")

    onlooker = Onlooker()
    onlooker.look(10)
    with connection.execute_wrapper(refuse), pytest.raises(OperationalError):
        onlooker.look()
    onlooker.now += 10
    onlooker.look()
    assert state_after(claimed, onlooker) == State.RUNNING
    onlooker.look(10, 10)
    assert state_after(claimed, onlooker) == State.QUEUED


@seconds
def test_a_dead_job_whose_heartbeat_is_ahead_of_the_clock_waits_again(claimed: Trial) -> None:
    Trial.objects.update(heartbeat=NOON + timedelta(hours=1))
    onlooker = Onlooker()
    onlooker.look(10, 10)
    assert state_after(claimed, onlooker, NOON + timedelta(seconds=30)) == State.QUEUED


@seconds
def test_a_heartbeat_that_is_good_until_the_next_tick_is_no_silence(claimed: Trial) -> None:
    Trial.objects.update(heartbeat=NOON + timedelta(seconds=30))
    onlooker = Onlooker()
    onlooker.look(10, 10)
    assert state_after(claimed, onlooker, NOON) == State.RUNNING


@seconds
def test_a_reaped_job_is_hinted_at_again_at_once(
    claimed: Trial, django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        reap(DEAD)
        reaping.send_again(DEAD)
    claimed.refresh_from_db()
    assert (queue.hints(), claimed.hinted) == (1, DEAD)


@seconds
def test_waiting_jobs_are_hinted_at_again_when_the_queue_is_empty(
    make_trial: MakeTrial, django_capture_on_commit_callbacks: Capture
) -> None:
    make_trial(hinted=NOON)
    make_trial(hinted=NOON)
    with django_capture_on_commit_callbacks(execute=True):
        reaping.send_again(NOON + timedelta(seconds=21))
    assert queue.hints() == 2


@seconds
def test_a_fresh_hint_is_given_time(
    make_trial: MakeTrial, django_capture_on_commit_callbacks: Capture
) -> None:
    make_trial(hinted=NOON)
    with django_capture_on_commit_callbacks(execute=True):
        reaping.send_again(NOON + timedelta(seconds=20))
    assert queue.hints() == 0


@seconds
def test_a_hint_from_before_the_clock_was_set_back_is_sent_again(
    make_trial: MakeTrial, django_capture_on_commit_callbacks: Capture
) -> None:
    queue.send("jobs.trial", "0")
    ahead = make_trial(hinted=NOON + timedelta(hours=1))
    with django_capture_on_commit_callbacks(execute=True):
        reaping.send_again(NOON)
    ahead.refresh_from_db()
    assert (queue.hints(), ahead.hinted) == (2, NOON)


@seconds
def test_a_job_from_before_the_clock_was_set_back_waits_from_now_on(
    make_trial: MakeTrial, django_capture_on_commit_callbacks: Capture
) -> None:
    """Until the clock is where it was, nobody would see that it waits."""
    hour = timedelta(hours=1)
    ahead, given_back = make_trial(hinted=NOON + hour), make_trial(hinted=NOON + hour)
    Trial.objects.filter(pk=ahead.pk).update(created=NOON + hour)
    Trial.objects.filter(pk=given_back.pk).update(created=NOON - hour, heartbeat=NOON + hour)
    with django_capture_on_commit_callbacks(execute=True):
        reaping.send_again(NOON)
    assert list(Trial.objects.order_by("pk").values_list("created", "heartbeat")) == [
        (NOON, None),
        (NOON - hour, NOON),
    ]


@seconds
def test_a_job_that_later_ones_have_passed_by_is_hinted_at_again_though_others_wait(
    make_trial: MakeTrial, django_capture_on_commit_callbacks: Capture
) -> None:
    """Its hint was lost with a worker that was killed, and the queue may never be empty."""
    minutes = [NOON + timedelta(minutes=minute) for minute in range(4)]
    passed = make_trial(hinted=minutes[0])
    make_trial(hinted=minutes[1], started=minutes[2], state=State.RUNNING, heartbeat=minutes[2], claim="c")
    waits = make_trial(hinted=minutes[2])
    queue.send(waits.label, str(waits.pk))
    with django_capture_on_commit_callbacks(execute=True):
        reaping.send_again(minutes[3])
    assert [job.hinted for job in Trial.objects.filter(state=State.QUEUED).order_by("pk")] == [
        minutes[3],
        minutes[2],
    ]
    assert (queue.hints(), passed.pk < waits.pk) == (2, True)


@seconds
def test_hints_do_not_pile_up_while_workers_are_busy(
    make_trial: MakeTrial, django_capture_on_commit_callbacks: Capture
) -> None:
    waiting = make_trial(hinted=NOON)
    queue.send(waiting.label, str(waiting.pk))
    for minute in range(1, 5):
        with django_capture_on_commit_callbacks(execute=True):
            reaping.send_again(NOON + timedelta(minutes=minute))
    assert queue.hints() == 1


@seconds
def test_nothing_is_sent_to_a_queue_that_cannot_be_reached(make_trial: MakeTrial, broker: Path) -> None:
    waiting = make_trial(hinted=NOON)
    broker.write_text("a file where the folder should be")
    reaping.send_again(DEAD)
    assert not queue.send_again(waiting, DEAD)
    waiting.refresh_from_db()
    assert waiting.hinted == NOON


def test_trials_are_forgotten_after_a_day_and_silent_workers_after_an_hour(make_trial: MakeTrial) -> None:
    kept = make_trial(state=State.DONE, finished=NOON - timedelta(hours=23))
    make_trial(state=State.DONE, finished=NOON - timedelta(hours=25))
    waiting = make_trial()
    Worker.objects.create(name="old", heard=NOON - timedelta(minutes=61))
    Worker.objects.create(name="ahead", heard=NOON + timedelta(minutes=61))
    Worker.objects.create(name="new", heard=NOON - timedelta(minutes=59))
    reaping.forget(NOON)
    assert set(Trial.objects.all()) == {kept, waiting}
    assert Worker.objects.get().name == "new"
