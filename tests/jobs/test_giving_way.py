"""Spare jobs: taken last, put back for others, and after three times run to their end."""

import importlib
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from jobs import database, job_queue, job_state_changes
from jobs.models import MOST_TIMES_GIVEN_WAY, Job, State, Trial, Write
from jobs.progress_messages import Cancelled, Preempted, Progress, calling_periodically
from jobs.running_job_heartbeats import Heartbeat
from tests.jobs.conftest import NOON, MakeTrial, attempt, refresh

pytestmark = pytest.mark.page


@pytest.fixture
def spare_job(trial: Trial) -> Trial:
    """A trial that waits, and gives way."""
    Job.objects.filter(pk=trial.pk).update(spare=True)
    return refresh(trial)


def claim(job: Job, worker: str = "w1") -> Job:
    claimed = job_state_changes.claim(job.pk, token=(worker * 32)[:32], worker=worker, now=NOON)
    assert claimed
    return claimed


def next_job() -> int | None:
    job = job_state_changes.claim_next(token="b" * 32, worker="w2", now=NOON)
    return job.pk if job else None


def test_spare_job_is_taken_when_no_other_waits(spare_job: Trial, make_trial: MakeTrial) -> None:
    later = make_trial(created=NOON + timedelta(hours=1))
    assert next_job() == later.pk
    Job.objects.filter(pk=later.pk).update(state=State.CANCELLED, claim="", finished=NOON)
    assert next_job() == spare_job.pk


def test_spare_job_yields_to_a_job_waiting_for_two_pulses(spare_job: Trial, make_trial: MakeTrial) -> None:
    progress, other = Heartbeat(claim(spare_job)), make_trial()
    progress.write_progress_and_read_stop()
    claim(other, "w2")
    progress.write_progress_and_read_stop()
    make_trial()
    progress.write_progress_and_read_stop()
    progress(0.5)
    progress.write_progress_and_read_stop()
    with pytest.raises(Preempted):
        progress(0.6)


def test_other_jobs_and_waiting_spare_ones_cause_no_yielding(spare_job: Trial, make_trial: MakeTrial) -> None:
    usual = Heartbeat(claim(make_trial(), "w2"))
    make_trial()
    for _ in range(2):
        usual.write_progress_and_read_stop()
    usual(0.5)
    Job.objects.filter(state=State.QUEUED).update(spare=True)
    progress = Heartbeat(claim(spare_job))
    for _ in range(2):
        progress.write_progress_and_read_stop()
    progress(0.5)


def test_spare_job_runs_to_its_end_after_three_yields(
    spare_job: Trial, make_trial: MakeTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    perform = Trial.perform

    def perform_slowly(self: Trial, progress: Progress) -> Write:
        """As long as anybody could want it to give way, of the spare one."""
        if self.pk == spare_job.pk:
            make_trial()
            for _ in range(2):
                progress.write_progress_and_read_stop()  # type: ignore[attr-defined]
            progress(0.5)
        return perform(self, progress)

    monkeypatch.setattr(Trial, "perform", perform_slowly)
    job_queue.attempt_waiting_jobs()
    assert (refresh(spare_job).state, spare_job.gave_way, spare_job.attempts) == (
        State.DONE,
        MOST_TIMES_GIVEN_WAY,
        1,
    )
    assert spare_job.marks.count() == 1
    assert not Job.objects.exclude(state=State.DONE).exists()
    assert Job.objects.count() == 1 + MOST_TIMES_GIVEN_WAY + 1


def test_cancelled_spare_job_does_not_restart_and_a_zombie_does_not_yield(spare_job: Trial) -> None:
    claimed = claim(spare_job)
    Job.objects.filter(pk=spare_job.pk).update(claim="b" * 32)
    assert not job_state_changes.requeue_spare_job(claimed)
    assert (refresh(spare_job).state, spare_job.gave_way) == (State.RUNNING, 0)
    Job.objects.filter(pk=spare_job.pk).update(claim=claimed.claim)
    job_state_changes.cancel(claimed, NOON)
    assert not job_state_changes.requeue_spare_job(claimed)
    assert (refresh(spare_job).state, spare_job.gave_way) == (State.CANCELLED, 0)


def test_long_call_yields_within_two_seconds(spare_job: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    def perform_long_call(self: Trial, progress: Progress) -> Write:
        monkeypatch.setattr(job_state_changes, "is_non_spare_job_waiting", lambda: True)
        with calling_periodically(lambda: progress(None)):
            end = time.monotonic() + 30
            while time.monotonic() < end:
                # Of an empty loop Python 3.13.0 forgets the `with` where a signal ends it.
                sum(range(100))
        raise AssertionError

    monkeypatch.setattr(Trial, "perform", perform_long_call)
    begin = time.monotonic()
    assert attempt(spare_job)
    assert time.monotonic() - begin < 2
    assert (refresh(spare_job).state, spare_job.gave_way, spare_job.attempts, spare_job.claim) == (
        State.QUEUED,
        1,
        0,
        "",
    )
    assert spare_job.queued <= database.now()


def run_until_cancelled(question: Callable[[], None]) -> None:
    with calling_periodically(question, 0.01):
        try:
            time.sleep(5)
        except Cancelled:
            time.sleep(5)


def test_block_is_interrupted_again_if_it_catches_the_exception() -> None:
    asked = []

    def question() -> None:
        asked.append(1)
        raise Cancelled

    begin = time.monotonic()
    with pytest.raises(Cancelled):
        run_until_cancelled(question)
    assert len(asked) == 2
    assert time.monotonic() - begin < 1
    time.sleep(0.05)
    assert len(asked) == 2


def raise_another(question: Callable[[], None]) -> None:
    with calling_periodically(question, 0.01):
        try:
            time.sleep(5)
        except Cancelled:
            raise TypeError from None


def swallow_and_end(question: Callable[[], None]) -> None:
    with calling_periodically(question, 0.01), suppress(Cancelled):
        time.sleep(5)


@pytest.mark.parametrize("block", [raise_another, swallow_and_end])
def test_block_ends_by_the_interruption_whatever_it_raises(
    block: Callable[[Callable[[], None]], None],
) -> None:
    def question() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        block(question)


def import_and_wait(question: Callable[[], None]) -> None:
    with calling_periodically(question, 0.01):
        importlib.import_module("slow_to_import")
        time.sleep(5)


def test_import_is_never_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in the middle of one can leave the lock of the module locked."""
    slow = "import time\nend = time.monotonic() + .1\nwhile time.monotonic() < end:\n    pass\ndone = True\n"
    (tmp_path / "slow_to_import.py").write_text(slow)
    monkeypatch.syspath_prepend(str(tmp_path))
    asked: list[bool] = []

    def question() -> None:
        asked.append(hasattr(sys.modules.get("slow_to_import"), "done"))
        raise Preempted

    with pytest.raises(Preempted):
        import_and_wait(question)
    assert asked == [True]
