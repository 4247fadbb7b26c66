"""The lock, pyproject.toml and what product code imports agree, without asking any index.

`pip install .` gives privacy, mining and candor as a library, which needs no Django and nothing of the server.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from candor.__main__ import main
from config import requirements_lock
from privacy.grammar import input_error
from tests import servers
from tests.config.conftest import python
from tests.product import ROOMS
from tests.test_imports import imports

pytestmark = pytest.mark.page
TEXT = requirements_lock.LOCK.read_text()
PYPROJECT = tomllib.loads((requirements_lock.ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
PARTS: dict[str, list[str]] = {"library": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
"""What is declared for the library, the server, which has the library's too, its formulas, and the proof."""
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
BROUGHT = {
    "dask": "distributed",
    "matplotlib": "mlxtend",
    "pydantic": "django-ninja",
    "pyjwt": "django-allauth",
}
"""Imported by us, and required by a package that is declared."""


def requirements_by_name(text: str) -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for requirement in map(Requirement, requirements_lock.requirements_of_lock(text)):
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


def pins_for_this_platform(pins: dict[str, list[Requirement]]) -> set[str]:
    return {name for name, found in pins.items() if any(not p.marker or p.marker.evaluate() for p in found)}


@cache
def imported_by(room: str) -> frozenset[str]:
    """What its files import, at the top or inside a function."""
    files = (requirements_lock.ROOT / room).rglob("*.py")
    return frozenset(one.package.partition(".")[0] for path in files for one, _is_late in imports(path))


def imported_packages(rooms: Iterable[str]) -> set[str]:
    """The packages that files of these rooms import."""
    owners = packages_distributions()
    others = frozenset[str]().union(*map(imported_by, rooms)) - set(ROOMS) - sys.stdlib_module_names
    return {canonicalize_name(owners[name][0]) for name in others if name in owners}


def test_lock_equals_pyproject_and_the_products_part_is_self_contained() -> None:
    product = TEXT.split(requirements_lock.TESTS_BELOW)[0]
    for text, wanted in ((TEXT, [*PRODUCT, *PYPROJECT["dependency-groups"]["test"]]), (product, PRODUCT)):
        pins = requirements_by_name(text)
        assert closure(wanted, pins) == pins_for_this_platform(pins)


def test_dependencies_are_few_declared_and_used() -> None:
    declared = by_name(line for lines in PARTS.values() for line in lines).keys()
    used = imported_packages(ROOMS)
    assert len(declared) <= 33
    assert used - declared == BROUGHT.keys()
    for name, package in BROUGHT.items():
        assert package in declared
        assert name in by_name(requires(package) or [])
    assert declared - used <= NAMED.keys()


def test_library_declares_exactly_its_imports_and_nothing_of_the_server() -> None:
    library, server = by_name(PARTS["library"]).keys(), by_name(PARTS["server"]).keys()
    of_extras = {canonicalize_name(name): extra for name, extra in input_error.EXTRA_OF_PACKAGE.items()}
    used = imported_packages(["privacy", "mining", "candor"]) - BROUGHT.keys()
    assert library | of_extras.keys() == used
    assert not library & server
    for name, extra in of_extras.items():
        assert name in by_name(PARTS[extra])


@pytest.mark.page
def test_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in input_error.EXTRA_OF_PACKAGE:
        monkeypatch.setitem(sys.modules, package, None)
    for begin, package in ((b"PK", "openpyxl"), (b"PAR1", "pyarrow"), (b"$FL2", "pyreadstat")):
        (tmp_path / "table").write_bytes(begin)
        assert main(["own-table", str(tmp_path / "table")]) == 1
        assert capsys.readouterr().err == (
            f"candor: {package}: is not installed; it comes with Candor's extra “files”\n"
        )
    program = "import sys; sys.modules['mlxtend'] = None; import candor; candor.apriori"
    assert "it comes with Candor's extra “mining”" in python("-c", program).stderr


def test_every_lock_entry_has_one_version_and_a_hash() -> None:
    """And no address."""
    for line, block in requirements_lock.requirements_of_lock(TEXT).items():
        assert len(Requirement(line).specifier) == 1, line
        assert "--hash=sha256:" in block, line
    assert not re.search(r"://|index-url|find-links", TEXT)


def test_no_override_loosens_a_requirement() -> None:
    asked = by_name(PRODUCT)
    loose = {name for name, need in asked.items() if OVERRIDES.get(name, need).specifier != need.specifier}
    assert loose == set()


# --- the library ---


LIBRARY = ("privacy", "mining", "candor")
OF_THE_SERVER = sorted({*ROOMS} - {*LIBRARY})

# Imports every module, in a process that knows no package of these names; prints those that it has loaded.
IMPORT = """
import importlib, json, pkgutil, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
names = list({library!r})
for package in map(importlib.import_module, names[:]):
    names += [found.name for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    importlib.import_module(name)
print(json.dumps(names))
"""


