"""pyproject.toml declares just the packages that product code imports, and those that settings name."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from tests import servers
from tests.rooms import ROOMS

NAMED = {
    "argon2-cffi": "PASSWORD_HASHERS",
    "brotli": "whitenoise compresses static files with it",
    "psycopg": "the backend of PostgreSQL",
    "redis": "the broker and the cache",
}
"""Not imported by us, or only inside of Django and Celery, by why each is needed."""


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    project = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())["project"]
    return {plain(re.split(r"[\[<>=]", line)[0]) for line in project["dependencies"]}


def imported() -> set[str]:
    """The packages that files of the product import, at the top or inside a function."""
    names: set[str] = set()
    for path in (path for room in ROOMS for path in (servers.ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    owners = packages_distributions()
    others = names - set(ROOMS) - sys.stdlib_module_names
    return {plain(owners[name][0]) for name in others if name in owners}


def test_what_is_imported_is_declared_and_what_is_declared_is_used() -> None:
    assert imported() <= declared()
    assert declared() - imported() <= NAMED.keys()
