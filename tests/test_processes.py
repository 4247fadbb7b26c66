"""What `./run test` says where tests fail, processes end and a night is old."""

import json
import re
import runpy
import subprocess
import sys
from argparse import Namespace
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import processes
from tests.commands import ROOT

FILES = {
    "test_first.py": """
import os

def test_one(tmp_path):
    print("what it printed")
    assert [1, 2] == [1, 3]

def test_ends_its_process():
    os._exit(0)

def test_after_it(): ...
""",
    "test_second.py": """
import pytest

@pytest.fixture(scope="module")
def opened():
    yield
    print("closed")

@pytest.mark.parametrize("number", range(20))
def test_each(number, opened): ...
""",
    "test_third.py": """
import warnings
import pytest

@pytest.mark.filterwarnings("ignore")
def test_that_may_warn():
    warnings.warn("for its own reasons")

def test_with_subtests(subtests):
    with subtests.test("holds"): ...
    with subtests.test("does not hold"):
        assert "first" == "second"

def test_what_is_left(tmp_path):
    (tmp_path / "file").write_text("")
""",
}


ROOMS = 20
WHO = """
import os
import pathlib

def test_who_runs_it():
    pathlib.Path(__file__).with_name(str(os.getpid())).touch()
"""


def run_tests(folder: Path, *options: str, files: dict[str, str] = FILES) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.processes",
        "-p",
        "no:django",
        "-p",
        "no:randomly",
    ]
    words += ["-p", "no:xdist", "-c", str(folder / "pytest.ini"), "--counts", str(folder / "counts.json")]
    return subprocess.run([*words, *options, str(folder)], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.page
def test_processes_share_the_tests_and_one_that_ends_loses_none(tmp_path: Path) -> None:
    done = run_tests(tmp_path, "--processes", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "5 failed, 22 passed" in done.stdout
    assert "assert [1, 2] == [1, 3]" in done.stdout
    assert "what it printed" in done.stdout
    assert "- 'second'" in done.stdout or "'first' == 'second'" in done.stdout
    assert "contains 1 failed subtest" in done.stdout
    assert "the process that ran this test ended" in done.stdout
    assert "1 tests were not run, since a process ended: test_first.py::test_after_it" in done.stdout
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert counts["passed"] == 22
    assert len(counts["failed_tests"]) == 5


@pytest.mark.page
def test_the_files_of_a_room_run_in_one_process(tmp_path: Path) -> None:
    files = {f"tests/{room}/test_{room}_{n}.py": WHO for n in range(3) for room in range(ROOMS)}
    done = run_tests(tmp_path, "--processes", "2", files=files)
    assert f"{3 * ROOMS} passed" in done.stdout, done.stdout + done.stderr
    rooms = [list((tmp_path / "tests" / str(room)).glob("[0-9]*")) for room in range(ROOMS)]
    assert [len(processes) for processes in rooms] == [1] * ROOMS


@pytest.mark.page
def test_the_first_failure_ends_all_processes(tmp_path: Path) -> None:
    done = run_tests(tmp_path, "--processes", "2", "--exitfirst")
    assert done.returncode == 1
    assert "stopping after 1 failures" in done.stdout


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `./run` defines, with a night of its own."""
    names = runpy.run_path(str(ROOT / "run"))
    monkeypatch.setitem(names["night_in_words"].__globals__, "NIGHT", tmp_path / "night.json")
    return names


def write_night(folder: Path, days: int, failed: list[str]) -> None:
    night = {"date": (date.today() - timedelta(days)).isoformat(), "minutes": 50, "passed": 14_000}  # noqa: DTZ011
    (folder / "night.json").write_text(json.dumps({**night, "failed": failed}))


@pytest.mark.parametrize(
    ("days", "failed", "words"),
    [
        (1, [], "All 14,000 tests of the night passed on "),
        (9, [], "The last night is 9 days old, more than 7"),
        (1, ["pytest"], ", failed: pytest."),
    ],
)
def test_the_age_of_the_night_is_said(
    run: dict[str, Any], tmp_path: Path, days: int, failed: list[str], words: str
) -> None:
    write_night(tmp_path, days, failed)
    assert words in run["night_in_words"]()


def test_no_version_is_tagged_without_a_night(run: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(run["Refused"], match="The last night is unknown"):
        run["tag"](Namespace(check=False))
    write_night(tmp_path, 1, ["pytest"])
    with pytest.raises(run["Refused"], match="failed: pytest"):
        run["tag"](Namespace(check=False))


def test_whether_a_version_may_be_tagged_is_asked_as_the_release_workflow_does(
    run: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workflow,) = re.findall(r"run: \./run (.+)", (ROOT / ".github/workflows/release.yml").read_text())
    (tmp_path / "pyproject.toml").write_text('version = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("## 1.2.3\n")
    monkeypatch.setitem(run["tag"].__globals__, "ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["run", *workflow.split()])
    assert run["main"]() == 1
    write_night(tmp_path, 1, [])
    assert run["main"]() == 0


def test_a_night_begins_with_the_files_that_took_long_in_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "night.json").write_text(json.dumps({"slow_files": {"tests/b/test_b.py": 90}}))
    monkeypatch.setattr(processes, "NIGHT", tmp_path / "night.json")
    nodes = [f"tests/{room}/test_{room}.py::test" for room in "abc"]
    items = [
        SimpleNamespace(path=Path(node.partition("::")[0]), nodeid=node, iter_markers=lambda: ())
        for node in nodes
    ]

    def rooms(markers: str) -> list[str]:
        never_run = SimpleNamespace(get=lambda _name, default: default)
        config = SimpleNamespace(cache=never_run, option=SimpleNamespace(markexpr=markers))
        session: Any = SimpleNamespace(items=items, config=config)
        return [task[0].path.parent.name for task in processes._tasks(session)]

    assert rooms("") == ["b", "a", "c"]
    assert rooms("not night") == ["a", "b", "c"]


def test_a_night_that_was_cut_short_has_failed(run: dict[str, Any], tmp_path: Path) -> None:
    """Without the counts that pytest writes at its end."""
    run["write_night"](tmp_path / "no-counts.json", ["pytest"], 600.0)
    assert "failed: pytest" in run["night_in_words"]()