def files(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for room in LIBRARY for path in (folder / room).rglob("*.py")}


def modules(folder: Path) -> set[str]:
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files(folder)}


def test_library_modules_import_without_django_and_other_rooms() -> None:
    blocked = ["django", "celery", "kombu", *OF_THE_SERVER]
    done = python("-c", IMPORT.format(blocked=blocked, library=LIBRARY))
    assert done.stderr == ""
    assert set(json.loads(done.stdout)) == modules(servers.ROOT)


# --- installed, as by somebody who has nothing else --------------------------------------------------------

EXAMPLE = re.compile(r"```python\n(import \w.*?)```\n\n```\n(.*?)```", re.DOTALL)
"""An example of the page of the library: a program, and what it prints."""
TYPES = """
import candor
records: candor.Records = candor.read_records("records.csv", candor.read_design("design.json"))
candor.shares(records, 1)
"""


@pytest.fixture(scope="module")
def built_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built of a copy, since building leaves folders behind."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheel")
    for room in ROOMS:
        shutil.copytree(servers.ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(servers.ROOT / name, copy)
    python("-m", "pip", "wheel", "-q", "--no-deps", "--no-input", "-w", str(out), str(copy), check=True)
    (built,) = out.iterdir()
    return built


def link(names: Iterable[str], into: Path) -> None:
    """Put the installed packages of these names beside the library."""
    for name in names:
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            if not (into / top).exists():
                (into / top).symlink_to(Path(str(package.locate_file(top))))


@pytest.fixture(scope="module")
def python_with_library(built_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with the library, what it needs, and formulas."""
    folder = tmp_path_factory.mktemp("library")
    venv.create(folder, with_pip=False)
    fresh = folder / "bin" / "python"
    pip = ["-m", "pip", "--python", str(fresh), "install", "-q", "--no-deps", "--no-index"]
    python(*pip, str(built_wheel), check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    link(closure([*PARTS["library"], *PARTS["formula"]], requirements_by_name(TEXT)), packages)
    return fresh


@pytest.mark.night
def test_wheel_holds_exactly_the_library_and_its_scripts(built_wheel: Path, tmp_path: Path) -> None:
    assert built_wheel.name.startswith(f"candor-{PROJECT['version']}-py3-none-any")
    shutil.unpack_archive(built_wheel, tmp_path, "zip")
    assert {path.name for path in tmp_path.iterdir() if not path.name.endswith(".dist-info")} == {*LIBRARY}
    assert files(tmp_path) == files(servers.ROOT)
    assert {path.parent.name for path in tmp_path.glob("*/py.typed")} == {*LIBRARY}
    scripts, ours = (
        {path.relative_to(root) for path in (root / "privacy" / "static").rglob("*.js")}
        for root in (tmp_path, servers.ROOT)
    )
    assert scripts == ours


@pytest.mark.night
def test_library_examples_run_in_a_fresh_environment(python_with_library: Path, tmp_path: Path) -> None:
    shutil.copytree(servers.ROOT / "r" / "inst", tmp_path / "r" / "inst")
    examples = EXAMPLE.findall((servers.ROOT / "docs" / "library.md").read_text())
    assert len(examples) == 2
    for program, printed in examples:
        words = [
            str(python_with_library),
            "-c",
            f"{program}\nimport sys\nprint(candor.__file__, file=sys.stderr)",
        ]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == printed
        assert Path(done.stderr.strip()).is_relative_to(python_with_library.parent.parent), done.stderr
    done = subprocess.run([str(python_with_library), "-c", "import django"], capture_output=True, text=True)
    assert "No module named 'django'" in done.stderr


@pytest.mark.night
def test_library_command_and_types_are_installed(python_with_library: Path, tmp_path: Path) -> None:
    command = str(python_with_library.with_name("candor"))
    done = subprocess.run([command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "own-table" in done.stdout) == (0, True)
    (tmp_path / "typed.py").write_text(TYPES)
    words = ["-m", "mypy", f"--python-executable={python_with_library}", "--cache-dir=.cache", "typed.py"]
    done = python(*words, folder=tmp_path)
    assert 'No overload variant of "shares" matches argument types "Records", "int"' in done.stdout


def test_package_states_its_origin_and_licence_once() -> None:
    assert {"Homepage", "Documentation", "Issues"} <= {*PROJECT["urls"]}
    assert "Typing :: Typed" in PROJECT["classifiers"]
    assert PROJECT["keywords"]
    # Until the owner names one: LicenseRef-…, which r/LICENSE and the README quote.
    assert PROJECT["license"] in (servers.ROOT / "r" / "LICENSE").read_text()
    assert PROJECT["license"] in (servers.ROOT / "README.md").read_text()
