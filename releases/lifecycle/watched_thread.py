"""Long computations beside which somebody is asked whether to go on: native code cannot be asked itself."""

import ctypes
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from jobs.message import Progress

T = TypeVar("T")
PAUSE = 0.2
"""Seconds between two questions."""


def watched(work: Callable[[], T], ask: Callable[[], object]) -> T:
    """The result of `work`, which a thread computes; meanwhile `ask` is called here again and again.

    An exception of `ask` ends the waiting, and the work at its next step in Python. Native code goes on unheard: where
    it can look at a flag, `ask` should set one.
    """
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run, name="watched", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(PAUSE)
        if thread.is_alive():
            try:
                ask()
            except BaseException:
                _end(thread)
                raise
    if failures:
        raise failures[0]
    return results[0]


def _end(thread: threading.Thread) -> None:
    """Raise an exception in a thread: it comes with the next step of Python that it makes."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit)
    )


class RepeatedProgress:
    """The progress of a job whose work is done by a thread: repeated while the job waits, so that it can be stopped.

    Telling progress raises where the job should stop.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last: Callable[[], None] = partial(progress, None)

    def __call__(self, fraction: float | None, text: str = "", **values: str | int | float) -> None:
        self._last = partial(self._progress, fraction, text, **values)
        self._last()

    def wait_for(self, work: Callable[[], T]) -> T:
        """The result of `work`, which a thread computes; the last progress is told again meanwhile."""
        return watched(work, self.repeat)

    def repeat(self) -> None:
        self._last()
