"""`pip install .` gives privacy, mining and candor as a library, which needs no Django and nothing of the server."""

import json
import re
import shutil
import subprocess
import tomllib
import venv
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests import servers
from tests.config.conftest import python
from tests.rooms import ROOMS

PROJECT = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())
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


@pytest.mark.page
def test_every_module_is_imported_where_there_is_no_django_and_no_other_room() -> None:
    blocked = ["django", "celery", "kombu", *OF_THE_SERVER]
    done = python("-c", IMPORT.format(blocked=blocked, library=LIBRARY))
    assert done.stderr == ""
    assert set(json.loads(done.stdout)) == modules(servers.ROOT)


# --- installed, as by somebody who has nothing else --------------------------------------------------------

EXAMPLE = re.compile(r"```python\n(import candor\n.*?)```\n\n```\n(.*?)```", re.DOTALL)
"""An example of the page of the library: a program, and what it prints."""
TYPES = """
import candor
records: candor.Records = candor.read_records("records.csv", candor.read_design("design.json"))
candor.shares(records, 1)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built of a copy, since building leaves folders behind."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheel")
    for room in ROOMS:
        shutil.copytree(servers.ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(servers.ROOT / name, copy)
    python("-m", "pip", "wheel", "-q", "--no-deps", "--no-input", "-w", str(out), str(copy), check=True)
    (built,) = out.iterdir()
    return built


def needed(wanted: Iterable[str]) -> set[str]:
    """What these requirements need on this machine, themselves included."""
    names, todo = set[str](), [Requirement(line) for line in wanted]
    while todo:
        need = todo.pop()
        if need.name not in names and (not need.marker or need.marker.evaluate({"extra": ""})):
            names.add(need.name)
            todo += map(Requirement, distribution(need.name).requires or [])
    return names


def link(names: Iterable[str], into: Path) -> None:
    """Put the installed packages of these names beside the library."""
    for name in names:
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            if not (into / top).exists():
                (into / top).symlink_to(Path(str(package.locate_file(top))))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with the library and what it needs."""
    folder = tmp_path_factory.mktemp("library")
    venv.create(folder, with_pip=False)
    fresh = folder / "bin" / "python"
    pip = ["-m", "pip", "--python", str(fresh), "install", "-q", "--no-deps", "--no-index"]
    python(*pip, str(wheel), check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    link(needed(PROJECT["project"]["dependencies"]), packages)
    return fresh


@pytest.mark.night
def test_the_wheel_holds_the_library_with_its_scripts_and_nothing_else(wheel: Path, tmp_path: Path) -> None:
    assert wheel.name.startswith(f"candor-{PROJECT['project']['version']}-py3-none-any")
    shutil.unpack_archive(wheel, tmp_path, "zip")
    assert {path.name for path in tmp_path.iterdir() if not path.name.endswith(".dist-info")} == {*LIBRARY}
    assert files(tmp_path) == files(servers.ROOT)
    assert {path.parent.name for path in tmp_path.glob("*/py.typed")} == {*LIBRARY}
    scripts, ours = (
        {path.relative_to(root) for path in (root / "privacy" / "static").rglob("*.js")}
        for root in (tmp_path, servers.ROOT)
    )
    assert scripts == ours


@pytest.mark.night
def test_the_examples_of_the_page_run_where_nothing_else_is_installed(
    installed: Path, tmp_path: Path
) -> None:
    shutil.copytree(servers.ROOT / "r" / "inst", tmp_path / "r" / "inst")
    examples = EXAMPLE.findall((servers.ROOT / "docs" / "library.md").read_text())
    assert len(examples) == 2
    for program, printed in examples:
        words = [str(installed), "-c", f"{program}\nimport sys\nprint(candor.__file__, file=sys.stderr)"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == printed
        assert Path(done.stderr.strip()).is_relative_to(installed.parent.parent), done.stderr
    done = subprocess.run([str(installed), "-c", "import django"], capture_output=True, text=True)
    assert "No module named 'django'" in done.stderr


@pytest.mark.night
def test_the_command_and_the_types_are_installed(installed: Path, tmp_path: Path) -> None:
    command = str(installed.with_name("candor"))
    done = subprocess.run([command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "own-table" in done.stdout) == (0, True)
    (tmp_path / "typed.py").write_text(TYPES)
    words = ["-m", "mypy", f"--python-executable={installed}", "--cache-dir=.cache", "typed.py"]
    done = python(*words, folder=tmp_path)
    (error, _count) = done.stdout.splitlines()
    assert 'Argument 2 to "shares" has incompatible type "int"' in error


def test_the_package_says_where_it_is_from_and_its_licence_in_one_place() -> None:
    project = PROJECT["project"]
    assert {"Homepage", "Documentation", "Issues"} <= {*project["urls"]}
    assert "Typing :: Typed" in project["classifiers"]
    assert project["keywords"]
    # Until the owner names one: LicenseRef-…, which r/LICENSE and the README quote.
    assert project["license"] in (servers.ROOT / "r" / "LICENSE").read_text()
    assert project["license"] in (servers.ROOT / "README.md").read_text()
