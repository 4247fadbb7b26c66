"""Calls a function after a minute, outside of any request; used to write counts of people with a delay."""

import atexit
from collections.abc import Callable
from threading import Timer

from django.db import connections

MINUTE = 60.0
Later = Callable[[Callable[[], None]], None]


def call_in_a_minute(work: Callable[[], None]) -> None:
    """Calls `work` after a minute in a daemon thread, or earlier if the process ends."""
    atexit.unregister(work)
    atexit.register(work)

    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    timer = Timer(MINUTE, run)
    timer.daemon = True
    timer.start()
