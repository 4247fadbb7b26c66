"""The short soak; `./run bench soak` is the long one, and docs/reliability.md what that found."""

import os
import secrets

import pytest

from tests.soak import faults
from tests.soak.soak import soak
from tests.soak.system import STACKS

pytestmark = [pytest.mark.server, pytest.mark.slow]
SECONDS = 90


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_acknowledged_is_lost_whatever_is_killed_stopped_or_restarted(stack: str) -> None:
    seed = int(os.environ.get("SOAK_SEED", secrets.randbelow(10**6)))
    print(f"SOAK_SEED={seed} brings the same faults in the same order")
    outcome = soak(stack, SECONDS, seed)
    for fault, times, _expectation, observed in outcome.rows():
        print(f"{times} × {fault}: {observed}")
    for check in outcome.checks:
        print(f"{check.what}: {check.observed}")
    assert outcome.wrong == []
    assert {struck.fault for struck in outcome.struck} == set(faults.known(stack))
