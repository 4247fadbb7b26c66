"""One attempt of a job: what it stores, what its failure says, and a database that goes away or refuses meanwhile.

Real servers go away in test_stacks.py.
"""

import errno
import logging
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connection

from jobs import database, job_state_changes
from jobs.job_attempt import attempt_next_job
from jobs.models import MOST_ATTEMPTS, Mark, State, Trial, Write
from jobs.progress_messages import Cancelled, JobFailed
from tests.jobs.conftest import NOON, MakeTrial, attempt, refresh

pytestmark = [pytest.mark.django_db, pytest.mark.page]
TOKEN = "0123456789abcdef" * 2
Perform = Callable[[Trial], Write]
Performs = Callable[[Perform], None]


def failure(code: int) -> OperationalError:
    """As Django hands on what SQLite says."""
    cause = sqlite3.OperationalError("its words")
    cause.sqlite_errorcode = code
    error = OperationalError("its words")
    error.__cause__ = cause
    return error


LOST, FULL, REFUSED = map(failure, (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_ERROR))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.fixture
def set_perform(monkeypatch: pytest.MonkeyPatch) -> Performs:
    return lambda perform: monkeypatch.setattr(Trial, "perform", lambda trial, progress: perform(trial))


def perform_that_raises(error: BaseException) -> Perform:
    def perform(trial: Trial) -> Write:
        raise error

    return perform


def attempt_trial(trial: Trial) -> Trial:
    attempt(trial, token=TOKEN)
    return refresh(trial)


@contextmanager
def failing_statements(times: int, error: Exception, at: str) -> Iterator[list[str]]:
    """The first statements that hold these words fail; all that were told are listed."""
    told: list[str] = []

    def fail_statement(execute: Any, sql: str, *args: Any) -> Any:
        told.append(sql)
        if at in sql and sum(at in one for one in told) <= times:
            raise error
        return execute(sql, *args)

    with connection.execute_wrapper(fail_statement):
        yield told


def lose_database_at_transition(
    patch: pytest.MonkeyPatch, name: str, times: int, *, unheard: bool = False
) -> list[object]:
    """The database is lost at so many tries of a transition, before it is made or, `unheard`, after; what was made."""
    transition, tries = getattr(job_state_changes, name), list[object]()

    def lose_connection(*args: Any, **given: Any) -> Any:
        is_lost = len(tries) < times
        tries.append(None if is_lost and not unheard else transition(*args, **given))
        if is_lost:
            raise LOST
        return tries[-1]

    patch.setattr(job_state_changes, name, lose_connection)
    return tries


def test_attempt_leaves_one_mark_and_ended_or_deleted_jobs_are_not_attempted(trial: Trial) -> None:
    assert attempt_trial(trial).state == State.DONE
    assert trial.marks.count() == 1
    assert attempt_trial(trial).attempts == 1
    assert trial.marks.count() == 1
    trial_that_was = Trial(pk=trial.pk)
    trial.delete()
    assert not attempt(trial_that_was)
    assert Mark.objects.count() == 0


def test_expected_failures_and_lack_of_memory_are_explained(
    make_trial: MakeTrial, set_perform: Performs
) -> None:
    for error, said in {
        JobFailed("Seal a batch first: %(n)s records wait.", n=7): r"Seal a batch first: 7 records wait\.",
        MemoryError(): ".*not enough memory.*",
        OSError(errno.ENOSPC, "No space left"): ".*The disk is full or cannot be written.*",
        OSError(errno.EDQUOT, "Disk quota exceeded"): ".*The disk is full or cannot be written.*",
    }.items():
        set_perform(perform_that_raises(error))
        trial = attempt_trial(make_trial())
        assert trial.state == State.FAILED
        assert re.fullmatch(said, str(trial.problem)), said


