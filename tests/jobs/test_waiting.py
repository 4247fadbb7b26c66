"""How long jobs have waited although a worker was free, and what a worker does about its own deafness."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import override_settings

from jobs import health, presence, transitions, waiting
from jobs.listening import ListeningAction, ListeningWatch
from jobs.models import State, Trial, Worker
from tests.jobs.conftest import NOON, MakeTrial

pytestmark = pytest.mark.page
ticks = override_settings(TICK_SECONDS=10)
SECOND = timedelta(seconds=1)


@pytest.fixture
def worker(db: None) -> Worker:
    """Free, heard a minute after noon, of two processes."""
    return Worker.objects.create(name="w1", heard=NOON + 60 * SECOND, warm=True, slots=2)


def untaken(worker: Worker, seconds: float) -> float:
    return waiting.untaken(worker, NOON + seconds * SECOND).total_seconds()


def test_nothing_waits(worker: Worker) -> None:
    assert untaken(worker, 3600) == 0


def test_a_job_has_waited_since_it_was_made(worker: Worker, trial: Trial) -> None:
    assert untaken(worker, 75) == 75


def test_of_several_the_longest_wait_counts(worker: Worker, make_trial: MakeTrial) -> None:
    late = make_trial()
    Trial.objects.filter(pk=late.pk).update(created=NOON + 50 * SECOND)
    make_trial()
    assert untaken(worker, 75) == 75


def test_a_job_that_was_given_back_has_waited_since_its_last_heartbeat(
    worker: Worker, claimed: Trial
) -> None:
    transitions.beat(claimed, NOON + 70 * SECOND)
    Trial.objects.update(state=State.QUEUED, claim="")
    assert untaken(worker, 75) == 5


def test_whoever_is_busy_lets_jobs_wait(worker: Worker, trial: Trial, make_trial: MakeTrial) -> None:
    for name in ("w1", "w1"):
        busy = make_trial()
        transitions.claim(Trial, str(busy.pk), token="b" * 32, worker=name, now=NOON)
    assert untaken(worker, 3600) == 0


def test_a_worker_with_one_process_of_two_busy_is_free(
    worker: Worker, trial: Trial, make_trial: MakeTrial
) -> None:
    transitions.claim(Trial, str(make_trial().pk), token="b" * 32, worker="w1", now=NOON + 20 * SECOND)
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


@ticks
def test_a_deaf_worker_connects_anew_after_four_ticks_and_ends_if_that_does_not_help(
    worker: Worker, trial: Trial
) -> None:
    watch = ListeningWatch(began=NOON)
    cures = [watch.look(worker, NOON + seconds * SECOND) for seconds in range(0, 100, 10)]
    assert cures == [
        *[ListeningAction.NONE] * 4,
        ListeningAction.RECONNECT,
        *[ListeningAction.NONE] * 3,
        ListeningAction.END,
        ListeningAction.END,
    ]


@ticks
def test_a_worker_that_hears_again_may_be_deaf_again(
    worker: Worker, trial: Trial, make_trial: MakeTrial
) -> None:
    watch = ListeningWatch(began=NOON)
    assert watch.look(worker, NOON + 40 * SECOND) is ListeningAction.RECONNECT
    make_trial(state=State.DONE, worker="w1", started=NOON + 41 * SECOND, finished=NOON + 42 * SECOND)
    assert watch.look(worker, NOON + 50 * SECOND) is ListeningAction.NONE
    assert watch.look(worker, NOON + 90 * SECOND) is ListeningAction.RECONNECT


@ticks
def test_a_worker_that_has_just_begun_is_given_time(worker: Worker, trial: Trial) -> None:
    watch = ListeningWatch(began=NOON + 3600 * SECOND)
    assert watch.look(worker, NOON + 3639 * SECOND) is ListeningAction.NONE
    assert watch.look(worker, NOON + 3640 * SECOND) is ListeningAction.RECONNECT


@ticks
def test_a_deaf_worker_notices_after_the_clock_was_set_back_too(
    worker: Worker, trial: Trial, make_trial: MakeTrial
) -> None:
    """It began, and has last ended a job, an hour from now."""
    later = NOON + 3600 * SECOND
    make_trial(state=State.DONE, worker="w1", started=later, finished=later)
    watch = ListeningWatch(began=later)
    assert watch.look(worker, NOON + 60 * SECOND) is ListeningAction.NONE
    assert watch.look(worker, NOON + 100 * SECOND) is ListeningAction.RECONNECT
    # And once more: it watches from the beginning.
    assert watch.look(worker, NOON + 50 * SECOND) is ListeningAction.NONE
    assert watch.look(worker, NOON + 90 * SECOND) is ListeningAction.RECONNECT
    assert watch.look(worker, NOON + 130 * SECOND) is ListeningAction.END


@ticks
def test_while_the_broker_is_away_nobody_is_deaf(worker: Worker, trial: Trial, broker: Path) -> None:
    broker.write_text("a file where the folder should be")
    assert ListeningWatch(began=NOON).look(worker, NOON + 3600 * SECOND) is ListeningAction.NONE


@pytest.mark.django_db
def test_a_worker_says_how_many_jobs_it_does_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "name", "w9")
    presence.beat(NOON, warm=True, slots=3)
    assert Worker.objects.get().slots == 3
