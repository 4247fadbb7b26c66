"""The fixed cast, and who stands in some relation to a `survey` of a room: editor, viewer, partial."""

from collections.abc import Callable, Iterator

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import DjangoDbBlocker

from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, Person
from surveys.models import Collaborator, Survey

As = Callable[[Person | None], Client]


def somebody(username: str, **more: str | bool) -> Person:
    person = Person(username=username, email=f"{username}@example.org", **more)
    person.set_unusable_password()
    person.save()
    return person


def with_role(group: str, username: str, **more: str | bool) -> Person:
    person = somebody(username, **more)
    role_assignment.give_role(person, group, by=None)
    return person


@pytest.fixture
def owner(db: None) -> Person:
    return with_role(RESEARCHERS, "owner", name="Olga Owner")


@pytest.fixture
def stranger(db: None) -> Person:
    """A researcher who has nothing to do with the survey."""
    return with_role(RESEARCHERS, "stranger")


@pytest.fixture
def reviewer(db: None) -> Person:
    return with_role(REVIEWERS, "reviewer", name="Ruth Reviewer")


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


@pytest.fixture(scope="module")
def shared_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """What fixtures of a module write into the database is there for all of its tests, and gone after them."""
    with django_db_blocker.unblock():
        whole = transaction.atomic()
        whole.__enter__()
    yield
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        whole.__exit__(None, None, None)


def joined(survey: Survey, person: Person, *, may_edit: bool) -> Person:
    Collaborator.objects.create(survey=survey, person=person, may_edit=may_edit)
    return person


@pytest.fixture
def viewer(survey: Survey) -> Person:
    return joined(survey, somebody("viewer"), may_edit=False)


@pytest.fixture
def editor(survey: Survey) -> Person:
    return joined(survey, somebody("editor"), may_edit=True)


@pytest.fixture
def partial(survey: Survey) -> Person:
    """A reviewer who works on this survey, so that it is not theirs to review."""
    return joined(survey, with_role(REVIEWERS, "partial"), may_edit=True)
