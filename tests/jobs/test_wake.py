"""What wakes workers: a message when a job is committed, and one at each tick for every free process."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from accounts.models import Person
from jobs import job_attempt, job_queue, job_state_changes
from jobs.models import Job, Mark, State, Trial, Worker
from jobs.progress_messages import ClaimLost
from tests.jobs.conftest import NOON, MakeTrial
from tests.wake_ups import messages

pytestmark = [pytest.mark.page, pytest.mark.django_db]
Capture = Callable[..., AbstractContextManager[list[Callable[[], object]]]]
HOUR = timedelta(hours=1)
ticks = override_settings(TICK_SECONDS=10)


def enqueue(operator: Person) -> Trial:
    trial = Trial(person=operator, steps=1, pause=0)
    job_queue.enqueue(trial)
    return trial


def workers(*slots: int) -> None:
    for number, n in enumerate(slots):
        Worker.objects.create(name=f"w{number}", heard=NOON, warm=True, slots=n)


def test_a_worker_is_woken_once_the_row_of_a_job_is_committed(
    operator: Person, broker: Path, django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        trial = enqueue(operator)
        assert messages(broker) == 0
    assert messages(broker) == 1
    trial.refresh_from_db()
    assert (trial.state, trial.kind, trial.queued) == (State.QUEUED, "jobs.trial", trial.created)


def test_a_message_says_nothing_of_the_job(
    operator: Person, broker: Path, django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        trial = enqueue(operator)
    [message] = broker.iterdir()
    for word in (trial.label, "operator"):
        assert word not in message.read_text()
    assert '"argsrepr": "()"' in message.read_text()


def test_a_queue_that_cannot_be_reached_fails_no_request(
    operator: Person,
    broker: Path,
    django_capture_on_commit_callbacks: Capture,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert job_queue.is_queue_reachable()
    broker.rmdir()
    broker.write_text("a file where the folder should be")
    with django_capture_on_commit_callbacks(execute=True), caplog.at_level(logging.WARNING):
        trial = enqueue(operator)
    assert "the queue cannot be reached" in caplog.text
    assert Trial.objects.get().pk == trial.pk
    assert not job_queue.is_queue_reachable()
    assert not job_queue.wake_processes(1)


def test_a_folder_that_was_deleted_is_made_again(broker: Path) -> None:
    job_queue.wake_processes(1)
    for message in broker.iterdir():
        message.unlink()
    broker.rmdir()
    assert job_queue.is_queue_reachable()
    job_queue.wake_processes(1)
    assert messages(broker) == 1


# --- at every tick ---


@ticks
def test_every_free_process_is_woken_while_anything_waits(make_trial: MakeTrial, broker: Path) -> None:
    workers(2, 3)
    for _ in range(6):
        make_trial()
    for token in "ab":
        job_state_changes.claim_next(token=token, worker="w1", now=NOON)
    job_queue.wake_free_processes(NOON)
    assert messages(broker) == 3


@ticks
def test_no_more_are_woken_than_jobs_wait(make_trial: MakeTrial, broker: Path) -> None:
    workers(2, 3)
    job_queue.wake_free_processes(NOON)
    assert messages(broker) == 0
    make_trial()
    job_queue.wake_free_processes(NOON)
    assert messages(broker) == 1


@ticks
def test_messages_do_not_pile_up_while_workers_are_busy(make_trial: MakeTrial, broker: Path) -> None:
    workers(1)
    make_trial()
    job_state_changes.claim_next(token="a", worker="w0", now=NOON)
    make_trial()
    for _ in range(4):
        job_queue.wake_free_processes(NOON)
    assert messages(broker) == 0


@ticks
def test_what_a_dead_worker_was_doing_keeps_no_living_one_asleep(make_trial: MakeTrial, broker: Path) -> None:
    workers(1)
    make_trial()
    job_state_changes.claim_next(token="a", worker="dead", now=NOON)
    make_trial()
    job_queue.wake_free_processes(NOON)
    assert messages(broker) == 1


@ticks
def test_nobody_is_woken_for_a_kind_of_job_that_this_version_does_not_have(
    make_trial: MakeTrial, broker: Path
) -> None:
    workers(1)
    make_trial()
    Job.objects.update(kind="jobs.of_tomorrow")
    job_queue.wake_free_processes(NOON)
    assert messages(broker) == 0
    assert job_state_changes.claim_next(token="a", worker="w0", now=NOON) is None


@ticks
def test_a_job_from_before_the_clock_was_set_back_waits_from_now_on(make_trial: MakeTrial) -> None:
    """Until the clock is where it was, nobody would see that it waits, and others would be taken first."""
    make_trial(created=NOON + HOUR, queued=NOON + HOUR)
    make_trial(created=NOON - HOUR, queued=NOON + HOUR)
    make_trial(created=NOON - HOUR, queued=NOON - HOUR)
    job_queue.wake_free_processes(NOON)
    assert list(Job.objects.order_by("pk").values_list("created", "queued")) == [
        (NOON, NOON),
        (NOON - HOUR, NOON),
        (NOON - HOUR, NOON - HOUR),
    ]


# --- a process that is woken ---


def test_one_message_is_enough_for_all_that_waits(make_trial: MakeTrial) -> None:
    for _ in range(3):
        make_trial(steps=1)
    job_queue.attempt_waiting_jobs()
    assert set(Trial.objects.values_list("state", "attempts")) == {(State.DONE, 1)}
    assert Mark.objects.count() == 3


def test_a_message_without_a_job_does_nothing() -> None:
    job_queue.attempt_waiting_jobs()
    assert Mark.objects.count() == 0


def test_a_process_whose_job_waits_again_leaves_it_for_the_next_tick(
    make_trial: MakeTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_trial(), make_trial()

    def perform(self: Trial, progress: object) -> None:
        job_state_changes.requeue_all_of_worker("")
        raise ClaimLost

    monkeypatch.setattr(Trial, "perform", perform)
    job_queue.attempt_waiting_jobs()
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, first.attempts, second.state) == (State.QUEUED, 0, State.QUEUED)


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_attempt, "_stopping", bytearray(1))


def test_a_worker_that_stops_takes_no_job(trial: Trial, stopping: None) -> None:
    job_attempt.stop_claiming()
    job_queue.attempt_waiting_jobs()
    trial.refresh_from_db()
    assert (trial.state, trial.attempts) == (State.QUEUED, 0)


def test_what_is_taken_while_a_worker_stops_is_requeued(
    trial: Trial, stopping: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim_next = job_state_changes.claim_next

    def late(**given: Any) -> Job | None:
        job = claim_next(**given)
        job_attempt.stop_claiming()
        return job

    monkeypatch.setattr(job_state_changes, "claim_next", late)
    job_queue.attempt_waiting_jobs()
    trial.refresh_from_db()
    assert (trial.state, trial.attempts, trial.marks.count()) == (State.QUEUED, 0, 0)
