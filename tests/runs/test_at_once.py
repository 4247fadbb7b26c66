"""A survey is destroyed at the very moment at which something of it is stored, on PostgreSQL."""

import pytest

from tests import servers
from tests.conftest import Migrated

pytestmark = pytest.mark.server

BEGUN = """
from django.utils import timezone
from mining.parameters import Parameters
from runs import starting
from accounts.models import Person
from tests.runs import overlapping, sealed, working
owner = Person.objects.create(username="owner")
survey = sealed.survey(owner, sealed.{design}(), [150, 150])
run = starting.start(survey, owner, Parameters(0.2, 0.4, max_size=2), timezone.now())
"""
DESTROY = """
act = overlapping.computed(run)
print(overlapping.destroyed_meanwhile(survey, act))
"""


@pytest.mark.parametrize(
    "design",
    [
        pytest.param("small", id="a run that keeps a histogram"),
        pytest.param("large", id="a run that keeps none"),
    ],
)
def test_a_survey_is_destroyed_while_results_are_stored(migrated: Migrated, design: str) -> None:
    env = migrated(f"stored_{design}")
    said = servers.manage(env, "shell", "--verbosity=0", "-c", BEGUN.format(design=design) + DESTROY)
    assert said.splitlines()[-1] == "['done', 'done']"
