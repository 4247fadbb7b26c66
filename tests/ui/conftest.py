"""The fixed cast of this room's tests: a visitor, somebody without a role, staff, and a reviewer."""

from collections.abc import Iterator

import pytest
from django.test import Client

from accounts import role_assignment
from accounts.models import REVIEWERS, Person
from ui import navigation


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.fixture
def client_of_somebody(db: None) -> Client:
    client = Client()
    client.force_login(Person.objects.create_user("somebody"))
    return client


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(Person.objects.create_superuser("staff"))
    return client


@pytest.fixture
def reviewer(db: None) -> Client:
    """Staff too, but with no right to change people."""
    client, person = Client(), Person.objects.create_user("reviewer")
    role_assignment.give_role(person, REVIEWERS, by=None)
    client.force_login(person)
    return client


@pytest.fixture
def nothing_registered() -> Iterator[None]:
    known = dict(navigation._entries)
    navigation._entries.clear()
    yield
    navigation._entries.clear()
    navigation._entries.update(known)
