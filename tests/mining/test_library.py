"""What takes seconds is loaded where it is used; kernels are compiled once; normal and other tails are scipy's."""

import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from scipy import special

from mining import compile_kernels, special_functions
from mining.distinct_rows import RowIndex, pack_row_keys
from mining.inference import score_test_kernel
from mining.queries_and_counters import NONE
from tests import servers

START = """
import sys
import django
django.setup()
import config.urls
HEAVY = {"scipy", "pandas", "mlxtend", "numba", "pyarrow", "matplotlib"}
print(*HEAVY & sys.modules.keys(), *{"celery", "kombu"} & sys.modules.keys())
import config.celery
print(*HEAVY & sys.modules.keys())
from mining.studies.estimating_equations import _chi_square
print(_chi_square(0.0, 2).p, "scipy.special" in sys.modules)
"""


@pytest.mark.proof
def test_library_start_loads_nothing_heavy_and_report_pages_no_scipy() -> None:
    env = servers.environment(DJANGO_SETTINGS_MODULE="config.settings")
    command = [sys.executable, "-c", START]
    done = subprocess.run(command, cwd=servers.ROOT, env=env, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["", "", "1.0 False"], done.stderr


COMPILED = """
from numba.core import event
from mining import compile_kernels
with event.install_recorder("numba:compile") as compiled:
    compile_kernels.load_all_kernels()
print(len(compiled.buffer))
"""


@pytest.mark.proof
def test_all_kernels_are_loaded() -> None:
    compile_kernels.load_all_kernels()
    loops = (score_test_kernel.fill_zs, score_test_kernel.fill_share_ends, score_test_kernel.fill_lift_ends)
    assert all(loop.signatures for loop in loops)
    assert compile_kernels.are_all_kernels_compiled()


@pytest.mark.proof
@pytest.mark.night
def test_new_process_compiles_nothing() -> None:
    servers.compile_kernels()
    words = [sys.executable, "-c", COMPILED]
    done = subprocess.run(words, cwd=servers.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


ENDS = [0.0, -0.0, 1.0, -1.0, np.sqrt(2), 8.0, 8 * np.sqrt(2), 40.0, -40.0, np.inf, -np.inf, np.nan]


def test_probabilities_and_quantiles_match_scipy_to_the_last_bit() -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate([ENDS, rng.normal(size=9_000), 12 * rng.normal(size=9_000)])
    tail = 10 ** (-300 * rng.random(6_000))
    p = np.concatenate([ENDS, [0.025, 0.5, 0.975, np.exp(-2), 1 - np.exp(-2)], rng.random(6_000), tail])
    for name, values in (("erfc", x.reshape(2, -1)), ("ndtr", x.reshape(2, -1)), ("ndtri", p)):
        found = getattr(special_functions, name)(values)
        np.testing.assert_array_equal(found, getattr(special, name)(values), name)
    assert float(special_functions.ndtri(0.5)) == 0.0


def test_chi_square_tails_match_scipy_and_exact_ends() -> None:
    chi_square = special_functions.chi_square_tail
    for df, x in product([1, 2, 3, 10, 31], (1e-9, 0.1, 1.0, 3.84, 9.5, 50.0, 700.0)):
        assert chi_square(df, x) == pytest.approx(special.chdtrc(df, x), rel=1e-12), (df, x)
        assert chi_square(df, df - 0.5) == pytest.approx(special.chdtrc(df, df - 0.5), rel=1e-12), df
    assert [chi_square(3, x) for x in (0.0, np.inf)] == [1.0, 0.0]
    assert np.isnan(chi_square(3, np.nan))


def test_rows_are_sorted_and_recognised_by_one_key() -> None:
    """Nine numbers below a thousand are more than 62 bits."""
    for width in [1, 3, 9, 20]:
        rows = np.random.default_rng(width).integers(NONE, 3, (300, width), np.int32)
        keys = pack_row_keys(rows, 1000).tolist()
        as_tuples = [tuple(row) for row in rows.tolist()]
        ranks = {row: rank for rank, row in enumerate(sorted(set(as_tuples)))}
        assert [sorted(set(keys)).index(key) for key in keys] == [ranks[row] for row in as_tuples], width
        different = np.random.default_rng(width).permutation(1000)[:400].astype(np.int32)
        rows = np.tile(different[:, None], width)
        is_known = RowIndex(rows[:300], 1000).contains(rows[::-1])
        assert is_known.tolist() == [False] * 100 + [True] * 300, width
