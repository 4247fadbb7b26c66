import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from jobs import queue
from jobs.models import State, Trial
from people.models import Person

pytestmark = pytest.mark.page
Capture = Callable[..., AbstractContextManager[list[Callable[[], object]]]]


def enqueue(operator: Person) -> Trial:
    trial = Trial(person=operator, steps=1, pause=0)
    queue.enqueue(trial)
    return trial


def test_a_job_is_hinted_at_once_its_row_is_committed(
    operator: Person, django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        trial = enqueue(operator)
        assert queue.hints() == 0
    assert queue.hints() == 1
    trial.refresh_from_db()
    assert (trial.state, trial.hinted) == (State.QUEUED, trial.created)


def test_a_hint_names_the_row_and_nothing_of_what_is_in_it(
    operator: Person, broker: Path, django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        trial = enqueue(operator)
    [message] = broker.iterdir()
    assert f"('jobs.trial', '{trial.pk}')" in message.read_text()
    assert "operator" not in message.read_text()


def test_a_queue_that_cannot_be_reached_fails_no_request(
    operator: Person,
    broker: Path,
    django_capture_on_commit_callbacks: Capture,
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker.write_text("a file where the folder should be")
    with django_capture_on_commit_callbacks(execute=True), caplog.at_level(logging.WARNING):
        trial = enqueue(operator)
    assert "the queue cannot be reached" in caplog.text
    assert Trial.objects.get().pk == trial.pk
    assert queue.hints() is None


def test_a_folder_that_was_deleted_is_made_again(broker: Path) -> None:
    queue.send("jobs.trial", "1")
    for message in broker.iterdir():
        message.unlink()
    broker.rmdir()
    assert queue.hints() == 0
    queue.send("jobs.trial", "2")
    assert queue.hints() == 1
