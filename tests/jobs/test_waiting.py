"""Jobs that wait: who is woken for them, how long they waited though a worker was free, and what a deaf worker does."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Person
from jobs import health, job_attempt, job_queue, job_state_changes
from jobs.models import Job, Mark, State, Trial, Worker
from jobs.progress_messages import ClaimLost
from jobs.worker import IdleWatch, requeue_jobs_and_deregister_worker, write_worker_heartbeat
from tests.jobs.conftest import NOON, MakeTrial, messages, refresh

pytestmark = [pytest.mark.page, pytest.mark.django_db]
Capture = Callable[..., AbstractContextManager[list[Callable[[], object]]]]
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


def enqueue(operator: Person) -> Trial:
    trial = Trial(person=operator, steps=1, pause=0)
    job_queue.enqueue(trial)
    return trial


def claim_next(worker: str, token: str = "a") -> Job | None:
    return job_state_changes.claim_next(token=token, worker=worker, now=NOON)


def workers(*slots: int) -> None:
    for number, n in enumerate(slots):
        Worker.objects.create(name=f"w{number}", heard=NOON, warm=True, slots=n)


def messages_after_waking(broker: Path) -> int:
    """How many more messages a tick at noon leaves."""
    before = messages(broker)
    job_queue.wake_free_processes(NOON)
    return messages(broker) - before


def put_a_file_in_place_of(broker: Path) -> None:
    broker.rmdir()
    broker.write_text("a file where the folder should be")


def test_worker_is_woken_after_commit_by_an_empty_message(
    operator: Person, broker: Path, django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        trial = enqueue(operator)
        assert messages(broker) == 0
    assert messages(broker) == 1
    assert (refresh(trial).state, trial.kind, trial.queued) == (State.QUEUED, "jobs.trial", trial.created)
    [message] = broker.iterdir()
    for word in (trial.label, "operator"):
        assert word not in message.read_text()
    assert '"argsrepr": "()"' in message.read_text()


def test_unreachable_queue_fails_no_request(
    operator: Person,
    broker: Path,
    django_capture_on_commit_callbacks: Capture,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert job_queue.is_queue_reachable()
    assert health.check_queue().ok
    put_a_file_in_place_of(broker)
    with django_capture_on_commit_callbacks(execute=True), caplog.at_level(logging.WARNING):
        trial = enqueue(operator)
    assert "the queue cannot be reached" in caplog.text
    assert Trial.objects.get().pk == trial.pk
    assert not job_queue.is_queue_reachable()
    assert not health.check_queue().ok
    assert not job_queue.wake_processes(1)


def test_deleted_queue_folder_is_made_again(broker: Path) -> None:
    job_queue.wake_processes(1)
    for message in broker.iterdir():
        message.unlink()
    broker.rmdir()
    assert job_queue.is_queue_reachable()
    job_queue.wake_processes(1)
    assert messages(broker) == 1


# --- at every tick ---


def test_as_many_processes_are_woken_as_are_free_and_needed(make_trial: MakeTrial, broker: Path) -> None:
    workers(2, 3)
    assert messages_after_waking(broker) == 0
    make_trial()
    assert messages_after_waking(broker) == 1
    for _ in range(5):
        make_trial()
    for token in "ab":
        claim_next("w1", token)
    assert messages_after_waking(broker) == 3


def test_messages_do_not_pile_up_while_workers_are_busy(make_trial: MakeTrial, broker: Path) -> None:
    workers(1)
    for _ in range(2):
        make_trial()
    claim_next("w0")
    assert [messages_after_waking(broker) for _ in range(4)] == [0] * 4
    Job.objects.filter(state=State.RUNNING).update(worker="dead")
    assert messages_after_waking(broker) == 1


def test_jobs_of_another_version_wake_nobody(make_trial: MakeTrial, broker: Path) -> None:
    workers(1)
    make_trial()
    Job.objects.update(kind="jobs.of_tomorrow")
    assert messages_after_waking(broker) == 0
    assert claim_next("w0") is None


def test_job_from_before_the_clock_was_set_back_waits_from_now_on(make_trial: MakeTrial) -> None:
    """Until the clock is where it was, nobody would see that it waits, and others would be taken first."""
    for created, queued in ((HOUR, HOUR), (-HOUR, HOUR), (-HOUR, -HOUR)):
        make_trial(created=NOON + created, queued=NOON + queued)
    job_queue.wake_free_processes(NOON)
    assert list(Job.objects.order_by("pk").values_list("created", "queued")) == [
        (NOON, NOON),
        (NOON - HOUR, NOON),
        (NOON - HOUR, NOON - HOUR),
    ]


# --- a process that is woken ---


def test_one_message_serves_all_jobs_and_none_run_without_one(make_trial: MakeTrial) -> None:
    job_queue.attempt_waiting_jobs()
    assert Mark.objects.count() == 0
    for _ in range(3):
        make_trial(steps=1)
    job_queue.attempt_waiting_jobs()
    assert set(Trial.objects.values_list("state", "attempts")) == {(State.DONE, 1)}
    assert Mark.objects.count() == 3


def test_process_leaves_a_requeued_job_for_the_next_tick(
    make_trial: MakeTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_trial(), make_trial()

    def perform(self: Trial, progress: object) -> None:
        job_state_changes.requeue_all_of_worker("")
        raise ClaimLost

    monkeypatch.setattr(Trial, "perform", perform)
    job_queue.attempt_waiting_jobs()
    assert (refresh(first).state, first.attempts, refresh(second).state) == (State.QUEUED, 0, State.QUEUED)


@pytest.fixture
def stopping_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_attempt, "_stopping", bytearray(1))


def test_stopping_worker_takes_no_job_and_requeues_what_it_took(
    trial: Trial, stopping_worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim_next = job_state_changes.claim_next

    def claim_and_then_stop(**given: Any) -> Job | None:
        job = claim_next(**given)
        job_attempt.stop_claiming()
        return job

    monkeypatch.setattr(job_state_changes, "claim_next", claim_and_then_stop)
    for _ in range(2):
        job_queue.attempt_waiting_jobs()
        assert (refresh(trial).state, trial.attempts, trial.marks.count()) == (State.QUEUED, 0, 0)
    monkeypatch.setattr(job_state_changes, "claim_next", lambda **given: pytest.fail("it stops"))
    job_queue.attempt_waiting_jobs()


# --- jobs that wait although a worker is free ---


@pytest.fixture
def worker() -> Worker:
    """Free, heard a minute after noon, of two processes."""
    return Worker.objects.create(name="w1", heard=NOON + 60 * SECOND, warm=True, slots=2)


def seconds_unclaimed(worker: Worker, seconds: float) -> float:
    return health.unclaimed_wait(worker, NOON + seconds * SECOND).total_seconds()


def test_longest_wait_counts_from_the_last_enqueuing(worker: Worker, make_trial: MakeTrial) -> None:
    assert seconds_unclaimed(worker, 3600) == 0, "nothing waits"
    make_trial(queued=NOON + 50 * SECOND)
    assert seconds_unclaimed(worker, 75) == 25
    make_trial(created=NOON - HOUR)
    assert seconds_unclaimed(worker, 75) == 75
    Job.objects.update(**job_state_changes.queued_values(NOON + 70 * SECOND))
    assert seconds_unclaimed(worker, 75) == 5


def test_only_a_busy_worker_lets_jobs_wait(worker: Worker, trial: Trial, make_trial: MakeTrial) -> None:
    for seconds, waited in {20: 55, 30: 0}.items():
        busy = make_trial()
        job_state_changes.claim(busy.pk, token="b" * 32, worker="w1", now=NOON + seconds * SECOND)
        assert seconds_unclaimed(worker, 75) == waited


def test_wait_counts_from_the_workers_last_job(worker: Worker, trial: Trial, make_trial: MakeTrial) -> None:
    for name, seconds in {"w1": 60, "w2": 70}.items():
        make_trial(state=State.DONE, worker=name, started=NOON, finished=NOON + seconds * SECOND)
    assert seconds_unclaimed(worker, 75) == 15


def test_health_reports_waiting_jobs_after_six_ticks_of_ready_workers(worker: Worker, trial: Trial) -> None:
    untaken = health.HealthFinding(False, "have waited 75 s untaken")
    assert health.check_jobs(NOON + 59 * SECOND) == health.HealthFinding(True, "none waits untaken")
    assert health.check_jobs(NOON + 75 * SECOND) == untaken
    assert health.check_jobs(NOON + 120 * SECOND).ok
    Worker.objects.update(warm=False)
    assert health.check_jobs(NOON + 75 * SECOND).ok


def must_end(watch: IdleWatch, worker: Worker, seconds: float, *, connected: bool = True) -> bool:
    return watch.must_end(worker, NOON + seconds * SECOND, connected=connected)


def test_idle_worker_that_lets_jobs_wait_six_ticks_ends(
    worker: Worker, trial: Trial, make_trial: MakeTrial
) -> None:
    watch = IdleWatch(NOON)
    assert [must_end(watch, worker, seconds) for seconds in range(0, 80, 10)] == [False] * 6 + [True] * 2
    watch = IdleWatch(NOON)
    make_trial(state=State.DONE, worker="w1", started=NOON + 41 * SECOND, finished=NOON + 42 * SECOND)
    assert not must_end(watch, worker, 60)
    assert must_end(watch, worker, 102)


def test_new_or_unconnected_worker_is_given_time(worker: Worker, trial: Trial, broker: Path) -> None:
    watch = IdleWatch(NOON + HOUR)
    assert [must_end(watch, worker, seconds) for seconds in (3659, 3660)] == [False, True]
    watch = IdleWatch(NOON)
    assert not must_end(watch, worker, 3600, connected=False)
    assert [must_end(watch, worker, seconds) for seconds in (3659, 3660)] == [False, True]
    watch = IdleWatch(NOON)
    put_a_file_in_place_of(broker)
    assert not must_end(watch, worker, 3600)
    broker.unlink()
    assert [must_end(watch, worker, seconds) for seconds in (3650, 3660)] == [False, True]


def test_deaf_worker_notices_also_after_the_clock_was_set_back(
    worker: Worker, trial: Trial, make_trial: MakeTrial
) -> None:
    """It began, and has last ended a job, an hour from now."""
    later = NOON + HOUR
    make_trial(state=State.DONE, worker="w1", started=later, finished=later)
    watch = IdleWatch(later)
    # The second time it watches from the beginning.
    assert [must_end(watch, worker, seconds) for seconds in (60, 120, 50, 110)] == [False, True, False, True]


def test_worker_states_its_concurrency_and_is_forgotten_on_leaving(
    running_trial: Trial, stopping_worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_attempt, "worker_name", "w1")
    monkeypatch.setattr("jobs.worker.connections.close_all", lambda: None)
    write_worker_heartbeat(NOON, warm=True, slots=3)
    assert Worker.objects.get().slots == 3
    requeue_jobs_and_deregister_worker()
    assert (refresh(running_trial).state, running_trial.attempts) == (State.QUEUED, 0)
    assert job_attempt.is_claiming_stopped()
    assert not Worker.objects.exists()
