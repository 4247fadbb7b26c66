"""A run of many records stays within the memory that docs/operations.md states."""

import re

import pytest

from bench import run
from tests.servers import ROOT

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="jobs/test_stacks.py")]


@pytest.mark.parametrize("records", [8_000_000, 100_000_000])
def test_run_stays_within_the_memory_stated_in_operations(records: int) -> None:
    text = (ROOT / "docs/operations.md").read_text()
    (megabytes,) = re.findall(r"a worker process holds at most (\d+) MB", text)
    with run.staged(records) as stage, run.working(stage, 1):
        stage.run(support=0.1, size=3)
    assert 0 < stage.memory["worker"] < int(megabytes)
