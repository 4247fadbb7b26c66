"""The lock and pyproject.toml agree, without asking any index."""

import re
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
PROJECT = tomllib.loads((requirements_lock.ROOT / "pyproject.toml").read_text())
PRODUCT = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["server"]]
OVERRIDES = {
    canonicalize_name(need.name): need
    for need in map(Requirement, PROJECT["tool"]["uv"]["override-dependencies"])
}
"""What uv takes instead of what any package asks for."""


def pinned(text: str) -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for line in requirements_lock.entries(text):
        requirement = Requirement(line)
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
        assert need.specifier.contains(version, prereleases=True), (
            f"{name} {version} is not {need}; run ./run lock"
        )
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


def test_the_lock_holds_just_what_pyproject_asks_for() -> None:
    pins = pinned(TEXT)
    wanted = [*PRODUCT, *PROJECT["dependency-groups"]["test"]]
    assert closure(wanted, pins) == here(pins)


LOADED_BY_NAME = {"argon2-cffi": "Argon2", "redis": "RedisCache"}
"""What no module of the product imports: Django loads these by the names that settings have."""


def test_direct_dependencies_are_few_and_each_is_used() -> None:
    direct = [*PRODUCT, *PROJECT["project"]["optional-dependencies"]["proof"]]
    assert len(direct) <= 31
    sources = [path for room in ROOMS for path in (requirements_lock.ROOT / room).rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    distributions = packages_distributions()
    imported: set[str] = {
        canonicalize_name(name)
        for module in re.findall(r"^ *(?:import|from) (\w+)", text, re.MULTILINE)
        for name in distributions.get(module, ())
    }
    imported |= {name for name, word in LOADED_BY_NAME.items() if word in text}
    assert {canonicalize_name(Requirement(line).name) for line in direct} - imported == set()


def test_the_products_part_stands_alone() -> None:
    pins = pinned(TEXT.split(requirements_lock.TESTS_BELOW)[0])
    assert closure(PRODUCT, pins) == here(pins)


def test_every_entry_has_one_version_and_a_hash() -> None:
    for line, block in requirements_lock.entries(TEXT).items():
        assert len(Requirement(line).specifier) == 1, line
        assert "--hash=sha256:" in block, line


def test_no_override_loosens_what_the_product_asks_for() -> None:
    asked = {canonicalize_name(need.name): need for need in map(Requirement, PRODUCT)}
    loose = {name for name, need in asked.items() if OVERRIDES.get(name, need).specifier != need.specifier}
    assert loose == set()


def test_the_lock_holds_no_address() -> None:
    assert not re.search(r"://|index-url|find-links", TEXT)
