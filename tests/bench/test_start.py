"""Benches run: each module can be loaded, and those that measure the product do so once in their shortest form."""

import subprocess
import sys

import pytest

from tests.servers import ROOT

MODULES = [
    *sorted(f"bench.{path.stem}" for path in (ROOT / "bench").glob("*.py") if path.stem != "__init__"),
    *sorted(f"bench.{path.parent.name}.__main__" for path in (ROOT / "bench").glob("*/__main__.py")),
]
SHORTEST = {
    "anonymity": "--seconds 0.15 --seeds 1 --without-bottom-up",
    "capacity": "--visits 30",
    "cluster": "--millions 0.02 --records 5000",
    "contact_sheets": "--roles respondent --variants 390-dark-en",
    "imports": "",
    "mutate_envelopes": "--bodies 50",
    "mutations": "--number 5",
    "numbers": "",
    "push": "--people 20 --seconds 2",
    "record": "--records 20 --keys 5000",
    "restart": "--times 1 --rate 5",
    "run": "--records 100000 --times 1",
    "speed": "--short",
    "studies": "--surveys 2 --fits 2",
}
"""By the name of a bench: options with which it takes a minute at most. Not here: those that write a page of figures,
that have a test of their own, or that measure another instance."""

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="bench/test_imports.py")]


def run_module(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("module", MODULES)
def test_bench_module_can_be_imported(module: str) -> None:
    done = run_module("-c", f"import {module}")
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("name", SHORTEST)
def test_bench_command_runs_in_its_shortest_form(name: str) -> None:
    done = run_module("-m", f"bench.{name}", *SHORTEST[name].split())
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout
