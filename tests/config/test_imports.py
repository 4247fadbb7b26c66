"""The rooms import one another only as the design says, and the tool that holds this would notice."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import servers

ROOMS = ["config", "look", "people", "jobs", "privacy", "surveys", "mining", "papers"]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as c; c()",
        "--no-cache",
    ]
    env = servers.environment(PYTHONPATH=str(folder))
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for room in ROOMS:
        shutil.copytree(
            servers.ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__", "static")
        )
    shutil.copy(servers.ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("jobs", "import people"),
        ("people", "from jobs import models"),
        ("look", "import people.models"),
        ("privacy", "import django"),
        ("privacy", "import surveys"),
        ("surveys", "from config import settings"),
        ("mining", "import mining.reports.models"),
    ],
)
def test_a_planted_wrong_import_is_found(copy: Path, room: str, line: str) -> None:
    assert lint(copy).returncode == 0
    (copy / room / "planted.py").write_text(line + "\n")
    done = lint(copy)
    assert done.returncode == 1
    assert f"{room}.planted" in done.stdout
