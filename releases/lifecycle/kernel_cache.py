"""The compiled kernels of anonymised tables: the folder that caches them, and their warm-up."""

import atexit
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from privacy.anonymity.methods import is_compiled, warm


def folder() -> Path:
    cache: Path = settings.VAR / "numba"
    return cache


def warm_up() -> None:
    """Load the kernels before a worker's first job.

    In a new installation a process beside the worker compiles them, in about a minute: only a first release waits.
    """
    if is_compiled(folder()):
        warm(folder())
    else:
        words = [sys.executable, "-m", "privacy.anonymity.compile_kernels", str(folder())]
        atexit.register(subprocess.Popen(words, cwd=settings.BASE_DIR).terminate)
