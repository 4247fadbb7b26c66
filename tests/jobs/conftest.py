"""The cast: an operator (staff) and a stranger who is merely signed in. Messages go to a folder of the test's."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from accounts.models import Person
from jobs import job_state_changes
from jobs.models import Trial
from tests.wake_ups import broker

__all__ = ["broker"]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MakeTrial = Callable[..., Trial]


def person(name: str, staff: bool) -> Person:
    return Person.objects.create(username=name, is_staff=staff)


@pytest.fixture
def operator(db: None) -> Person:
    return person("operator", True)


@pytest.fixture
def stranger(db: None) -> Person:
    return person("stranger", False)


@pytest.fixture
def as_operator(client: Client, operator: Person) -> Client:
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def make_trial(operator: Person) -> MakeTrial:
    def make(**more: object) -> Trial:
        usual = {"created": NOON, "queued": NOON, "steps": 3, "pause": 0}
        return Trial.objects.create(person=operator, **{**usual, **more})

    return make


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
