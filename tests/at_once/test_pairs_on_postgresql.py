"""Two acts on one survey at once on PostgreSQL, each in a thread of its own, in a seeded order."""

import json

import pytest

from tests import servers
from tests.conftest import Migrated

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="at_once/test_pairs.py")]
CAMPAIGN = """
from tests.at_once.test_pairs import run_campaign
run_campaign(seed=71, seconds=240, places=2)
"""


def test_any_two_actions_end_as_one_after_the_other_on_postgresql(migrate: Migrated) -> None:
    said = servers.manage(migrate("pairs"), "shell", "--verbosity=0", "-c", CAMPAIGN)
    found = json.loads(said.splitlines()[-1])
    print({name: number for name, number in found.items() if name != "wrong"})
    assert not found["wrong"], f"{len(found['wrong'])}:\n" + "\n".join(found["wrong"][:20])
    assert found["pairs"] > 10
