"""The push that is measured: who gives up is lost, and people are counted, not their tries."""

import time
from pathlib import Path

import pytest

from bench.push import ASKS, Push
from tests.intake.conftest import live_survey
from tests.servers import run_in_thread

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="intake/test_rate.py")]


def test_people_beyond_the_limit_wait_or_are_lost(tmp_path: Path) -> None:
    with live_survey(tmp_path, ASKS, {"RECORDS_PER_MINUTE": "20"}) as home:
        # Nobody is told to come back within two seconds.
        push = Push(home.port, home.slug, 60, 1.0, 2.0, time.monotonic() + 60)
        run_in_thread(push.send)
        stored = len(home.find().all_records)
    assert len(push.waits) == stored
    assert stored >= 20
    assert push.lost == push.asked_to_wait == 60 - stored > 20
    assert push.requests == 60


def test_people_within_the_limit_neither_wait_nor_are_lost(tmp_path: Path) -> None:
    with live_survey(tmp_path, ASKS, {}) as home:
        push = Push(home.port, home.slug, 60, 1.0, 60.0, time.monotonic() + 120)
        run_in_thread(push.send)
        assert len(home.find().all_records) == 60
    assert (push.lost, push.asked_to_wait, push.requests) == (0, 0, 60)
