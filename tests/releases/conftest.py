"""The fixed cast around one survey, 30 people of every age and town; wake-up messages go to a folder of the test's."""

from collections.abc import Iterator

import pytest

from accounts.models import Person
from privacy.anonymity.tables.specification import Specification
from releases.models import Release
from surveys.models import Survey
from tests.cast import editor, partial, viewer
from tests.releases import made, surveyed
from tests.releases.reading_here import read_here
from tests.wake_ups import broker

__all__ = ["broker", "editor", "partial", "read_here", "viewer"]


@pytest.fixture(autouse=True)
def asked(request: pytest.FixtureRequest) -> Iterator[list[Specification]]:
    """What pycanon was asked of: every file that is published, but by quick tests, which publish none."""
    if not request.node.get_closest_marker("page"):
        yield []
        return
    from tests.privacy.anonymity import second_opinion  # late for cost

    with second_opinion.asked_of_every_file() as found:
        yield found


@pytest.fixture
def survey(owner: Person) -> Survey:
    return surveyed.survey(owner, surveyed.everybody(40))


@pytest.fixture
def upload(owner: Person) -> Release:
    """A draft of an upload of the owner."""
    return made.uploaded(owner)
