"""A database that goes away, or refuses, while a job needs it; the real servers are in test_stacks.py."""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connection

from jobs import database, job_state_changes
from jobs.job_attempt import attempt_next
from jobs.models import MOST_ATTEMPTS, Job, Mark, State, Trial, Write
from jobs.progress_messages import Progress
from tests.jobs.attempts import attempt
from tests.jobs.conftest import NOON, MakeTrial

pytestmark = [pytest.mark.django_db, pytest.mark.page]
TOKEN = "0123456789abcdef" * 2


def failure(code: int) -> OperationalError:
    """As Django hands on what SQLite says."""
    cause = sqlite3.OperationalError("its words")
    cause.sqlite_errorcode = code
    error = OperationalError("its words")
    error.__cause__ = cause
    return error


LOST, FULL, REFUSED = (
    failure(sqlite3.SQLITE_CANTOPEN),
    failure(sqlite3.SQLITE_FULL),
    failure(sqlite3.SQLITE_ERROR),
)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@contextmanager
def failing(times: int, error: Exception, at: str) -> Iterator[list[str]]:
    """The first statements that hold these words fail; all that were told are listed."""
    told: list[str] = []

    def wrapper(execute: Any, sql: str, *args: Any) -> Any:
        told.append(sql)
        if at in sql and sum(at in one for one in told) <= times:
            raise error
        return execute(sql, *args)

    with connection.execute_wrapper(wrapper):
        yield told


def work(trial: Trial) -> Trial:
    attempt(trial, token=TOKEN)
    trial.refresh_from_db()
    return trial


def performs(monkeypatch: pytest.MonkeyPatch, perform: Callable[[Trial, Progress], Write]) -> None:
    monkeypatch.setattr(Trial, "perform", perform)


def at_the_third_try(monkeypatch: pytest.MonkeyPatch, transition: str) -> list[tuple[object, ...]]:
    """The database is lost at the first two; what it is then told is listed."""
    made = getattr(job_state_changes, transition)
    tries: list[tuple[object, ...]] = []

    def unheard(*args: object) -> object:
        tries.append(args)
        if len(tries) < 3:
            raise LOST
        return made(*args)

    monkeypatch.setattr(job_state_changes, transition, unheard)
    return tries


def raising(error: Exception) -> Callable[[Trial, Progress], Write]:
    def perform(self: Trial, progress: Progress) -> Write:
        raise error

    return perform


@pytest.mark.parametrize("error", [LOST, REFUSED, InterfaceError("connection already closed")], ids=repr)
def test_a_result_is_kept_until_it_can_be_stored(trial: Trial, error: Exception) -> None:
    with failing(5, error, at="INSERT INTO"):
        assert work(trial).state == State.DONE
    assert (trial.marks.count(), trial.attempts) == (1, 1)


def test_a_result_that_is_refused_for_a_minute_costs_the_attempt(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "REFUSED_SECONDS", 0)
    with failing(10**6, FULL, at="INSERT INTO"):
        assert work(trial).state == State.QUEUED
    assert (trial.marks.count(), trial.attempts, trial.claim) == (0, 1, "")


def test_the_last_attempt_that_is_refused_fails_with_what_to_do(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "REFUSED_SECONDS", 0)
    Trial.objects.update(attempts=MOST_ATTEMPTS - 1)
    with failing(10**6, FULL, at="INSERT INTO"):
        assert work(trial).state == State.FAILED
    assert str(trial.problem).startswith("The disk is full or cannot be written.")


