"""The kernels that jobs need are compiled once for an account, and a fresh process loads them."""

import subprocess
import sys

import pytest

from mining import compile_kernels
from mining.inference import score_test_kernel
from tests import servers

pytestmark = pytest.mark.proof

COMPILED = """
from numba.core import event
from mining import compile_kernels
with event.install_recorder("numba:compile") as compiled:
    compile_kernels.load_all()
print(len(compiled.buffer))
"""


def test_all_kernels_are_loaded() -> None:
    compile_kernels.load_all()
    loops = (score_test_kernel.fill_zs, score_test_kernel.fill_share_ends, score_test_kernel.fill_lift_ends)
    assert all(loop.signatures for loop in loops)
    assert compile_kernels.all_compiled()


@pytest.mark.night
def test_a_fresh_process_compiles_nothing() -> None:
    servers.compile_kernels()
    words = [sys.executable, "-c", COMPILED]
    done = subprocess.run(words, cwd=servers.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
