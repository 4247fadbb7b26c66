"""Whether the library runs on what pyproject.toml says: its tests with the lowest and the newest versions it allows.

For each Python that is given (or this one) two environments are made in a temporary folder: what requirements.lock has,
and over it the library's dependencies, each at the lowest version that goes with the others, or at the newest. The
tests of `candor`, `privacy` and `mining` run there, and the examples of docs/library.md print what the page shows.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
EXTRAS = ("mining", "files", "formula")
TESTS = ["tests/candor", "tests/privacy", "tests/mining", "tests/bench/test_library_docs.py"]
QUICK = "not (night or server or browser)"
UV = [sys.executable, "-m", "uv", "--no-config"]
"""Without the overrides of pyproject.toml, by which the tests' packages run on versions that they do not name."""


def version_of(python: str) -> str:
    words = [python, "-c", "import sys; print('{}.{}'.format(*sys.version_info))"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def resolve(dependencies: Sequence[str], resolution: str, version: str, folder: Path) -> list[str]:
    """The versions of the library's dependencies, and of theirs, as lines `name==version`."""
    wanted = folder / "library.in"
    wanted.write_text("\n".join(dependencies))
    words = ["pip", "compile", "-q", "--no-header", "--no-annotate", "--resolution", resolution]
    done = subprocess.run(
        [*UV, *words, "--python-version", version, str(wanted)], check=True, capture_output=True, text=True
    )
    return done.stdout.split("\n")


def make_environment(python: str, versions: Sequence[str], folder: Path) -> Path:
    """An environment of the lock with these versions over it; its Python."""
    venv, chosen = folder / "venv", folder / "library.txt"
    chosen.write_text("\n".join(versions))
    install = [
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--only-binary",
        ":all:",
        "-p",
        str(venv / "bin" / "python"),
    ]
    subprocess.run([*UV, "venv", "-q", "-p", python, str(venv)], check=True)
    subprocess.run([*UV, *install, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True)
    subprocess.run([*UV, *install, "-r", str(chosen)], check=True)
    return venv / "bin" / "python"


def run_tests(python: Path, folder: Path) -> tuple[int, list[str]]:
    """How many tests passed, and which failed."""
    counts = folder / "counts.json"
    words = ["-m", "pytest", "-q", "-m", QUICK, "--counts", str(counts), *TESTS]
    done = subprocess.run([str(python), *words], cwd=ROOT, capture_output=True, text=True)
    if not counts.exists():
        return 0, [f"no result: {done.stdout[-2000:]}{done.stderr[-2000:]}"]
    found = json.loads(counts.read_text())
    if found["failed_tests"]:
        print(done.stdout[-6000:])
    return found["passed"], found["failed_tests"]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run bench library_bounds", description=__doc__)
    parser.add_argument(
        "pythons", nargs="*", default=[sys.executable], help="interpreters (default: this one)"
    )
    parser.add_argument("--counts", type=Path, help="a file for the numbers of tests that passed and failed")
    options = parser.parse_args(words)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    dependencies = [*project["dependencies"], *(line for name in EXTRAS for line in extras.get(name, []))]
    names = {re.split(r"[^\w-]", line)[0] for line in dependencies}
    passed, failures = 0, []
    for python in options.pythons:
        version = version_of(python)
        for name, resolution in RESOLUTIONS.items():
            with tempfile.TemporaryDirectory(prefix="candor-library-") as place:
                folder = Path(place)
                versions = resolve(dependencies, resolution, version, folder)
                number, failed = run_tests(make_environment(python, versions, folder), folder)
            passed += number
            failures += [f"Python {version}, {name}: {test}" for test in failed]
            chosen = ", ".join(line for line in versions if line.partition("==")[0] in names)
            print(f"Python {version}, {name} ({chosen}): {number} passed, {len(failed)} failed", flush=True)
    if options.counts:
        options.counts.write_text(json.dumps({"passed": passed, "failed_tests": failures}))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
