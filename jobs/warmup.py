"""Warm-up of a worker: loads the kernels (compiled functions of `mining`) that jobs need, before the worker forks its
child processes."""

import errno
import gc
import logging
import os
import subprocess
import sys
import time
from dataclasses import dataclass

from django.conf import settings

from jobs import database
from mining import compile_kernels
from privacy import machine_code_cache

logger = logging.getLogger(__name__)
PAUSE = 300.0
"""Seconds until kernels are compiled again after the disk was full."""


@dataclass
class WarmUp:
    """State of a worker's kernels (compiled functions): being compiled by a process of its own, loaded (`warm`), or
    `failed`.

    After a full disk, nothing is tried until `pause_ends` (monotonic clock).
    """

    compiling: subprocess.Popen[bytes] | None = None
    warm: bool = False
    failed: bool = False
    pause_ends: float = float("-inf")

    def load_or_compile_kernels(self) -> bool:
        """Loads all kernels (compiled functions) if they are compiled, else starts compiling them. Returns True once:
        when all are loaded.

        Called repeatedly. Jobs start meanwhile, and wait only for the kernels that they need. Garbage collection in the
        worker and its children ignores the loaded objects.
        """
        if self.warm or self.failed or time.monotonic() < self.pause_ends:
            return False
        gc.disable()
        try:
            if compile_kernels.are_all_kernels_compiled():
                compile_kernels.load_all_kernels()
                self.warm = True
            elif self.compiling is None:
                self.compiling = start_compiling()
            elif (status := self.compiling.poll()) == compile_kernels.NO_ROOM:
                raise OSError(errno.ENOSPC, "kernels cannot be kept")
            elif status:
                raise ChildProcessError(f"the process that compiles kernels ended with status {status}")
        except Exception as error:
            logger.exception("the worker cannot warm up; jobs will be slow or fail")
            if database.unwritable_text(error):
                self.compiling, self.pause_ends = None, time.monotonic() + PAUSE
            else:
                self.failed = True
        finally:
            gc.freeze()
            gc.enable()
        return self.warm


def start_compiling() -> subprocess.Popen[bytes]:
    """Starts a process that compiles all kernels; it survives the worker, so that a restart need not begin again."""
    return subprocess.Popen(
        [sys.executable, "-m", compile_kernels.__name__],
        cwd=settings.BASE_DIR,
        env={**os.environ, "NUMBA_CACHE_DIR": str(machine_code_cache.cache_folder().parent)},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