def test_unexpected_failure_gives_a_reference_without_detail(
    trial: Trial, set_perform: Performs, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told as soon as the database is back."""
    set_perform(perform_that_raises(ValueError("the secret record 0110")))
    tries = lose_database_at_transition(monkeypatch, "fail", 2)
    with caplog.at_level(logging.ERROR):
        assert attempt_trial(trial).state == State.FAILED
    assert ("01234567" in str(trial.problem), "secret" in str(trial.problem)) == (True, False)
    assert "01234567" in caplog.text
    assert "the secret record 0110" in caplog.text
    assert len(tries) == 3


def test_cancelled_reassigned_or_refused_job_stores_nothing(
    make_trial: MakeTrial, set_perform: Performs
) -> None:
    def cancelled_at_its_end(trial: Trial) -> Write:
        job_state_changes.cancel(trial, NOON)
        return lambda: Mark.objects.create(trial=trial)

    def given_away_at_its_end(trial: Trial) -> Write:
        Trial.objects.filter(pk=trial.pk).update(state=State.QUEUED, claim="")
        return lambda: Mark.objects.create(trial=trial)

    def cancelled_without_the_database(trial: Trial) -> Write:
        job_state_changes.cancel(trial, NOON)
        raise LOST

    for perform, state in {
        perform_that_raises(Cancelled()): State.CANCELLED,
        cancelled_at_its_end: State.CANCELLED,
        cancelled_without_the_database: State.CANCELLED,
        given_away_at_its_end: State.QUEUED,
        lambda trial: lambda: 1 / 0: State.FAILED,
    }.items():
        set_perform(perform)
        assert attempt_trial(make_trial()).state == state, perform
    assert Mark.objects.count() == 0


# --- a database that goes away or refuses ---


def test_result_is_held_until_storable_and_its_job_stays_alive(make_trial: MakeTrial) -> None:
    """Each try says first that it does."""
    for error in (LOST, REFUSED, InterfaceError("connection already closed")):
        trial = make_trial(steps=1)
        with failing_statements(5, error, at="INSERT INTO") as told:
            assert attempt_trial(trial).state == State.DONE
        assert (trial.marks.count(), trial.attempts) == (1, 1), error
        beats = [sql for sql in told if sql.startswith('UPDATE "jobs_job" SET "heartbeat" =')]
        assert len(beats) >= 6, error


def test_result_refused_for_a_minute_costs_the_attempt(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "REFUSED_SECONDS", 0)
    for attempts in range(1, MOST_ATTEMPTS):
        with failing_statements(10**6, FULL, at="INSERT INTO"):
            assert attempt_trial(trial).state == State.QUEUED
        assert (trial.marks.count(), trial.attempts, trial.claim) == (0, attempts, "")
    with failing_statements(10**6, FULL, at="INSERT INTO"):
        assert attempt_trial(trial).state == State.FAILED
    assert str(trial.problem).startswith("The disk is full or cannot be written.")


def test_attempt_that_lost_the_database_is_returned_and_not_counted(
    trial: Trial, set_perform: Performs, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_perform(perform_that_raises(LOST))
    for _ in range(2 * MOST_ATTEMPTS):
        assert attempt_trial(trial).state == State.QUEUED
        assert (trial.attempts, trial.claim) == (0, "")
    tries = lose_database_at_transition(monkeypatch, "requeue_without_counting", 2)
    assert attempt_trial(trial).state == State.QUEUED
    assert (trial.attempts, len(tries)) == (0, 3)


def test_attempt_presumed_dead_is_not_counted(trial: Trial, set_perform: Performs) -> None:
    def perform(trial: Trial) -> Write:
        Trial.objects.update(state=State.QUEUED, claim="")
        assert job_state_changes.claim(trial.pk, token="b" * 32, worker="w2", now=NOON)
        raise LOST

    set_perform(perform)
    assert (attempt_trial(trial).state, trial.worker, trial.attempts) == (State.RUNNING, "w2", 1)


def test_unacknowledged_commit_is_recognised(
    trial: Trial, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The server stored the result and went away before it said so."""
    tries = lose_database_at_transition(monkeypatch, "finish", 1, unheard=True)
    with caplog.at_level(logging.WARNING):
        assert attempt_trial(trial).state == State.DONE
    assert (trial.marks.count(), tries) == (1, [True, False])
    assert "another worker" not in caplog.text


def test_unacknowledged_claim_is_recognised_and_takes_no_second_job(
    make_trial: MakeTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, first, second = (make_trial() for _ in range(3))
    with failing_statements(1, LOST, at="SELECT"):
        assert attempt_trial(named).state == State.DONE
    assert (named.attempts, named.marks.count()) == (1, 1)
    tries = lose_database_at_transition(monkeypatch, "claim_next", 1, unheard=True)
    assert attempt_next_job()
    assert (refresh(first).state, refresh(second).state, len(tries)) == (State.DONE, State.QUEUED, 2)


def test_lost_database_is_awaited_and_a_refusing_one_for_a_minute(settings: Any) -> None:
    pauses: list[float] = []

    def work() -> str:
        if len(pauses) < 500:
            raise LOST
        return "back"

    def refuse() -> None:
        raise REFUSED

    assert database.retry_until_database_works(work, pauses.append) == "back"
    assert pauses[:5] == [0.25, 0.5, 1, 2, 4]
    assert max(pauses) == 5
    pauses.clear()
    settings.HEARTBEAT_SECONDS = 2
    assert database.retry_until_database_works(work, pauses.append) == "back"
    assert max(pauses) == 2
    pauses.clear()
    with pytest.raises(OperationalError, match="its words"):
        database.retry_until_database_works(refuse, pauses.append)
    assert 60 <= sum(pauses) < 70


def test_sqlite_errors_are_classified() -> None:
    for error, lost, unwritable in [
        (failure(sqlite3.SQLITE_BUSY), True, False),
        (failure(sqlite3.SQLITE_BUSY | 2 << 8), True, False),
        (failure(sqlite3.SQLITE_IOERR | 3 << 8), True, False),
        (LOST, True, False),
        (FULL, False, True),
        (failure(sqlite3.SQLITE_READONLY | 4 << 8), False, True),
        (REFUSED, False, False),
        (InterfaceError("Cannot operate on a closed database."), False, False),
    ]:
        understood = (database.is_connection_lost(error), bool(database.unwritable_text(error)))
        assert understood == (lost, unwritable), repr(error.__cause__ or error)
