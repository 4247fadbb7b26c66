"""Orphans: processes of the same folder that an earlier start left behind and whose supervisor has ended.

A child process carries a mark in its environment: the folder it works for and its supervisor. Linux shows both in
/proc; elsewhere nothing is found. Only the standard library is needed.
"""

import contextlib
import errno
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from config.start.lifeline import PATIENCE

NAME = "CANDOR_KEPT"
PROC = Path("/proc")


@dataclass(frozen=True)
class ChildProcess:
    """A process with a mark; `supervisor` is the process that started it, and when that began."""

    pid: int
    supervisor: tuple[int, int]

    @property
    def is_supervised(self) -> bool:
        return start_time(self.supervisor[0]) == self.supervisor[1]


def mark(var: Path) -> str:
    """The mark of the children of this process."""
    return f"{folder_id(var)}:{os.getpid()}:{start_time(os.getpid())}"


def folder_id(var: Path) -> str:
    """Device and inode: the same for every path to the folder."""
    known = var.stat()
    return f"{known.st_dev}:{known.st_ino}"


def start_time(pid: int) -> int:
    """In clock ticks since boot; 0 for a process that has ended. Pids are reused; a pid with its start time is not."""
    try:
        # The name in brackets may hold anything.
        words = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if words[0] in "ZX" else int(words[19])


def children(var: Path) -> list[ChildProcess]:
    """All marked processes of this folder on this machine, whoever started them."""
    try:
        here = f"{NAME}={folder_id(var)}:"
    except OSError:
        return []
    return [
        ChildProcess(pid, (int(words[0]), int(words[1])))
        for pid, environment in environments()
        for entry in environment
        if entry.startswith(here) and len(words := entry.removeprefix(here).split(":")) == 2
    ]


def environments() -> Iterator[tuple[int, list[str]]]:
    ours = pid_namespace(os.getpid())
    for folder in PROC.glob("[0-9]*"):
        # Within a container the same numbers name other processes.
        with contextlib.suppress(OSError):
            if pid_namespace(int(folder.name)) == ours:
                text = (folder / "environ").read_bytes().decode(errors="replace")
                yield int(folder.name), text.split("\0")


def pid_namespace(pid: int) -> str:
    return str((PROC / str(pid) / "ns" / "pid").readlink())


def orphaned(var: Path) -> list[ChildProcess]:
    """The children whose supervisor has ended."""
    return [child for child in children(var) if not child.is_supervised]


def supervisors(var: Path) -> set[int]:
    """The process ids of the living supervisors of this folder."""
    return {child.supervisor[0] for child in children(var) if child.is_supervised}


def end(var: Path) -> int:
    """End the orphans, by SIGTERM and then SIGKILL; return how many. OSError where one cannot be ended."""
    processes = orphaned(var)
    for number in (signal.SIGTERM, signal.SIGKILL):
        rest = orphaned(var)
        for child in rest:
            _signal(child, number)
        until = time.monotonic() + PATIENCE
        while rest and time.monotonic() < until:
            time.sleep(0.05)
            rest = orphaned(var)
    if rest:
        raise OSError(errno.EBUSY, "they do not end")
    return len(processes)


def _signal(child: ChildProcess, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, number)
        # A stopped process handles a signal only after it continues.
        os.kill(child.pid, signal.SIGCONT)
