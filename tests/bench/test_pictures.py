"""./run pictures walks from an empty instance to a published rule, and makes the pictures that the tutorial shows."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import servers

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


def test_picture_walk_makes_exactly_the_tutorials_pictures(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "bench.pictures", "--output", str(tmp_path)]
    done = subprocess.run(words, cwd=servers.ROOT, env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = [*servers.ROOT.glob("docs/pictures/*"), *servers.ROOT.glob("intake/static/intake/*.png")]
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in shown}
