"""The lock, pyproject.toml and what product code imports agree, without asking any index."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from config import requirements_lock
from tests.rooms import ROOMS

pytestmark = pytest.mark.page
TEXT = requirements_lock.LOCK.read_text()
PYPROJECT = tomllib.loads((requirements_lock.ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
PARTS: dict[str, list[str]] = {"library": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
"""What is declared for the library, the server, which has the library's too, and the proof with a browser."""
PRODUCT = [*PARTS["library"], *PARTS["server"]]


def by_name(lines: Iterable[str]) -> dict[str, Requirement]:
    return {canonicalize_name(need.name): need for need in map(Requirement, lines)}


OVERRIDES = by_name(PYPROJECT["tool"]["uv"]["override-dependencies"])
"""What uv takes instead of what any package asks for."""
NAMED = {
    "argon2-cffi": "PASSWORD_HASHERS",
    "brotli": "whitenoise compresses static files with it",
    "psycopg": "the backend of PostgreSQL",
    "redis": "the broker and the cache",
}
"""Not imported by us, or only inside of Django and Celery, by why each is needed."""
BROUGHT = {"matplotlib": "mlxtend", "pydantic": "django-ninja", "pyjwt": "django-allauth"}
"""Imported by us, and required by a package that is declared."""


def pinned(text: str) -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for requirement in map(Requirement, requirements_lock.entries(text)):
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def closure(wanted: Iterable[str], pins: dict[str, list[Requirement]]) -> set[str]:
    """Every name that these requirements reach on this machine; a pin that does not satisfy one is a failure."""
    reached: set[tuple[str, str]] = set()
    todo = [(Requirement(line), "") for line in wanted]
    while todo:
        need, extra = todo.pop()
        if need.marker and not need.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(need.name)
        assert name in pins, f"{need} is not in requirements.lock; run ./run lock"
        here = [pin for pin in pins[name] if pin.marker is None or pin.marker.evaluate()]
        version = next(iter(here[0].specifier)).version
        need.specifier = OVERRIDES.get(name, need).specifier
        satisfied = need.specifier.contains(version, prereleases=True)
        assert satisfied, f"{name} {version} is not {need}; run ./run lock"
        for more in ("", *need.extras):
            if (name, more) in reached:
                continue
            reached.add((name, more))
            try:
                todo += [(Requirement(line), more) for line in requires(name) or []]
            except PackageNotFoundError as missing:
                raise AssertionError(f"{name} is locked but not installed") from missing
    return {name for name, _ in reached}


def here(pins: dict[str, list[Requirement]]) -> set[str]:
    return {name for name, found in pins.items() if any(not p.marker or p.marker.evaluate() for p in found)}


def imported(rooms: Iterable[str]) -> set[str]:
    """The packages that files of these rooms import, at the top or inside a function."""
    names: set[str] = set()
    for path in (path for room in rooms for path in (requirements_lock.ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    owners = packages_distributions()
    others = names - set(ROOMS) - sys.stdlib_module_names
    return {canonicalize_name(owners[name][0]) for name in others if name in owners}


def test_the_lock_holds_just_what_pyproject_asks_for_and_the_products_part_stands_alone() -> None:
    product = TEXT.split(requirements_lock.TESTS_BELOW)[0]
    for text, wanted in ((TEXT, [*PRODUCT, *PYPROJECT["dependency-groups"]["test"]]), (product, PRODUCT)):
        pins = pinned(text)
        assert closure(wanted, pins) == here(pins)


def test_dependencies_are_few_what_is_imported_is_declared_and_what_is_declared_is_used() -> None:
    declared = by_name(line for lines in PARTS.values() for line in lines).keys()
    used = imported(ROOMS)
    assert len(declared) <= 31
    assert used - declared == BROUGHT.keys()
    for name, package in BROUGHT.items():
        assert package in declared
        assert name in by_name(requires(package) or [])
    assert declared - used <= NAMED.keys()


def test_the_library_declares_just_what_it_imports_and_nothing_of_the_server() -> None:
    library, server = by_name(PARTS["library"]).keys(), by_name(PARTS["server"]).keys()
    assert library == imported(["privacy", "mining", "candor"])
    assert not library & server


def test_every_entry_has_one_version_and_a_hash() -> None:
    """And no address."""
    for line, block in requirements_lock.entries(TEXT).items():
        assert len(Requirement(line).specifier) == 1, line
        assert "--hash=sha256:" in block, line
    assert not re.search(r"://|index-url|find-links", TEXT)


def test_no_override_loosens_what_the_product_asks_for() -> None:
    asked = by_name(PRODUCT)
    loose = {name for name, need in asked.items() if OVERRIDES.get(name, need).specifier != need.specifier}
    assert loose == set()
