"""The cast, around a survey with two sealed batches of 300; hints go to a folder of the test's."""

from collections.abc import Callable

import pytest
from django.test import Client

from mining.models import Run
from mining.parameters import Parameters
from mining.runs import starting
from people import roles
from people.models import RESEARCHERS, REVIEWERS, Person
from surveys.models import Collaborator, Survey
from tests.hints import broker
from tests.mining.runs import sealed, working
from tests.surveys.conftest import NOW, somebody

__all__ = ["broker"]

As = Callable[[Person], Client]
Ran = Callable[..., Run]


@pytest.fixture
def owner(db: None) -> Person:
    person = somebody("owner")
    roles.give(person, RESEARCHERS, by=None)
    return person


@pytest.fixture
def stranger(db: None) -> Person:
    person = somebody("stranger")
    roles.give(person, RESEARCHERS, by=None)
    return person


@pytest.fixture
def reviewer(db: None) -> Person:
    person = somebody("reviewer")
    roles.give(person, REVIEWERS, by=None)
    return person


@pytest.fixture
def superuser(db: None) -> Person:
    return somebody("superuser", is_superuser=True, is_staff=True)


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.survey(owner, sealed.small(), [300, 300])


@pytest.fixture
def viewer(survey: Survey) -> Person:
    person = somebody("viewer")
    Collaborator.objects.create(survey=survey, person=person, may_edit=False)
    return person


@pytest.fixture
def editor(survey: Survey) -> Person:
    person = somebody("editor")
    Collaborator.objects.create(survey=survey, person=person, may_edit=True)
    return person


@pytest.fixture
def ran(survey: Survey, owner: Person) -> Ran:
    """A run that a worker has done, over all that is sealed."""

    def run(of: Survey | None = None, **more: object) -> Run:
        wanted = Parameters(**{"min_support": 0.1, "min_confidence": 0.3, **more})  # type: ignore[arg-type]
        return working.work(starting.start(of or survey, owner, wanted, NOW))

    return run


@pytest.fixture
def signed_in_as() -> As:
    def sign_in(person: Person) -> Client:
        client = Client()
        client.force_login(person)
        return client

    return sign_in
