"""Long computations beside which somebody is asked whether to go on: native code cannot be asked itself."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PAUSE = 0.2
"""Seconds between two questions."""


def watched(work: Callable[[], T], ask: Callable[[], object]) -> T:
    """The result of `work`, which a thread computes; meanwhile `ask` is called here again and again.

    An exception of `ask` ends the waiting. The work then goes on to its end, unheard: no thread can be killed, so
    where it can look at a flag, `ask` should set one.
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
            ask()
    if failures:
        raise failures[0]
    return results[0]
