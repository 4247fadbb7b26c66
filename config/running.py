"""Whether the product runs: web servers and workers share a lock, and a restore needs it for itself.

The kernel gives a lock back when its holder ends, however it ends. The file lies in VAR, so this is about one
machine; `config.backup` asks the database about others.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_held: list[TextIO] = []


class Busy(Exception):
    """Something runs that must not run now. One line for the operator."""


def hold(var: Path) -> None:
    """Hold the lock together with others for as long as this process and its children live."""
    try:
        var.mkdir(parents=True, exist_ok=True)
        file = (var / "running").open("a")
    except OSError:
        return  # the checks say that nothing can be written there
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise Busy("a backup is being restored; start again when that is done") from None
    # Kept by the small process that the supervisor turns into.
    os.set_inheritable(file.fileno(), True)
    _held.append(file)


@contextmanager
def alone(var: Path) -> Iterator[None]:
    """Hold the lock alone, so that nothing is started meanwhile; `Busy` where something runs."""
    var.mkdir(parents=True, exist_ok=True)
    with (var / "running").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy("Candor runs; stop the web servers and the workers first") from None
        yield
