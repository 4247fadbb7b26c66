"""The cast, around a survey with two sealed batches of 300; wake-up messages go to a folder of the test's."""

from collections.abc import Callable

import pytest

from accounts.models import Person
from mining.parameters import Parameters
from runs import starting
from runs.models import Run
from surveys.models import Survey
from tests.cast import editor, viewer
from tests.runs import sealed, working
from tests.surveys.conftest import NOW
from tests.wake_ups import broker

__all__ = ["broker", "editor", "viewer"]

Ran = Callable[..., Run]


@pytest.fixture
def survey(owner: Person) -> Survey:
    return sealed.survey(owner, sealed.small(), [300, 300])


@pytest.fixture
def ran(survey: Survey, owner: Person) -> Ran:
    """A run that a worker has done, over all that is sealed."""

    def run(of: Survey | None = None, **more: object) -> Run:
        wanted = Parameters(**{"min_support": 0.1, "min_confidence": 0.3, **more})  # type: ignore[arg-type]
        return working.work(starting.start(of or survey, owner, wanted, NOW))

    return run
