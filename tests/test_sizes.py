"""A file fits into a head and a function onto a screen."""

import ast

from tests.test_imports import ROOMS, ROOT

LONGEST_FILE, LONGEST_FUNCTION = 400, 45
FILES = [path for room in ROOMS for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts]
SCRIPTS = [path for room in ROOMS for path in (ROOT / room).rglob("*.js")] + list(ROOT.glob("static/*/*.js"))
TESTS = list((ROOT / "tests").rglob("*.py"))


def test_no_file_is_longer() -> None:
    own = [path for path in [*FILES, *SCRIPTS, *TESTS] if "vendor" not in path.parts]
    assert [path for path in own if len(path.read_text().splitlines()) > LONGEST_FILE] == []


def test_no_function_is_longer() -> None:
    long = [
        f"{path}: {node.name}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]
    assert long == []
