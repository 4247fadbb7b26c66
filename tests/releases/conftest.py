"""The fixed cast around one survey, 30 people of every age and town; hints go to a folder of the test's."""

import pytest

from people.models import Person
from releases.models import Release
from surveys.models import Survey
from tests.collaborators import editor, partial, viewer
from tests.hints import broker
from tests.releases import made, surveyed
from tests.releases.reading_here import read_here

__all__ = ["broker", "editor", "partial", "read_here", "viewer"]


@pytest.fixture
def survey(owner: Person) -> Survey:
    return surveyed.survey(owner, surveyed.everybody(30))


@pytest.fixture
def upload(owner: Person) -> Release:
    """A draft of an upload of the owner."""
    return made.uploaded(owner)
