import errno
import logging
from collections.abc import Callable

import pytest

from jobs import job_state_changes
from jobs.models import Mark, State, Trial, Write
from jobs.progress_messages import Cancelled, JobFailed, Progress
from tests.jobs.attempts import attempt
from tests.jobs.conftest import NOON

TOKEN = "0123456789abcdef" * 2
Performs = Callable[[Callable[[Trial, Progress], Write]], None]


@pytest.fixture
def performs(monkeypatch: pytest.MonkeyPatch) -> Performs:
    def replace(perform: Callable[[Trial, Progress], Write]) -> None:
        monkeypatch.setattr(Trial, "perform", perform)

    return replace


def raising(error: BaseException) -> Callable[[Trial, Progress], Write]:
    def perform(self: Trial, progress: Progress) -> Write:
        raise error

    return perform


def work(trial: Trial) -> Trial:
    attempt(trial, token=TOKEN)
    trial.refresh_from_db()
    return trial


def test_a_trial_counts_and_leaves_one_mark(trial: Trial) -> None:
    assert work(trial).state == State.DONE
    assert trial.marks.count() == 1


def test_a_job_that_is_over_is_not_attempted_again(trial: Trial) -> None:
    work(trial)
    assert work(trial).attempts == 1
    assert trial.marks.count() == 1


def test_a_job_that_was_deleted_is_not_attempted(trial: Trial) -> None:
    trial_that_was = Trial(pk=trial.pk)
    trial.delete()
    assert not attempt(trial_that_was)
    assert Mark.objects.count() == 0


def test_a_foreseen_failure_says_what_the_room_says(trial: Trial, performs: Performs) -> None:
    performs(raising(JobFailed("Seal a batch first: %(n)s records wait.", n=7)))
    assert work(trial).state == State.FAILED
    assert str(trial.problem) == "Seal a batch first: 7 records wait."


def test_an_unforeseen_failure_gives_a_reference_and_no_detail(
    trial: Trial, performs: Performs, caplog: pytest.LogCaptureFixture
) -> None:
    performs(raising(ValueError("the secret record 0110")))
    with caplog.at_level(logging.ERROR):
        assert work(trial).state == State.FAILED
    assert "01234567" in str(trial.problem)
    assert "secret" not in str(trial.problem)
    assert "01234567" in caplog.text
    assert "the secret record 0110" in caplog.text


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(errno.ENOSPC, "No space left"), "The disk is full or cannot be written"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "The disk is full or cannot be written"),
    ],
)
def test_want_of_memory_or_disk_says_so(
    trial: Trial, performs: Performs, error: Exception, advice: str
) -> None:
    performs(raising(error))
    assert work(trial).state == State.FAILED
    assert advice in str(trial.problem)


def test_a_cancelled_job_stores_nothing(trial: Trial, performs: Performs) -> None:
    performs(raising(Cancelled()))
    assert work(trial).state == State.CANCELLED


def test_a_job_cancelled_at_its_very_end_stores_nothing(trial: Trial, performs: Performs) -> None:
    def perform(self: Trial, progress: Progress) -> Write:
        job_state_changes.cancel(self, NOON)
        return lambda: Mark.objects.create(trial=self)

    performs(perform)
    assert work(trial).state == State.CANCELLED
    assert trial.marks.count() == 0


def test_a_job_given_away_at_its_very_end_stores_nothing(trial: Trial, performs: Performs) -> None:
    def perform(self: Trial, progress: Progress) -> Write:
        Trial.objects.update(state=State.QUEUED, claim="")
        return lambda: Mark.objects.create(trial=self)

    performs(perform)
    assert work(trial).state == State.QUEUED
    assert trial.marks.count() == 0


def test_a_result_that_cannot_be_stored_fails_the_job(trial: Trial, performs: Performs) -> None:
    def perform(self: Trial, progress: Progress) -> Write:
        return lambda: 1 / 0

    performs(perform)
    assert work(trial).state == State.FAILED
