from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings

from jobs.job_status import Infrastructure, JobStatus, job_status
from jobs.models import JobKind, State, Trial, kinds
from jobs.progress_messages import Message
from tests.jobs.conftest import NOON

AROUND = Infrastructure(NOON)


def of(around: Infrastructure = AROUND, may_cancel: bool = True, **row: Any) -> JobStatus:
    return job_status(Trial(pk=1, created=NOON, **row), around, may_cancel)


def sentence(around: Infrastructure = AROUND, **row: Any) -> str:
    return of(around, **row).sentence


def test_a_waiting_job_starts_when_a_worker_is_free() -> None:
    assert sentence() == "It starts as soon as a worker is free."


def test_without_a_worker_it_says_so() -> None:
    said = sentence(replace(AROUND, worker=False))
    assert said == "No worker answers just now. The job starts by itself as soon as one does."


def test_while_the_worker_compiles_it_says_that_this_takes_a_minute() -> None:
    said = sentence(replace(AROUND, warm=False))
    assert said == "The worker is getting ready, which takes about a minute after an installation."


def test_without_a_queue_it_says_that_nothing_is_lost() -> None:
    said = sentence(replace(AROUND, queue=False))
    assert said == "The queue cannot be reached just now. Nothing is lost; the job is sent again by itself."


@pytest.mark.parametrize("row", [{"attempts": 1}, {"attempts": 2, "state": State.RUNNING, "heartbeat": NOON}])
def test_after_a_lost_worker_it_counts_the_attempts(row: dict[str, Any]) -> None:
    assert sentence(**row) == "The worker stopped answering; trying again (attempt 2 of 3)."


def test_a_running_job_says_nothing_more_than_its_own_words() -> None:
    row: dict[str, Any] = {
        "attempts": 1,
        "words": Message("Step %(step)s of %(steps)s", {"step": 2, "steps": 3}).as_json(),
    }
    now = of(state=State.RUNNING, heartbeat=NOON, fraction=0.4, **row)
    assert (now.sentence, now.words, now.fraction) == ("", "Step 2 of 3", 0.4)


@override_settings(HEARTBEAT_SECONDS=5)
def test_two_missing_beats_are_a_silence() -> None:
    beaten = NOON - timedelta(seconds=10)
    assert sentence(state=State.RUNNING, heartbeat=beaten) == ""
    silent = sentence(state=State.RUNNING, heartbeat=beaten - timedelta(seconds=1))
    assert (
        silent
        == "The worker has been silent for a while. If it stays silent, the job starts again by itself."
    )


@override_settings(TICK_SECONDS=10)
def test_a_beat_from_before_the_clock_was_set_back_is_a_silence() -> None:
    ahead = NOON + timedelta(seconds=31)
    assert "silent for a while" in sentence(state=State.RUNNING, heartbeat=ahead)
    assert sentence(state=State.RUNNING, heartbeat=ahead - timedelta(seconds=1)) == ""


def test_a_running_job_needs_no_queue() -> None:
    said = sentence(replace(AROUND, queue=False), state=State.RUNNING, heartbeat=NOON)
    assert said == "The queue cannot be reached just now; this job goes on without it."


@pytest.mark.parametrize(("seconds", "words"), [(12.4, "12 s"), (59.6, "1 min 0 s"), (3671, "61 min 11 s")])
def test_a_finished_job_says_how_long_it_took(seconds: float, words: str) -> None:
    said = sentence(state=State.DONE, started=NOON, finished=NOON + timedelta(seconds=seconds))
    assert said == f"Finished after {words}."


def test_a_failed_job_says_why_and_that_nothing_was_stored() -> None:
    now = of(state=State.FAILED, finished=NOON, error=Message("Seal a batch first.").as_json())
    assert (now.problem, now.sentence, now.badge) == (
        "Seal a batch first.",
        "Nothing of it was stored.",
        "wrong",
    )


def test_only_what_lives_and_was_not_cancelled_can_be_cancelled() -> None:
    assert of().may_cancel
    assert of(state=State.RUNNING, heartbeat=NOON).may_cancel
    assert not of(may_cancel=False).may_cancel
    assert not of(state=State.RUNNING, heartbeat=NOON, cancel_asked=True).may_cancel
    assert not of(state=State.DONE, finished=NOON).may_cancel


def test_seen_differs_exactly_when_the_page_would() -> None:
    running: dict[str, Any] = {"state": State.RUNNING, "heartbeat": NOON}
    assert of(**running).seen == of(**running, worker="another").seen
    assert of(**running).seen != of(**running, fraction=0.1).seen


def test_a_job_without_its_rule_or_its_performer_is_refused_at_the_start() -> None:
    class Careless(JobKind):
        class Meta:
            app_label = "tests"

        def __str__(self) -> str:
            return ""

    assert [found.id for found in Careless.check() if found.id and found.id.startswith("jobs.")] == [
        "jobs.E002",
        "jobs.E003",
    ]


def test_every_kind_of_job_says_who_performs_it() -> None:
    for model in kinds().values():
        assert [found for found in model.check() if found.id and found.id.startswith("jobs.")] == []
