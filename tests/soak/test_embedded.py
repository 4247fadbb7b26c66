"""The short soak on SQLite and the filesystem queue; modules of their own let both stacks be tested at once."""

import pytest

from tests.soak.soak import each_fault_once

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="jobs/test_stacks.py")]


def test_nothing_acknowledged_is_lost_whatever_is_killed_stopped_or_restarted() -> None:
    assert each_fault_once("embedded").unexpected_results == []
