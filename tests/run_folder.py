"""What takes seconds to make and many tests begin with: made once a run, by the first process that needs it."""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = "CANDOR_TEST_RUN"
"""The environment variable that tells the processes of a run their common folder."""


def begin_run() -> Path:
    """The common folder; a process that another one of this run has started finds it made."""
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="candor-")
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)
    return Path(os.environ[FOLDER])


def is_first(name: str) -> bool:
    """Whether no process of this run has asked for this name before."""
    try:
        (begin_run() / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name with what `make` puts into it. It is to be read and copied, never changed."""
    run = begin_run()
    made, part = run / name, run / f"{name}.part"
    with (run / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            make(part)
            part.rename(made)
    return made
