"""Remembers in this process's memory whether the last record could not be stored, since the database cannot
record its own failure."""

import time
from collections.abc import Callable

MEMORY = 60
"""Seconds after which a failure to store no longer counts."""


class StoreFailures:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed = float("-inf")

    def record_failure(self) -> None:
        self._failed = self._clock()

    def record_success(self) -> None:
        self._failed = float("-inf")

    def failed_recently(self) -> bool:
        """True if the last record that arrived could not be stored."""
        return self._clock() - self._failed < MEMORY


UNSTORED = StoreFailures()
