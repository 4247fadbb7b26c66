"""Each step of a job is one statement that the database takes or refuses: claims, results, cancelling, giving back."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from jobs import database, job_state_changes
from jobs.models import Job, Mark, State, Trial
from jobs.progress_messages import Message
from tests.jobs.conftest import NOON, MakeTrial, stored

pytestmark = pytest.mark.page
LATER = NOON + timedelta(minutes=1)


def claim(trial: Trial, token: str) -> Job | None:
    return job_state_changes.claim(trial.pk, token=token * 32, worker="w", now=NOON)


def finish(claimed: Trial) -> bool:
    return job_state_changes.finish(claimed, lambda: Mark.objects.create(trial=claimed), LATER)


def test_of_two_who_claim_a_job_one_gets_it(trial: Trial) -> None:
    first, second = claim(trial, "a"), claim(trial, "b")
    assert first
    assert (first.state, first.attempts, first.claim) == (State.RUNNING, 1, "a" * 32)
    assert second is None


def test_what_is_over_or_gone_can_be_neither_claimed_nor_cancelled(make_trial: MakeTrial) -> None:
    for state in (State.DONE, State.FAILED, State.CANCELLED):
        over = make_trial(state=state, finished=NOON)
        assert claim(over, "a") is None
        assert not job_state_changes.cancel(over, LATER)
        assert (stored(over).state, over.finished) == (state, NOON)
    trial_that_was = Trial(pk=over.pk)
    over.delete()
    assert claim(trial_that_was, "a") is None


def test_done_stores_the_result_ends_the_claim_and_is_not_done_again(claimed: Trial) -> None:
    assert finish(claimed)
    assert not finish(claimed)
    assert not job_state_changes.fail(claimed, Message("late"), LATER)
    done = stored(claimed)
    assert (done.state, done.claim, done.finished, done.fraction) == (State.DONE, "", LATER, 1)
    assert Mark.objects.count() == 1


def test_a_result_that_cannot_be_stored_leaves_the_job_running(claimed: Trial) -> None:
    def write() -> None:
        Mark.objects.create(trial=claimed)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        job_state_changes.finish(claimed, write, LATER)
    assert (stored(claimed).state, claimed.marks.count()) == (State.RUNNING, 0)


def test_a_zombie_stores_no_result_and_changes_nothing_at_all(claimed: Trial) -> None:
    """`claimed` is what it believes; a second claimant has the job."""
    Trial.objects.update(state=State.QUEUED, claim="")
    assert claim(claimed, "b")
    before = Trial.objects.values().get()
    assert not finish(claimed)
    assert not job_state_changes.write_heartbeat(claimed, LATER)
    assert not job_state_changes.write_progress(claimed, 0.9, Message("late"), LATER)
    assert not job_state_changes.fail(claimed, Message("late"), LATER)
    assert not job_state_changes.end_cancelled(claimed, LATER)
    assert Trial.objects.values().get() == before
    assert Mark.objects.count() == 0


def test_a_waiting_job_is_cancelled_at_once_a_running_one_asked_to_stop(
    claimed: Trial, make_trial: MakeTrial
) -> None:
    waiting = make_trial()
    assert job_state_changes.cancel(waiting, LATER)
    assert (stored(waiting).state, waiting.finished) == (State.CANCELLED, LATER)
    assert not job_state_changes.is_cancel_requested(claimed)
    assert job_state_changes.cancel(claimed, LATER)
    assert (stored(claimed).state, claimed.finished) == (State.RUNNING, None)
    assert job_state_changes.is_cancel_requested(claimed)
    # Somebody was told that it is being cancelled.
    assert not finish(claimed)
    assert Mark.objects.count() == 0


def test_a_worker_that_stops_gives_back_its_own_jobs_alone(claimed: Trial, make_trial: MakeTrial) -> None:
    other = job_state_changes.claim(make_trial().pk, token="b" * 32, worker="w2", now=NOON)
    assert other
    assert job_state_changes.requeue_all_of_worker("w1") == 1
    assert stored(claimed).queued > NOON
    assert (claimed.state, claimed.attempts) == (State.QUEUED, 0)
    assert stored(other).state == State.RUNNING


def test_a_worker_that_stops_does_not_give_back_what_somebody_cancelled(claimed: Trial) -> None:
    job_state_changes.cancel(claimed, LATER)
    assert job_state_changes.requeue_all_of_worker("w1") == 0
    assert (stored(claimed).state, claimed.claim, claimed.live) == (State.CANCELLED, "", False)
    assert claimed.finished
    assert abs(database.now() - claimed.finished) < timedelta(minutes=1)


def test_the_database_refuses_rows_without_sense(make_trial: MakeTrial, subtests: pytest.Subtests) -> None:
    running: dict[str, object] = {"state": State.RUNNING}
    nonsense: list[dict[str, object]] = [running, running | {"claim": "a"}, {"claim": "a"}]
    nonsense += [{"state": "paused"}, {"state": State.DONE}, {"finished": NOON}]
    nonsense += [{"fraction": fraction} for fraction in (1.5, -0.1)]
    for values in nonsense:
        with subtests.test(str(values)), pytest.raises(IntegrityError), transaction.atomic():
            make_trial(**values)
