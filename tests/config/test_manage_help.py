"""`manage.py help` lists Candor's commands before those of other packages, and no command tells its progress in red."""

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


def test_progress_on_a_terminal_is_not_in_the_red_of_failures() -> None:
    code = "import manage; manage.prepare(); from django.core.management.color import color_style as s; "
    code += "print(repr(s(force_color=True).ERROR('5,000 of 10,000')))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=servers.ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "'\\x1b[1m5,000 of 10,000\\x1b[0m'\n"
