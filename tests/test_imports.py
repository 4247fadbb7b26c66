"""No module imports in a circle; an import inside a function says why it stands there.

Every import counts: at the top of a module, inside a function, and under TYPE_CHECKING.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.product import ROOMS

ROOT = Path(__file__).parent.parent

REASONS = ("# late for cost", "# late for Django")
"""Ends the line of an import inside a function: what it loads is slow and seldom needed, or Django is not set up when
the module is loaded. `AppConfig.ready` needs no comment."""


STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""Kinds of nodes that an import may stand in."""


@dataclass(frozen=True)
class Import:
    """`package` is what a relative import starts from; `name` is None for `import package`."""

    line: int
    package: str
    name: str | None

    def target(self, modules: Mapping[str, Path]) -> str | None:
        """The module that it loads, where that is one of these."""
        inner = f"{self.package}.{self.name}"
        return inner if inner in modules else self.package if self.package in modules else None


def modules(rooms: Iterable[str] = ROOMS) -> dict[str, Path]:
    found = {}
    for room in rooms:
        for path in (ROOT / room).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(path: Path) -> list[tuple[Import, bool]]:
    """Each import of a file, and whether it stands inside a function that has to say why."""
    found: list[tuple[Import, bool]] = []
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text()), False)]
    while waiting:
        node, is_late = waiting.pop()
        found += [(one, is_late) for one in imports_by(node)]
        if isinstance(node, ast.FunctionDef) and not (path.name == "apps.py" and node.name == "ready"):
            is_late = True
        waiting += [(child, is_late) for child in ast.iter_child_nodes(node) if isinstance(child, STATEMENTS)]
    return found


def imports_by(node: ast.AST) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(node.lineno, alias.name, None) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert not node.level, "imports are absolute"
        yield from (Import(node.lineno, node.module or "", alias.name) for alias in node.names)


def graph(of: Mapping[str, Path]) -> dict[str, set[str]]:
    """The modules that each module imports."""
    found = {}
    for name, path in of.items():
        targets = {one.target(of) for one, _is_late in imports(path)}
        found[name] = {target for target in targets if target and target != name}
    return found


def circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one node (R. Tarjan, 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for target in sorted(edges[node]):
            if target not in number:
                visit(target)
                lowest[node] = min(lowest[node], lowest[target])
            elif target in stack:
                lowest[node] = min(lowest[node], number[target])
        if lowest[node] == number[node]:
            at = stack.index(node)
            component = stack[at:]
            del stack[at:]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return found


def test_circular_imports_are_detected() -> None:
    edges = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": set[str](), "f": {"g"}, "g": {"f"}}
    assert circles(edges) == [["a", "b", "c"], ["f", "g"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.page
def test_no_module_imports_in_a_circle() -> None:
    assert circles(graph(modules())) == []


@pytest.mark.page
def test_an_import_inside_a_function_says_why() -> None:
    silent = []
    for path in modules().values():
        lines = path.read_text().splitlines()
        late = {one.line for one, is_late in imports(path) if is_late}
        silent += [f"{path}:{line}" for line in sorted(late) if not lines[line - 1].endswith(REASONS)]
    assert silent == []


TEXT = re.compile(r"""\"{3}(.*?)\"{3}|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'""", re.DOTALL)
"""A text in quotation marks; to parse every file for these takes ten times as long."""
IN_TEXT = re.compile(r"(?<!except ImportError:\n    )from ([\w.]+) import (\w+(?:, \w+)*)")
"""Imports in a program that a test or a bench hands to another process; not of names that only earlier versions had."""


@cache
def names_defined_in(path: Path) -> set[str]:
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    imported = {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assigned = {node.id for node in nodes if isinstance(node, ast.Name)}
    return imported | assigned | {str(getattr(node, "name", "")) for node in nodes}


@pytest.mark.page
def test_programs_in_strings_import_existing_names() -> None:
    """Many of them run at night alone, so a name that has changed would be noticed late."""
    rooms = (*ROOMS, "tests", "bench")
    known = modules(rooms)
    missing, seen = [], 0
    for path in sorted([*ROOT.glob("tests/**/*.py"), *ROOT.glob("bench/*.py")]):
        texts = map("".join, TEXT.findall(path.read_text()))
        for package, names in [found for text in texts for found in IN_TEXT.findall(text)]:
            if package.partition(".")[0] not in rooms:
                continue
            here = names_defined_in(known[package]) if package in known else set()
            wrong = [
                name for name in names.split(", ") if f"{package}.{name}" not in known and name not in here
            ]
            missing += [f"{path.relative_to(ROOT)}: {package}.{name}" for name in wrong]
            seen += 1
    assert seen > 100
    assert missing == []
