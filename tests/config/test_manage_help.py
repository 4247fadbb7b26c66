"""`manage.py help` lists Candor's commands before those of other packages."""

import re
import subprocess
import sys

import pytest

from tests import servers

pytestmark = pytest.mark.page


def test_the_commands_of_candor_are_listed_first() -> None:
    words = [sys.executable, "manage.py", "help"]
    done = subprocess.run(words, cwd=servers.ROOT, capture_output=True, text=True, check=True)
    apps = re.findall(r"^\[(\w+)\]$", done.stdout, re.MULTILINE)
    own = ["accounts", "backup", "papers", "proof", "rehearsal", "surveys"]
    assert apps[: len(own)] == own
    assert "django" in apps[len(own) :]
    for command in ("prove", "reproduce", "simulate_respondents", "migrate"):
        assert f"\n    {command}\n" in done.stdout
