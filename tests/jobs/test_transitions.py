"""Each step of a job is one statement that the database takes or refuses: claims, results, cancelling, giving back."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from jobs import database, job_state_changes
from jobs.models import Job, Mark, State, Trial
from jobs.progress_messages import Message
from tests.jobs.conftest import NOON, MakeTrial, refresh

pytestmark = pytest.mark.page
LATER = NOON + timedelta(minutes=1)


def claim(trial: Trial, token: str) -> Job | None:
    return job_state_changes.claim(trial.pk, token=token * 32, worker="w", now=NOON)


def finish_trial(claimed: Trial) -> bool:
    return job_state_changes.finish(claimed, lambda: Mark.objects.create(trial=claimed), LATER)


def test_one_of_two_claims_of_a_job_succeeds(trial: Trial) -> None:
    first, second = claim(trial, "a"), claim(trial, "b")
    assert first
    assert (first.state, first.attempts, first.claim) == (State.RUNNING, 1, "a" * 32)
    assert second is None


def test_ended_or_missing_job_can_be_neither_claimed_nor_cancelled(make_trial: MakeTrial) -> None:
    for state in (State.DONE, State.FAILED, State.CANCELLED):
        over = make_trial(state=state, finished=NOON)
        assert claim(over, "a") is None
        assert not job_state_changes.cancel(over, LATER)
        assert (refresh(over).state, over.finished) == (state, NOON)
    trial_that_was = Trial(pk=over.pk)
    over.delete()
    assert claim(trial_that_was, "a") is None


def test_finishing_stores_the_result_ends_the_claim_and_happens_once(running_trial: Trial) -> None:
    assert finish_trial(running_trial)
    assert not finish_trial(running_trial)
    assert not job_state_changes.fail(running_trial, Message("late"), LATER)
    done = refresh(running_trial)
    assert (done.state, done.claim, done.finished, done.fraction) == (State.DONE, "", LATER, 1)
    assert Mark.objects.count() == 1


def test_unstorable_result_leaves_the_job_running(running_trial: Trial) -> None:
    def write() -> None:
        Mark.objects.create(trial=running_trial)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        job_state_changes.finish(running_trial, write, LATER)
    assert (refresh(running_trial).state, running_trial.marks.count()) == (State.RUNNING, 0)


def test_zombie_stores_no_result_and_changes_nothing(running_trial: Trial) -> None:
    """`running_trial` is what it believes; a second claimant has the job."""
    Trial.objects.update(state=State.QUEUED, claim="")
    assert claim(running_trial, "b")
    before = Trial.objects.values().get()
    assert not finish_trial(running_trial)
    assert not job_state_changes.write_heartbeat(running_trial, LATER)
    assert not job_state_changes.write_progress(running_trial, 0.9, Message("late"), LATER)
    assert not job_state_changes.fail(running_trial, Message("late"), LATER)
    assert not job_state_changes.end_cancelled(running_trial, LATER)
    assert Trial.objects.values().get() == before
    assert Mark.objects.count() == 0


def test_waiting_job_is_cancelled_at_once_and_a_running_one_asked_to_stop(
    running_trial: Trial, make_trial: MakeTrial
) -> None:
    waiting = make_trial()
    assert job_state_changes.cancel(waiting, LATER)
    assert (refresh(waiting).state, waiting.finished) == (State.CANCELLED, LATER)
    assert not job_state_changes.is_cancel_requested(running_trial)
    assert job_state_changes.cancel(running_trial, LATER)
    assert (refresh(running_trial).state, running_trial.finished) == (State.RUNNING, None)
    assert job_state_changes.is_cancel_requested(running_trial)
    # Somebody was told that it is being cancelled.
    assert not finish_trial(running_trial)
    assert Mark.objects.count() == 0


def test_stopping_worker_returns_only_its_own_jobs(running_trial: Trial, make_trial: MakeTrial) -> None:
    other = job_state_changes.claim(make_trial().pk, token="b" * 32, worker="w2", now=NOON)
    assert other
    assert job_state_changes.requeue_all_of_worker("w1") == 1
    assert refresh(running_trial).queued > NOON
    assert (running_trial.state, running_trial.attempts) == (State.QUEUED, 0)
    assert refresh(other).state == State.RUNNING


def test_stopping_worker_does_not_return_a_cancelled_job(running_trial: Trial) -> None:
    job_state_changes.cancel(running_trial, LATER)
    assert job_state_changes.requeue_all_of_worker("w1") == 0
    assert (refresh(running_trial).state, running_trial.claim, running_trial.live) == (
        State.CANCELLED,
        "",
        False,
    )
    assert running_trial.finished
    assert abs(database.now() - running_trial.finished) < timedelta(minutes=1)


def test_database_refuses_inconsistent_job_rows(make_trial: MakeTrial, subtests: pytest.Subtests) -> None:
    running: dict[str, object] = {"state": State.RUNNING}
    nonsense: list[dict[str, object]] = [running, running | {"claim": "a"}, {"claim": "a"}]
    nonsense += [{"state": "paused"}, {"state": State.DONE}, {"finished": NOON}]
    nonsense += [{"fraction": fraction} for fraction in (1.5, -0.1)]
    for values in nonsense:
        with subtests.test(str(values)), pytest.raises(IntegrityError), transaction.atomic():
            make_trial(**values)
