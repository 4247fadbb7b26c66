"""Interrupts long calls of packages that know no progress, such as mlxtend's."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY_SECONDS = 0.25


@contextmanager
def asking(question: Callable[[], object], every: float = EVERY_SECONDS) -> Iterator[None]:
    """Call `question()` every so many seconds, between two steps of Python; what it raises ends the block.

    It is asked again where a package catches that. The block must not use the database, which an exception at any step
    would leave in the middle of a statement. Outside of the main thread, where no signals arrive, nothing is asked.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: question())
    signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
