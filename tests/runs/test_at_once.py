"""A survey is destroyed at the very moment at which something of it is stored, on PostgreSQL."""

import pytest

from tests import servers
from tests.conftest import Migrated

pytestmark = pytest.mark.server

BEGUN = """
from django.conf import settings
from django.utils import timezone
from runs.models import Shard
from mining.parameters import Parameters
from runs import starting
from accounts.models import Person
from tests.runs import overlapping, sealed, working
owner = Person.objects.create(username="owner")
survey = sealed.survey(owner, sealed.{design}(), [150, 150])
run = starting.start(survey, owner, Parameters(0.2, 0.4, max_size=2), timezone.now())
"""
RUN = """
act = overlapping.computed(run)
"""
SHARD = """
settings.SHARD_RECORDS = 192
working.one(run)
act = overlapping.computed(Shard.objects.filter(run=run).first())
"""
QUESTION = """
from types import SimpleNamespace
from runs.shards import predicted_queries, sharding
# A sample of so few foresees hardly anything, so that there is a next question.
predicted_queries.RECORDS = 40
# Whoever counts the last part would let the run go on at once.
sharding.tasks = SimpleNamespace(work=lambda *job: None)
settings.SHARD_RECORDS = 192
working.one(run)
for shard in Shard.objects.filter(run=run):
    working.one(shard)
run.refresh_from_db()
act = overlapping.asking(run)
"""
DESTROY = """
print(overlapping.destroyed_meanwhile(survey, act))
"""


@pytest.mark.parametrize(
    ("design", "act"),
    [
        pytest.param("small", RUN, id="a run that keeps a histogram"),
        pytest.param("large", RUN, id="a run that keeps none"),
        pytest.param("large", SHARD, id="a part of a run"),
        pytest.param("large", QUESTION, id="the next question to the parts"),
    ],
)
def test_a_survey_is_destroyed_while_results_are_stored(
    migrated: Migrated, design: str, act: str, request: pytest.FixtureRequest
) -> None:
    name = f"stored_{request.node.callspec.indices['act']}"
    said = servers.manage(
        migrated(name), "shell", "--verbosity=0", "-c", BEGUN.format(design=design) + act + DESTROY
    )
    assert said.splitlines()[-1] == "['done', 'done']"
