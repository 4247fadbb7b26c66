"""What an earlier start left behind: processes of the same folder whose keeper is gone.

A child carries a mark in its environment: the folder it works for and the process that keeps it. Linux shows both in
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

from config.lifeline import PATIENCE

NAME = "CANDOR_KEPT"
PROC = Path("/proc")


@dataclass(frozen=True)
class Kept:
    """A process that somebody keeps: `keeper` is that process and when it began."""

    pid: int
    keeper: tuple[int, int]

    @property
    def is_kept(self) -> bool:
        return began(self.keeper[0]) == self.keeper[1]


def mark(var: Path) -> str:
    """Of the children of this process."""
    return f"{place(var)}:{os.getpid()}:{began(os.getpid())}"


def place(var: Path) -> str:
    """The same for every path to the folder, and another one for a folder of that name elsewhere."""
    known = var.stat()
    return f"{known.st_dev}:{known.st_ino}"


def began(pid: int) -> int:
    """In ticks since the machine was started; 0 for a process that is gone. A number is used again, both are not."""
    try:
        # The name in brackets may hold anything.
        words = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if words[0] in "ZX" else int(words[19])


def of(var: Path) -> list[Kept]:
    """All that are kept for this folder, on this machine and by whomever."""
    try:
        here = f"{NAME}={place(var)}:"
    except OSError:
        return []
    return [
        Kept(pid, (int(words[0]), int(words[1])))
        for pid, environment in environments()
        for entry in environment
        if entry.startswith(here) and len(words := entry.removeprefix(here).split(":")) == 2
    ]


def environments() -> Iterator[tuple[int, list[str]]]:
    ours = numbering(os.getpid())
    for folder in PROC.glob("[0-9]*"):
        # Within a container the same numbers name other processes.
        with contextlib.suppress(OSError):
            if numbering(int(folder.name)) == ours:
                text = (folder / "environ").read_bytes().decode(errors="replace")
                yield int(folder.name), text.split("\0")


def numbering(pid: int) -> str:
    return str((PROC / str(pid) / "ns" / "pid").readlink())


def left(var: Path) -> list[Kept]:
    """Those whose keeper is gone."""
    return [kept for kept in of(var) if not kept.is_kept]


def keepers(var: Path) -> set[int]:
    """The living ones of this folder."""
    return {kept.keeper[0] for kept in of(var) if kept.is_kept}


def end(var: Path) -> int:
    """End what was left, politely at first; how many processes that were. OSError where one cannot be ended."""
    found = left(var)
    for number in (signal.SIGTERM, signal.SIGKILL):
        rest = left(var)
        for kept in rest:
            _tell(kept, number)
        until = time.monotonic() + PATIENCE
        while rest and time.monotonic() < until:
            time.sleep(0.05)
            rest = left(var)
    if rest:
        raise OSError(errno.EBUSY, "they do not end")
    return len(found)


def _tell(kept: Kept, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(kept.pid, number)
        # One that was stopped does not hear before it goes on.
        os.kill(kept.pid, signal.SIGCONT)
