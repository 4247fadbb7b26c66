"""The fixed cast around one survey, 30 people of every age and town; hints go to a folder of the test's."""

import pytest

from people.models import REVIEWERS, Person
from releases.models import Release
from surveys.models import Collaborator, Survey
from tests.cast import somebody, with_role
from tests.hints import broker
from tests.releases import made, surveyed

__all__ = ["broker"]


@pytest.fixture
def survey(owner: Person) -> Survey:
    return surveyed.survey(owner, surveyed.everybody(30))


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
def partial(survey: Survey) -> Person:
    """A reviewer who works on this survey, so that it is not theirs to review."""
    person = with_role(REVIEWERS, "partial")
    Collaborator.objects.create(survey=survey, person=person, may_edit=True)
    return person


@pytest.fixture
def upload(owner: Person) -> Release:
    """A draft of an upload of the owner."""
    return made.uploaded(owner)
