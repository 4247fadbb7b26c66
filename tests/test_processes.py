"""What `./run test` says where tests fail, processes end and a night is old."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import processes
from tests.commands import ROOT

FILES = {
    "test_first.py": """
import os

def test_one_whose_name_alone_fills_the_eighty_characters_of_a_narrow_terminal_line(tmp_path):
    print("what it printed")
    assert [1, 2] == [1, 3], "numbers of a list"

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
    words = [sys.executable, "-m", "pytest", "-q", "-p", "tests.processes", "-p", "no:django"]
    words += ["-p", "no:randomly", "-p", "no:xdist", "-c", str(folder / "pytest.ini")]
    words += ["--counts", str(folder / "counts.json"), *options, str(folder)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.page
def test_processes_share_the_tests_and_one_that_ends_loses_none(tmp_path: Path) -> None:
    done = run_tests(tmp_path, "--processes", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "5 failed, 22 passed" in done.stdout
    assert "terminal_line - AssertionError: numbers of a list: assert [1, 2] == [1, 3]" in done.stdout
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


def test_a_night_begins_with_the_files_that_took_long_in_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "night.json").write_text(json.dumps({"suite": {"slow_files": {"tests/b/test_b.py": 90}}}))
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

    assert rooms("not apart") == ["b", "a", "c"]
    assert rooms("not night") == ["a", "b", "c"]