def test_an_attempt_that_lost_the_database_is_given_back_and_does_not_count(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    performs(monkeypatch, raising(LOST))
    for _ in range(2 * MOST_ATTEMPTS):
        assert work(trial).state == State.QUEUED
        assert (trial.attempts, trial.claim) == (0, "")


def test_giving_back_waits_for_the_database_too(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    performs(monkeypatch, raising(LOST))
    tries = at_the_third_try(monkeypatch, "requeue_without_counting")
    assert work(trial).state == State.QUEUED
    assert (trial.attempts, len(tries)) == (0, 3)


def test_an_attempt_that_lost_the_database_and_was_taken_for_dead_does_not_count_either(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def perform(self: Trial, progress: Progress) -> Write:
        Trial.objects.update(state=State.QUEUED, claim="")
        assert job_state_changes.claim(self.pk, token="b" * 32, worker="w2", now=NOON)
        raise LOST

    performs(monkeypatch, perform)
    assert (work(trial).state, trial.worker, trial.attempts) == (State.RUNNING, "w2", 1)


def test_a_cancelled_job_that_lost_the_database_is_cancelled(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def perform(self: Trial, progress: Progress) -> Write:
        job_state_changes.cancel(self, NOON)
        raise LOST

    performs(monkeypatch, perform)
    assert work(trial).state == State.CANCELLED


def test_a_commit_that_was_not_heard_of_is_recognised(
    trial: Trial, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The server stored the result and went away before it said so."""
    done, tries = job_state_changes.finish, []

    def unheard(*args: Any) -> bool:
        tries.append(done(*args))
        if len(tries) == 1:
            raise LOST
        return tries[-1]

    monkeypatch.setattr(job_state_changes, "finish", unheard)
    with caplog.at_level(logging.WARNING):
        assert work(trial).state == State.DONE
    assert (trial.marks.count(), tries) == (1, [True, False])
    assert "another worker" not in caplog.text


def test_a_claim_that_was_not_heard_of_is_recognised(trial: Trial) -> None:
    with failing(1, LOST, at="SELECT"):
        assert work(trial).state == State.DONE
    assert (trial.attempts, trial.marks.count()) == (1, 1)


def test_a_claim_of_the_next_job_that_was_not_heard_of_takes_no_second_one(
    make_trial: MakeTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_trial(), make_trial()
    claim_next = job_state_changes.claim_next
    tries: list[Job | None] = []

    def unheard(**given: Any) -> Job | None:
        tries.append(claim_next(**given))
        if len(tries) == 1:
            raise LOST
        return tries[-1]

    monkeypatch.setattr(job_state_changes, "claim_next", unheard)
    assert attempt_next()
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state, len(tries)) == (State.DONE, State.QUEUED, 2)


def test_what_fails_with_a_reason_is_told_when_the_database_is_back(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    performs(monkeypatch, raising(ValueError("of the job")))
    tries = at_the_third_try(monkeypatch, "fail")
    assert work(trial).state == State.FAILED
    assert ("01234567" in str(trial.problem), len(tries)) == (True, 3)


def test_a_lost_database_is_waited_for_as_long_as_it_takes() -> None:
    pauses: list[float] = []

    def work() -> str:
        if len(pauses) < 500:
            raise LOST
        return "back"

    assert database.retry(work, pauses.append) == "back"
    assert pauses[:5] == [0.25, 0.5, 1, 2, 4]
    assert max(pauses) == 5


def test_what_the_database_refuses_is_tried_for_a_minute() -> None:
    pauses: list[float] = []

    def work() -> None:
        raise REFUSED

    with pytest.raises(OperationalError, match="its words"):
        database.retry(work, pauses.append)
    assert 60 <= sum(pauses) < 70


@pytest.mark.parametrize(
    ("error", "lost", "unwritable"),
    [
        (failure(sqlite3.SQLITE_BUSY), True, False),
        (failure(sqlite3.SQLITE_BUSY | 2 << 8), True, False),
        (failure(sqlite3.SQLITE_IOERR | 3 << 8), True, False),
        (LOST, True, False),
        (FULL, False, True),
        (failure(sqlite3.SQLITE_READONLY | 4 << 8), False, True),
        (REFUSED, False, False),
        (InterfaceError("Cannot operate on a closed database."), False, False),
    ],
    ids=repr,
)
def test_what_sqlite_says_is_understood(error: Exception, lost: bool, unwritable: bool) -> None:
    assert (database.is_connection_lost(error), bool(database.unwritable_text(error))) == (lost, unwritable)


def test_a_job_in_time_is_not_reaped_while_it_waits_to_be_stored(make_trial: MakeTrial) -> None:
    """Each try says first that the job lives."""
    trial = make_trial(steps=1)
    with failing(2, REFUSED, at="INSERT INTO") as told:
        work(trial)
    beats = [sql for sql in told if sql.startswith('UPDATE "jobs_job" SET "heartbeat" =')]
    assert len(beats) >= 3
    assert Mark.objects.count() == 1
