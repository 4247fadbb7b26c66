from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

from django.test import override_settings

from jobs import queue, reaping
from jobs.models import State, Trial, Worker
from tests.jobs.conftest import NOON, MakeTrial

Capture = Callable[..., AbstractContextManager[list[Callable[[], object]]]]
# A beat is due every 5 seconds; after four that did not come a job is taken for dead.
ALIVE, DEAD = NOON + timedelta(seconds=20), NOON + timedelta(seconds=21)
seconds = override_settings(HEARTBEAT_SECONDS=5, TICK_SECONDS=10)


@seconds
def test_a_job_whose_heart_beats_is_left_alone(claimed: Trial) -> None:
    reaping.reap(ALIVE)
    claimed.refresh_from_db()
    assert claimed.state == State.RUNNING


@seconds
def test_a_job_whose_heart_stopped_waits_again(claimed: Trial) -> None:
    reaping.reap(DEAD)
    claimed.refresh_from_db()
    assert (claimed.state, claimed.attempts, claimed.claim) == (State.QUEUED, 1, "")


@seconds
def test_the_third_attempt_is_the_last(claimed: Trial) -> None:
    Trial.objects.update(attempts=2)
    reaping.reap(DEAD)
    claimed.refresh_from_db()
    assert claimed.state == State.QUEUED
    Trial.objects.update(attempts=3, state=State.RUNNING, claim="c")
    reaping.reap(DEAD)
    claimed.refresh_from_db()
    assert (claimed.state, claimed.finished) == (State.FAILED, DEAD)
    assert "stopped answering 3 times" in str(claimed.problem)
    assert "ask the operator" in str(claimed.problem)


@seconds
def test_a_dead_job_that_somebody_cancelled_is_cancelled(claimed: Trial) -> None:
    Trial.objects.update(cancel_asked=True, attempts=3)
    reaping.reap(DEAD)
    claimed.refresh_from_db()
    assert claimed.state == State.CANCELLED


@seconds
def test_what_is_over_is_not_reaped(make_trial: MakeTrial) -> None:
    done = make_trial(state=State.DONE, finished=NOON, heartbeat=NOON)
    reaping.reap(DEAD)
    done.refresh_from_db()
    assert done.state == State.DONE


@seconds
def test_a_reaped_job_is_hinted_at_again_at_once(
    claimed: Trial, django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        reaping.reap(DEAD)
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
    Worker.objects.create(name="new", heard=NOON - timedelta(minutes=59))
    reaping.forget(NOON)
    assert set(Trial.objects.all()) == {kept, waiting}
    assert Worker.objects.get().name == "new"
