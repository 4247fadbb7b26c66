"""Who works on a survey: fixtures of a room import those they need, and have a fixture `survey`."""

import pytest

from accounts.models import REVIEWERS, Person
from surveys.models import Collaborator, Survey
from tests.cast import somebody, with_role


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
