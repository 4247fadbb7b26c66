"""A start does not look for garbage among what it loads: that took as long as loading it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import servers

pytestmark = pytest.mark.page
LOAD = """
import gc, json
before = gc.get_stats()[2]["collections"]
import config.wsgi
print(json.dumps([gc.get_stats()[2]["collections"] - before, gc.get_freeze_count(), gc.isenabled()]))
"""


def test_what_a_start_loads_is_never_looked_through_and_later_garbage_is_collected(tmp_path: Path) -> None:
    words = [sys.executable, "-W", "ignore:No directory at", "-c", LOAD]
    env = servers.environment(VAR=str(tmp_path))
    done = subprocess.run(words, cwd=servers.ROOT, env=env, check=True, capture_output=True, text=True)
    searches, kept, enabled = json.loads(done.stdout)
    assert searches == 0
    assert kept > 100_000, "the objects of the product"
    assert enabled
