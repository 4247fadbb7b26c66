"""The short soak on PostgreSQL and Redis."""

import pytest

from tests.soak.soak import each_fault_once

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="jobs/test_stacks.py")]


def test_nothing_acknowledged_is_lost_whatever_is_killed_stopped_or_restarted() -> None:
    assert each_fault_once("production").unexpected_results == []
