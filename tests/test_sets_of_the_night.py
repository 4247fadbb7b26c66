"""The sets of the night: which runs next, what its row says, and what bars a tag."""

import json
import re
import runpy
import subprocess
import sys
from argparse import Namespace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests import night

ROOT = Path(__file__).parent.parent
EVERY = ["suite", "chance", "library", *night.FILES, "python 3.12", "python 3.13"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A night of its own."""
    monkeypatch.setattr(night, "NIGHT", tmp_path / "night.json")
    monkeypatch.setattr(night, "COUNTS", tmp_path / "var" / "counts.json")
    return tmp_path


def write_rows(folder: Path, days: int = 1, **days_of: int) -> None:
    rows = {
        name: {
            "date": (night.today() - timedelta(days_of.get(name, days))).isoformat(),
            "minutes": 50,
            "passed": 14_000,
            "failed": [],
        }
        for name in EVERY
    }
    (folder / "night.json").write_text(json.dumps(rows))


def write_failure(folder: Path, name: str) -> None:
    rows = night.read_rows()
    rows[name]["failed"] = ["tests/a.py::test_b"]
    (folder / "night.json").write_text(json.dumps(rows))


def test_tag_needs_a_green_suite_and_recent_sets(folder: Path) -> None:
    assert night.reasons_against_a_tag() == [f"{name}: never run" for name in EVERY[:-2]]
    write_rows(folder)
    assert night.reasons_against_a_tag() == []
    write_failure(folder, "debians")
    assert night.reasons_against_a_tag() == []
    write_rows(folder, debians=8)
    [reason] = night.reasons_against_a_tag()
    assert re.fullmatch(
        r"debians: \d{4}-\d\d-\d\d, 14,000 passed in 50 minutes; more than 7 days ago", reason
    )
    write_rows(folder)
    write_failure(folder, "suite")
    [reason] = night.reasons_against_a_tag()
    assert reason.endswith("; failed: tests/a.py::test_b")


def test_of_the_other_sets_the_oldest_or_one_that_never_ran_is_due(folder: Path) -> None:
    sets = night.all_sets("python", {"3.12": "/opt/python3.12", "3.13": "/opt/python3.13"})
    write_rows(folder, days=1, debians=5, suite=9, chance=9)
    assert night.due_set(sets).name == "debians"
    rows = night.read_rows()
    del rows["python 3.12"]
    (folder / "night.json").write_text(json.dumps(rows))
    assert night.due_set(sets).name == "python 3.12"


def test_a_set_on_another_python_runs_the_suite_there() -> None:
    commands = {one.name: one.command for one in night.all_sets("python", {"3.13": "/opt/python3.13"})}
    words = ["test", "--python", "/opt/python3.13", "--", "-m", "not apart and not night"]
    assert commands["python 3.13"][2:] == words
    assert commands["suite"][:1] == ["/usr/bin/python3"]


@pytest.mark.parametrize(
    ("script", "failed"),
    [
        ("open(path, 'w').write('{\"passed\": 3, \"failed_tests\": []}')", []),
        ('open(path, \'w\').write(\'{"passed": 3, "failed_tests": ["t::a"]}\'); sys.exit(1)', ["t::a"]),
        ("sys.exit(2)", ["image ended with 2"]),
    ],
)
def test_a_row_says_what_failed_or_that_the_set_was_cut_short(
    folder: Path, script: str, failed: list[str]
) -> None:
    code = f"import sys; path = {str(night.COUNTS)!r}; {script}"
    night.COUNTS.parent.mkdir()
    night.COUNTS.write_text('{"passed": 99, "failed_tests": []}')
    row = night.run_set(night.NightSet("image", [sys.executable, "-c", code]))
    assert row["failed"] == failed
    assert night.read_rows()["image"] == row
    assert row.get("passed", 0) != 99, "counts of another run"


def test_files_of_a_set_exist_and_their_tests_are_marked_apart() -> None:
    """So the suite leaves out exactly what the other sets run."""
    for path in night.FILES.values():
        files = sorted((ROOT / path).rglob("test_*.py")) if (ROOT / path).is_dir() else [ROOT / path]
        assert files
        assert all("pytest.mark.apart" in file.read_text() for file in files), path


def test_a_version_is_tagged_only_if_the_night_bars_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As the workflow of a release asks, without an environment."""
    run: dict[str, Any] = runpy.run_path(str(ROOT / "run"))
    (workflow,) = re.findall(r"run: \./run (.+)", (ROOT / ".github/workflows/release.yml").read_text())
    (tmp_path / "pyproject.toml").write_text('version = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("## 1.2.3\n")
    (tmp_path / "tests").mkdir()
    copy = tmp_path / "tests" / "night.py"
    copy.write_text((ROOT / "tests/night.py").read_text())
    places = {"ROOT": tmp_path, "NIGHT": copy}
    for name, value in places.items():
        monkeypatch.setitem(run["tag"].__globals__, name, value)
    with pytest.raises(run["Refused"], match="the night bars it: suite: never run"):
        run["tag"](Namespace(check=False))
    write_rows(tmp_path / "tests")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".git/info/exclude").write_text("*\n")
    monkeypatch.setattr("sys.argv", ["run", *workflow.split()])
    assert run["main"]() == 0
