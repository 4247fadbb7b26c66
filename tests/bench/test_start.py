"""No bench names what is gone: each module can be loaded, in a process of its own, since some set the product up."""

import subprocess
import sys

import pytest

from tests.servers import ROOT

MODULES = [
    *sorted(f"bench.{path.stem}" for path in (ROOT / "bench").glob("*.py") if path.stem != "__init__"),
    *sorted(f"bench.{path.parent.name}.__main__" for path in (ROOT / "bench").glob("*/__main__.py")),
]


@pytest.mark.night
@pytest.mark.parametrize("module", MODULES)
def test_it_can_be_loaded(module: str) -> None:
    words = [sys.executable, "-c", f"import {module}"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
