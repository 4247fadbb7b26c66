"""What R says of its package, without a network."""

import subprocess
from pathlib import Path

import pytest

from tests import servers

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="r/test_equal.py")]


def r(folder: Path, *words: str) -> str:
    done = subprocess.run(["R", "CMD", *words], cwd=folder, capture_output=True, text=True, timeout=1_200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_check_of_r_finds_nothing(tmp_path: Path) -> None:
    """Its examples and tests run in it."""
    r(tmp_path, "build", str(servers.ROOT / "r"))
    (built,) = tmp_path.glob("candor_*.tar.gz")
    told = r(tmp_path, "check", "--no-manual", built.name)
    assert "Status: OK" in told.splitlines(), told
    assert (tmp_path / "candor.Rcheck" / "tests" / "by_hand.Rout").is_file()


def test_it_needs_no_compiler_and_of_other_packages_jsonlite_alone() -> None:
    description = (servers.ROOT / "r" / "DESCRIPTION").read_text()
    assert "\nDepends: R (>= 4.1)\nImports: jsonlite, stats, utils\n" in description
    assert not (servers.ROOT / "r" / "src").exists()
