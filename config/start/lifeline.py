"""Child processes end when their parent ends, however it ends. Only the standard library is needed.

The parent has the only writing end of a pipe. Every child inherits the reading end, where end-of-file means that the
parent has ended.
"""

import os
import signal
import stat
import time
from functools import cache
from threading import Thread

NAME = "CANDOR_LIFELINE"
PATIENCE = 10.0
"""Seconds between SIGTERM and SIGKILL."""


@cache
def reading_end() -> int:
    """The parent's side. Python closes the writing end in every child; the kernel closes it with this process."""
    reading, _writing = os.pipe()
    return reading


def end_with_parent() -> None:
    """The child's side. Does nothing in a process without a supervisor."""
    end = os.environ.get(NAME, "")
    try:
        is_ours = stat.S_ISFIFO(os.fstat(int(end)).st_mode)
    except (ValueError, OSError):
        return
    if is_ours:
        Thread(target=_wait, args=(int(end),), name="lifeline", daemon=True).start()


def _wait(end: int) -> None:
    if os.read(end, 1):
        return
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
