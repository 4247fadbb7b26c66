"""The packages of the product, as pyproject.toml lists them, their files, and the tests by name."""

import ast
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests import servers

_project = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())
ROOMS: tuple[str, ...] = tuple(_project["tool"]["importlinter"]["root_packages"])
_SOURCES = (*ROOMS, "static", "r", "docs")


@cache
def files(ending: str) -> tuple[Path, ...]:
    """The product's own, in order; what is installed beside them (.venv, node_modules) is not looked through."""
    top = servers.ROOT.glob(f"*{ending}")
    return tuple(
        sorted([*top, *(file for room in _SOURCES for file in (servers.ROOT / room).rglob(f"*{ending}"))])
    )


@cache
def functions(path: str) -> frozenset[str]:
    """Of a test file, those of its classes as `Class::test`."""
    source = (servers.ROOT / "tests" / path).read_text()
    if not path.endswith(".py"):
        return frozenset(re.findall(r'^test\("(.+?)"', source, re.MULTILINE))
    tree = ast.parse(source)
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return frozenset(found)


def missing_tests(named: Iterable[str]) -> list[str]:
    """Those of these tests, written `file::test`, that are not there; of JavaScript a whole file may be named."""
    missing = []
    for test in named:
        path, _, name = test.partition("::")
        if not (name in functions(path) if name else (servers.ROOT / "tests" / path).exists()):
            missing.append(test)
    return missing
