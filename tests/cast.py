"""The fixed cast. Rooms add who stands in some relation to a thing of theirs: editor, viewer, partial."""

from collections.abc import Callable

import pytest
from django.test import Client

from people import roles
from people.models import RESEARCHERS, REVIEWERS, Person

As = Callable[[Person | None], Client]


def somebody(username: str, **more: str | bool) -> Person:
    person = Person(username=username, email=f"{username}@example.org", **more)
    person.set_unusable_password()
    person.save()
    return person


@pytest.fixture
def owner(db: None) -> Person:
    person = somebody("owner", name="Olga Owner")
    roles.give(person, RESEARCHERS, by=None)
    return person


@pytest.fixture
def stranger(db: None) -> Person:
    """A researcher who has nothing to do with the survey."""
    person = somebody("stranger")
    roles.give(person, RESEARCHERS, by=None)
    return person


@pytest.fixture
def reviewer(db: None) -> Person:
    person = somebody("reviewer", name="Ruth Reviewer")
    roles.give(person, REVIEWERS, by=None)
    return person


@pytest.fixture
def superuser(db: None) -> Person:
    return somebody("superuser", is_superuser=True, is_staff=True)


@pytest.fixture
def signed_in_as() -> As:
    """Nobody is signed in as nobody."""

    def sign_in(person: Person | None) -> Client:
        client = Client()
        if person:
            client.force_login(person)
        return client

    return sign_in
