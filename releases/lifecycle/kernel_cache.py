"""Cache of the compiled kernels that search anonymised tables: its folder, and its warm-up in a worker."""

import atexit
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from privacy.anonymity.methods import is_compiled, load_default_kernels


def folder() -> Path:
    """Returns the folder of the cache."""
    cache: Path = settings.VAR / "numba"
    return cache


def warm_up() -> None:
    """Loads the kernels before a worker's first job.

    In a new installation a separate process compiles them in about a minute, so that only a first release waits.
    """
    if is_compiled(folder()):
        load_default_kernels(folder())
    else:
        words = [sys.executable, "-m", "privacy.anonymity.compile_kernels", str(folder())]
        atexit.register(subprocess.Popen(words, cwd=settings.BASE_DIR).terminate)
