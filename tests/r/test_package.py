"""What R says of its package, without a network."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests import servers

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="r/test_equal.py")]


# What asks other computers: the indexes of CRAN, and the time.
ALONE = {"_R_CHECK_CRAN_INCOMING_REMOTE_": "false", "_R_CHECK_SYSTEM_CLOCK_": "0"}


def run_r_command(folder: Path, *words: str) -> str:
    env = os.environ | ALONE
    done = subprocess.run(
        ["R", "CMD", *words], cwd=folder, capture_output=True, text=True, timeout=1_200, env=env
    )
    # R says on either which test it runs.
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    return told


def test_r_package_passes_r_cmd_check(tmp_path: Path) -> None:
    """Its examples, tests and vignette run in it. The manual as PDF, which needs LaTeX, is not made."""
    run_r_command(tmp_path, "build", str(servers.ROOT / "r"))
    (built,) = tmp_path.glob("candor_*.tar.gz")
    told = run_r_command(tmp_path, "check", "--as-cran", "--no-manual", built.name)
    assert "Status: OK" in told.splitlines(), told
    assert "Running ‘testthat.R’" in told
    # What takes long says how long.
    assert re.search(r"checking re-building of vignette outputs \.\.\.(?: \[.+\])? OK", told)


def test_r_package_needs_no_compiler_and_only_jsonlite() -> None:
    description = (servers.ROOT / "r" / "DESCRIPTION").read_text()
    assert "\nDepends: R (>= 4.1)\nImports: jsonlite, stats, utils\n" in description
    assert re.search(r"^URL: https://.*\nBugReports: https://", description, re.MULTILINE)
    version = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nVersion: {version}\n" in description
    assert not (servers.ROOT / "r" / "src").exists()
