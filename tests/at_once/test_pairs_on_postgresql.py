"""Two acts on one survey at once on PostgreSQL, each in a thread of its own, in a seeded order."""

import json
from typing import Any

import pytest

from tests import servers
from tests.conftest import Migrated

pytestmark = pytest.mark.server
CAMPAIGN = """
from tests.at_once.test_pairs import PAIRS, run_campaign
run_campaign(seed=71, seconds=240, {})
"""


def run_campaign(environment: dict[str, str], arguments: str) -> dict[str, Any]:
    said = servers.manage(environment, "shell", "--verbosity=0", "-c", CAMPAIGN.format(arguments))
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    print({name: number for name, number in found.items() if name != "wrong"})
    assert not found["wrong"], f"{len(found['wrong'])}:\n" + "\n".join(found["wrong"][:20])
    return found


def test_a_decision_during_the_publication_comes_before_or_after_it(migrate: Migrated) -> None:
    pairs = [("reviewable", "accept", "publish"), ("reviewable", "undo", "publish too")]
    assert run_campaign(migrate("decisions"), f"places=4, all_pairs={pairs}")["pairs"] == len(pairs)


@pytest.mark.night
def test_any_two_actions_end_as_one_after_the_other_on_postgresql(migrate: Migrated) -> None:
    assert run_campaign(migrate("pairs"), "places=2, all_pairs=PAIRS")["pairs"] > 10
