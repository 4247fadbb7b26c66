"""What stands in the night has a smaller case of its subject in every run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tiers import NIGHT, in_night, is_whole

TESTS = Path(__file__).parent
MARK = "@pytest.mark.night"
MARKED = [path for path in sorted(TESTS.rglob("test_*.py")) if MARK in path.read_text()]


def unmarked(body: list[ast.stmt]) -> Iterator[str]:
    """The tests that bear no mark `night`."""
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if MARK.removeprefix("@") in map(ast.unparse, node.decorator_list):
            continue
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}::{name}" for name in unmarked(node.body))
        elif node.name.startswith("test_"):
            yield node.name


@pytest.mark.parametrize("key", NIGHT)
def test_it_is_there_and_so_is_its_smaller_case(key: str) -> None:
    path, _colons, name = key.partition("::")
    place, smaller = TESTS / path, TESTS / NIGHT[key]
    assert place.exists()
    assert name.split("::")[-1].partition("[")[0] in (place.read_text() if name else "")
    assert smaller.is_file()
    assert not in_night(f"tests/{NIGHT[key]}")
    assert not is_whole(key) or smaller != place


@pytest.mark.parametrize("path", MARKED, ids=lambda path: str(path.relative_to(TESTS)))
def test_a_file_of_marked_tests_has_others_that_run_at_each_push(path: Path) -> None:
    name = f"tests/{path.relative_to(TESTS)}"
    left = list(unmarked(ast.parse(path.read_text()).body))
    assert not in_night(name)
    assert [test for test in left if not in_night(f"{name}::{test}")]


def test_a_test_is_in_night_by_its_folder_its_file_or_its_name() -> None:
    assert in_night("tests/soak/test_embedded.py::test_all")
    assert in_night("tests/config/test_hanging.py")
    assert in_night("tests/accounts/test_on_servers.py::test_guesses_from_many[1]")
    assert not in_night("tests/accounts/test_on_servers.py::test_another")
    assert not in_night("tests/jobs/test_stacks.py")
