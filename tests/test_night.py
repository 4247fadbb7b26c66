"""What is tested at night alone has a smaller case of its subject at each push."""

import ast
from pathlib import Path

import pytest

from tests.conftest import spread_indices

TESTS = Path(__file__).parent
MARK = "pytest.mark.night"


def night_marks(nodes: list[ast.expr]) -> list[ast.AST]:
    return [
        node for expression in nodes for node in ast.walk(expression) if ast.unparse(node).startswith(MARK)
    ]


@pytest.mark.page
def test_a_file_of_the_night_names_its_smaller_case_and_any_other_has_tests_at_each_push() -> None:
    of_the_night: dict[str, str] = {}
    without_any_at_a_push = []
    for path in sorted(TESTS.rglob("test_*.py")):
        if MARK not in (text := path.read_text()):
            continue
        body, name = ast.parse(text).body, str(path.relative_to(TESTS))
        of_all = [
            node.value
            for node in body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
        ]
        if marks := night_marks(of_all):
            [smaller] = [
                keyword.value for mark in marks if isinstance(mark, ast.Call) for keyword in mark.keywords
            ]
            of_the_night[name] = ast.literal_eval(smaller)
            continue
        tests = [
            node
            for node in ast.walk(ast.Module(body, []))
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
        if all(MARK in map(ast.unparse, test.decorator_list) for test in tests):
            without_any_at_a_push.append(name)
    assert len(of_the_night) > 10
    assert without_any_at_a_push == []
    missing = {
        name: smaller
        for name, smaller in of_the_night.items()
        if smaller in of_the_night or not (TESTS / smaller).is_file()
    }
    assert missing == {}


def test_cases_at_a_push_are_spread_evenly_over_all_of_them() -> None:
    assert spread_indices(10, 4) == {0, 3, 6, 9}
    assert spread_indices(7, 1) == {0}
    assert spread_indices(3, 3) == spread_indices(3, 5) == {0, 1, 2}


@pytest.mark.at_push(2)
@pytest.mark.parametrize("case", range(5))
def test_all_other_cases_of_a_test_run_at_night(case: int, request: pytest.FixtureRequest) -> None:
    assert (request.node.get_closest_marker("night") is None) == (case in {0, 4})
