"""pyproject.toml declares just the packages that product code imports, and those that settings name."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions, requires

import pytest

from tests import servers
from tests.rooms import ROOMS

NAMED = {
    "argon2-cffi": "PASSWORD_HASHERS",
    "brotli": "whitenoise compresses static files with it",
    "psycopg": "the backend of PostgreSQL",
    "redis": "the broker and the cache",
}
"""Not imported by us, or only inside of Django and Celery, by why each is needed."""

BROUGHT = {"matplotlib": "mlxtend", "pydantic": "django-ninja", "pyjwt": "django-allauth"}
"""Imported by us, and required by a package that is declared."""


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> dict[str, set[str]]:
    """By the library, the server, which has the library's too, and the proof with a browser."""
    project = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())["project"]
    parts = {"library": project["dependencies"], **project["optional-dependencies"]}
    return {part: {plain(re.split(r"[\[<>=]", line)[0]) for line in lines} for part, lines in parts.items()}


def imported(rooms: Iterable[str]) -> set[str]:
    """The packages that files of these rooms import, at the top or inside a function."""
    names: set[str] = set()
    for path in (path for room in rooms for path in (servers.ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    owners = packages_distributions()
    others = names - set(ROOMS) - sys.stdlib_module_names
    return {plain(owners[name][0]) for name in others if name in owners}


@pytest.mark.night
@pytest.mark.page
def test_what_is_imported_is_declared_and_what_is_declared_is_used() -> None:
    everything, used = set.union(*declared().values()), imported(ROOMS)
    assert used - everything == BROUGHT.keys()
    for name, package in BROUGHT.items():
        assert package in everything
        assert name in {plain(re.split(r"[^\w.-]", line)[0]) for line in requires(package) or []}
    assert everything - used <= NAMED.keys()


@pytest.mark.page
def test_the_library_declares_just_what_it_imports_and_nothing_of_the_server() -> None:
    assert declared()["library"] == imported(["privacy", "mining", "candor"])
    assert not declared()["library"] & declared()["server"]
