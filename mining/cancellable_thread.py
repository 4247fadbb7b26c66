"""Runs a long computation in a thread, so that the caller can check meanwhile whether to stop it; native code cannot
check itself."""

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PAUSE = 0.2
"""Seconds between two calls of `ask`."""


def run_in_thread(work: Callable[[], T], ask: Callable[[], object]) -> T:
    """Returns the result of `work`, computed in a thread; calls `ask` repeatedly meanwhile.

    An exception of `ask` ends the waiting, and ends the work at its next step in Python. Native code is not
    interrupted: `ask` should set a flag that it can read.
    """
    results: list[T] = []
    failures: list[BaseException] = []
    begun = threading.Event()

    def run() -> None:
        try:
            begun.set()
            results.append(work())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run, name="watched", daemon=True)
    thread.start()
    begun.wait()  # so that what `ask` raises is raised inside of the try
    while thread.is_alive():
        thread.join(PAUSE)
        if thread.is_alive():
            try:
                ask()
            except BaseException:
                _raise_system_exit_in_thread(thread)
                raise
    if failures:
        raise failures[0]
    return results[0]


def _raise_system_exit_in_thread(thread: threading.Thread) -> None:
    """Raises SystemExit in a thread, at its next step in Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit)
    )
