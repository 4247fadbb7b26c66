"""The lock that says whether the product runs: web servers and workers share it, and a restore takes it alone.

The kernel releases a lock when the process that took it ends, however it ends. The file lies in VAR, so this is about
one machine; `config.backup` asks the database about others.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_lock_files: list[TextIO] = []


class InstanceLocked(Exception):
    """The lock is taken, so this cannot run now. One line for the operator."""


def lock_shared(var: Path) -> None:
    """Share the lock for as long as this process and its children live."""
    try:
        var.mkdir(parents=True, exist_ok=True)
        file = (var / "running").open("a")
    except OSError:
        return  # the checks say that nothing can be written there
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise InstanceLocked("a backup is being restored; start again when that is done") from None
    # Survives the exec of `watching.hand_over`.
    os.set_inheritable(file.fileno(), True)
    _lock_files.append(file)


@contextmanager
def lock_exclusively(var: Path) -> Iterator[None]:
    """Take the lock alone, so that nothing starts meanwhile; `InstanceLocked` where something runs."""
    var.mkdir(parents=True, exist_ok=True)
    with (var / "running").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InstanceLocked("Candor runs; stop the web servers and the workers first") from None
        yield
