"""How long jobs have waited although a worker was free, and what a worker does about its own deafness."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import override_settings

from jobs import health, job_attempt, job_state_changes
from jobs.models import Job, State, Trial, Worker
from jobs.worker import IdleWatch, deregister_worker, write_worker_heartbeat
from tests.jobs.conftest import NOON, MakeTrial

pytestmark = pytest.mark.page
ticks = override_settings(TICK_SECONDS=10)
SECOND = timedelta(seconds=1)


@pytest.fixture
def worker(db: None) -> Worker:
    """Free, heard a minute after noon, of two processes."""
    return Worker.objects.create(name="w1", heard=NOON + 60 * SECOND, warm=True, slots=2)


def untaken(worker: Worker, seconds: float) -> float:
    return health.unclaimed_wait(worker, NOON + seconds * SECOND).total_seconds()


def test_nothing_waits(worker: Worker) -> None:
    assert untaken(worker, 3600) == 0


def test_a_job_has_waited_since_it_was_made(worker: Worker, trial: Trial) -> None:
    assert untaken(worker, 75) == 75


def test_of_several_the_longest_wait_counts(worker: Worker, make_trial: MakeTrial) -> None:
    make_trial(queued=NOON + 50 * SECOND)
    make_trial()
    assert untaken(worker, 75) == 75


def test_a_job_that_was_requeued_has_waited_since_then(worker: Worker, claimed: Trial) -> None:
    Job.objects.update(**job_state_changes.queued_values(NOON + 70 * SECOND))
    assert untaken(worker, 75) == 5


def test_a_job_of_an_earlier_turn_has_waited_since_it_was_enqueued(
    worker: Worker, make_trial: MakeTrial
) -> None:
    make_trial(created=NOON - 3600 * SECOND)
    assert untaken(worker, 75) == 75


def test_whoever_is_busy_lets_jobs_wait(worker: Worker, trial: Trial, make_trial: MakeTrial) -> None:
    for name in ("w1", "w1"):
        busy = make_trial()
        job_state_changes.claim(busy.pk, token="b" * 32, worker=name, now=NOON)
    assert untaken(worker, 3600) == 0


def test_a_worker_with_one_process_of_two_busy_is_free(
    worker: Worker, trial: Trial, make_trial: MakeTrial
) -> None:
    job_state_changes.claim(make_trial().pk, token="b" * 32, worker="w1", now=NOON + 20 * SECOND)
    assert untaken(worker, 75) == 55


def test_it_counts_from_when_the_worker_last_ended_a_job(
    worker: Worker, trial: Trial, make_trial: MakeTrial
) -> None:
    make_trial(state=State.DONE, worker="w1", started=NOON, finished=NOON + 60 * SECOND)
    make_trial(state=State.DONE, worker="w2", started=NOON, finished=NOON + 70 * SECOND)
    assert untaken(worker, 75) == 15


@ticks
def test_health_says_so_after_six_ticks(worker: Worker, trial: Trial) -> None:
    assert health.jobs(NOON + 59 * SECOND) == health.HealthFinding(True, "none waits untaken")
    assert health.jobs(NOON + 75 * SECOND) == health.HealthFinding(False, "have waited 75 s untaken")


@ticks
def test_health_asks_only_of_workers_that_are_heard_and_warm(worker: Worker, trial: Trial) -> None:
    Worker.objects.update(warm=False)
    assert health.jobs(NOON + 75 * SECOND).ok
    Worker.objects.update(warm=True)
    assert health.jobs(NOON + 120 * SECOND).ok


def ends(watch: IdleWatch, worker: Worker, seconds: float, *, connected: bool = True) -> bool:
    return watch.must_end(worker, NOON + seconds * SECOND, connected=connected)


@ticks
def test_a_worker_that_is_free_and_lets_jobs_wait_for_six_ticks_ends(worker: Worker, trial: Trial) -> None:
    watch = IdleWatch(NOON)
    assert [ends(watch, worker, seconds) for seconds in range(0, 80, 10)] == [False] * 6 + [True] * 2


@ticks
def test_a_worker_that_takes_jobs_stays(worker: Worker, trial: Trial, make_trial: MakeTrial) -> None:
    watch = IdleWatch(NOON)
    make_trial(state=State.DONE, worker="w1", started=NOON + 41 * SECOND, finished=NOON + 42 * SECOND)
    assert not ends(watch, worker, 60)
    assert ends(watch, worker, 102)


@ticks
def test_a_worker_that_has_just_begun_is_given_time(worker: Worker, trial: Trial) -> None:
    watch = IdleWatch(NOON + 3600 * SECOND)
    assert not ends(watch, worker, 3659)
    assert ends(watch, worker, 3660)


@ticks
def test_a_deaf_worker_notices_after_the_clock_was_set_back_too(
    worker: Worker, trial: Trial, make_trial: MakeTrial
) -> None:
    """It began, and has last ended a job, an hour from now."""
    later = NOON + 3600 * SECOND
    make_trial(state=State.DONE, worker="w1", started=later, finished=later)
    watch = IdleWatch(later)
    assert not ends(watch, worker, 60)
    assert ends(watch, worker, 120)
    # And once more: it watches from the beginning.
    assert not ends(watch, worker, 50)
    assert ends(watch, worker, 110)


@ticks
def test_a_worker_without_a_connection_is_not_deaf_and_is_given_time_after_it(
    worker: Worker, trial: Trial
) -> None:
    watch = IdleWatch(NOON)
    assert not ends(watch, worker, 3600, connected=False)
    assert not ends(watch, worker, 3659)
    assert ends(watch, worker, 3660)


@ticks
def test_while_the_broker_is_away_nobody_is_deaf(worker: Worker, trial: Trial, broker: Path) -> None:
    watch = IdleWatch(NOON)
    broker.write_text("a file where the folder should be")
    assert not ends(watch, worker, 3600)
    broker.unlink()
    assert not ends(watch, worker, 3650)
    assert ends(watch, worker, 3660)


@pytest.mark.django_db
def test_a_worker_says_how_many_jobs_it_does_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_attempt, "worker_name", "w9")
    write_worker_heartbeat(NOON, warm=True, slots=3)
    assert Worker.objects.get().slots == 3


def test_a_worker_that_leaves_requeues_its_jobs_and_is_forgotten(
    worker: Worker, claimed: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_attempt, "worker_name", "w1")
    monkeypatch.setattr(job_attempt, "_stopping", bytearray(1))
    monkeypatch.setattr("jobs.worker.connections.close_all", lambda: None)
    deregister_worker()
    claimed.refresh_from_db()
    assert (claimed.state, claimed.attempts) == (State.QUEUED, 0)
    assert job_attempt.is_stopping()
    assert not Worker.objects.exists()
