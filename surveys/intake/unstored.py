"""Whether records can be stored, as this process last found: no row could say that none can be written."""

import time
from collections.abc import Callable

AGAIN = 10
"""Seconds after which a page that was refused may try again."""

MEMORY = 60
"""Seconds: a failure that nobody tried again since says nothing any more."""


class Unstored:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed = float("-inf")

    def failed(self) -> None:
        self._failed = self._clock()

    def stored(self) -> None:
        self._failed = float("-inf")

    def lately(self) -> bool:
        """Whether the last record that came could not be stored."""
        return self._clock() - self._failed < MEMORY


UNSTORED = Unstored()
