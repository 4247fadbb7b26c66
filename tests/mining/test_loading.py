"""What takes seconds to load is loaded where it is used, not at every start."""

import subprocess
import sys

import pytest

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
from mining.error.excess_copies import copies_p_value
from mining.studies.estimating_equations import _chi_square
print(round(copies_p_value(2, 2, 0.1), 9), _chi_square(0.0, 2).p, "scipy.special" in sys.modules)
"""


@pytest.mark.proof
def test_nothing_heavy_is_loaded_at_the_start_and_no_scipy_by_what_pages_of_a_report_compute() -> None:
    env = servers.environment(DJANGO_SETTINGS_MODULE="config.settings")
    done = subprocess.run(
        [sys.executable, "-c", START], cwd=servers.ROOT, env=env, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["", "", "0.1 1.0 False"], done.stderr
