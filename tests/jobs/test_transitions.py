from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from jobs import database, job_state_changes
from jobs.models import Job, Mark, State, Trial
from jobs.progress_messages import Message
from tests.jobs.conftest import NOON, MakeTrial

LATER = NOON + timedelta(minutes=1)


def claim(trial: Trial, token: str) -> Job | None:
    return job_state_changes.claim(trial.pk, token=token * 32, worker="w", now=NOON)


def given_away(claimed: Trial) -> None:
    """To a second claimant; `claimed` is now what a zombie believes."""
    Trial.objects.update(state=State.QUEUED, claim="")
    assert claim(claimed, "b")


def nothing() -> None:
    pass


def test_of_two_who_claim_a_job_one_gets_it(trial: Trial) -> None:
    first, second = claim(trial, "a"), claim(trial, "b")
    assert first
    assert (first.state, first.attempts, first.claim) == (State.RUNNING, 1, "a" * 32)
    assert second is None


@pytest.mark.parametrize("state", [State.DONE, State.FAILED, State.CANCELLED])
def test_what_is_over_cannot_be_claimed(make_trial: MakeTrial, state: State) -> None:
    assert claim(make_trial(state=state, finished=NOON), "a") is None


def test_a_job_that_is_gone_cannot_be_claimed(trial: Trial) -> None:
    trial_that_was = Trial(pk=trial.pk)
    trial.delete()
    assert claim(trial_that_was, "a") is None


def test_done_stores_the_result_and_ends_the_claim(claimed: Trial) -> None:
    assert job_state_changes.finish(claimed, lambda: Mark.objects.create(trial=claimed), LATER)
    claimed.refresh_from_db()
    assert (claimed.state, claimed.claim, claimed.finished, claimed.fraction) == (State.DONE, "", LATER, 1)
    assert claimed.marks.count() == 1


def test_a_result_that_cannot_be_stored_leaves_the_job_running(claimed: Trial) -> None:
    def write() -> None:
        Mark.objects.create(trial=claimed)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        job_state_changes.finish(claimed, write, LATER)
    claimed.refresh_from_db()
    assert (claimed.state, claimed.marks.count()) == (State.RUNNING, 0)


def test_a_zombie_stores_no_result(claimed: Trial) -> None:
    given_away(claimed)
    assert not job_state_changes.finish(claimed, lambda: Mark.objects.create(trial=claimed), LATER)
    assert Mark.objects.count() == 0


def test_a_zombie_changes_nothing_at_all(claimed: Trial) -> None:
    given_away(claimed)
    before = Trial.objects.values().get()
    assert not job_state_changes.write_heartbeat(claimed, LATER)
    assert not job_state_changes.write_progress(claimed, 0.9, Message("late"), LATER)
    assert not job_state_changes.fail(claimed, Message("late"), LATER)
    assert not job_state_changes.end_cancelled(claimed, LATER)
    assert Trial.objects.values().get() == before


def test_whoever_finished_cannot_finish_again(claimed: Trial) -> None:
    assert job_state_changes.finish(claimed, nothing, LATER)
    assert not job_state_changes.finish(claimed, lambda: Mark.objects.create(trial=claimed), LATER)
    assert not job_state_changes.fail(claimed, Message("late"), LATER)
    assert Mark.objects.count() == 0


def test_a_waiting_job_is_cancelled_at_once(trial: Trial) -> None:
    assert job_state_changes.cancel(trial, LATER)
    trial.refresh_from_db()
    assert (trial.state, trial.finished) == (State.CANCELLED, LATER)


def test_a_running_job_is_asked_to_stop(claimed: Trial) -> None:
    assert not job_state_changes.is_cancel_requested(claimed)
    assert job_state_changes.cancel(claimed, LATER)
    claimed.refresh_from_db()
    assert (claimed.state, claimed.finished) == (State.RUNNING, None)
    assert job_state_changes.is_cancel_requested(claimed)


def test_once_somebody_was_told_that_it_is_being_cancelled_nothing_is_stored(claimed: Trial) -> None:
    job_state_changes.cancel(claimed, LATER)
    assert not job_state_changes.finish(claimed, lambda: Mark.objects.create(trial=claimed), LATER)
    assert Mark.objects.count() == 0


def test_what_is_over_cannot_be_cancelled(make_trial: MakeTrial) -> None:
    done = make_trial(state=State.DONE, finished=NOON)
    assert not job_state_changes.cancel(done, LATER)
    done.refresh_from_db()
    assert (done.state, done.finished) == (State.DONE, NOON)


def test_a_worker_that_stops_gives_back_its_own_jobs_and_no_others(
    claimed: Trial, make_trial: MakeTrial
) -> None:
    other = job_state_changes.claim(make_trial().pk, token="b" * 32, worker="w2", now=NOON)
    assert other
    assert job_state_changes.requeue_all_of_worker("w1") == 1
    claimed.refresh_from_db()
    other.refresh_from_db()
    assert (claimed.state, claimed.attempts, claimed.queued > NOON) == (State.QUEUED, 0, True)
    assert other.state == State.RUNNING


def test_a_worker_that_stops_does_not_give_back_what_somebody_cancelled(claimed: Trial) -> None:
    job_state_changes.cancel(claimed, LATER)
    assert job_state_changes.requeue_all_of_worker("w1") == 0
    claimed.refresh_from_db()
    assert (claimed.state, claimed.claim, claimed.live) == (State.CANCELLED, "", False)
    assert claimed.finished
    assert abs(database.now() - claimed.finished) < timedelta(minutes=1)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"state": "paused"},
        {"state": State.RUNNING},
        {"state": State.RUNNING, "claim": "a"},
        {"claim": "a"},
        {"state": State.DONE},
        {"finished": NOON},
        {"fraction": 1.5},
        {"fraction": -0.1},
    ],
)
def test_the_database_refuses_a_row_that_makes_no_sense(
    make_trial: MakeTrial, nonsense: dict[str, object]
) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make_trial(**nonsense)
