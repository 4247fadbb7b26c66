"""Ends each process with its parent, and locks the instance against processes of the same machine.

Web servers and workers share the lock `running`; a restore holds it exclusively. The kernel releases a lock
when its process ends, however it ends. The lock files are in VAR, so they cover one machine; `config.backup`
asks the database about other machines.
"""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

SUPERVISOR = "CANDOR_SUPERVISOR"
"""Environment variable with the process id of the supervisor that started a process."""
PR_SET_PDEATHSIG = 1

_lock_files: list[TextIO] = []


class InstanceLocked(Exception):
    """Error if another process holds the lock of this instance: one line for the operator."""


def end_with_supervisor(number: int) -> None:
    """Makes Linux send this process the signal `number` when the supervisor ends; does nothing without a supervisor."""
    if supervisor := os.environ.get(SUPERVISOR):
        end_with_parent(int(supervisor), number)


def end_with_parent(parent: int, number: int) -> None:
    """Makes Linux send this process the signal `number` when its parent process ends."""
    import ctypes  # late for cost

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def claim_maybe_used_port(var: Path, port: int) -> bool:
    """Locks a state folder and port for this process; raises `InstanceLocked` if another supervisor has them.

    Returns True if a supervisor has used them before: the port may still need a moment to become free.
    """
    file = (var / f"supervisor-{port}").open("a+")
    file.seek(0)
    before = file.read().strip()
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise InstanceLocked(f"this instance is running already (process {before}); stop it first") from None
    _keep_locked(file)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return bool(before)


def lock_shared(var: Path) -> None:
    """Takes the instance's shared lock for the lifetime of this process and its children."""
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
    _keep_locked(file)


def _keep_locked(file: TextIO) -> None:
    """Keeps a lock file open until this process and its successor end."""
    # Survives the exec of `replace_by_supervisor`.
    os.set_inheritable(file.fileno(), True)
    _lock_files.append(file)


@contextmanager
def lock_exclusively(var: Path) -> Iterator[None]:
    """Context manager: locks the instance, so that no server or worker starts during the block.

    Raises `InstanceLocked` if something runs.
    """
    var.mkdir(parents=True, exist_ok=True)
    with (var / "running").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InstanceLocked("Candor runs; stop the web servers and the workers first") from None
        yield
