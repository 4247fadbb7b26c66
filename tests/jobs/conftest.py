"""The cast: an operator (staff) and a stranger who is merely signed in. Messages go to a folder of the test's."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import Person
from jobs import job_state_changes
from jobs.models import Job, Trial
from tests.wake_ups import broker

__all__ = ["broker"]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MakeTrial = Callable[..., Trial]
AnyJob = TypeVar("AnyJob", bound=Job)


def stored(job: AnyJob) -> AnyJob:
    """As the database has it now."""
    job.refresh_from_db()
    return job


@pytest.fixture(autouse=True)
def pace(settings: Settings) -> None:
    settings.HEARTBEAT_SECONDS, settings.TICK_SECONDS = 5, 10


@pytest.fixture
def operator(db: None) -> Person:
    return Person.objects.create(username="operator", is_staff=True)


@pytest.fixture
def stranger(db: None) -> Person:
    return Person.objects.create(username="stranger")


@pytest.fixture
def as_operator(client: Client, operator: Person) -> Client:
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def make_trial(operator: Person) -> MakeTrial:
    usual = {"person": operator, "created": NOON, "queued": NOON, "steps": 3, "pause": 0}
    return lambda **more: Trial.objects.create(**{**usual, **more})


@pytest.fixture
def trial(make_trial: MakeTrial) -> Trial:
    """A trial that waits."""
    return make_trial()


@pytest.fixture
def claimed(trial: Trial) -> Trial:
    """A trial that runs, since noon, for the worker w1."""
    job = job_state_changes.claim(trial.pk, token="a" * 32, worker="w1", now=NOON)
    assert isinstance(job, Trial)
    return job
