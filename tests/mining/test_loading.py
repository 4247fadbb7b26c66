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
"""


@pytest.mark.proof
def test_nothing_heavy_is_loaded_at_the_start() -> None:
    env = servers.environment(DJANGO_SETTINGS_MODULE="config.settings")
    done = subprocess.run(
        [sys.executable, "-c", START], cwd=servers.ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
