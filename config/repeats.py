"""A log handler that writes the same warning once a minute, with the number of its repetitions.

A record with the attribute `ongoing` tells of something that lasts: it is written once, and its repetitions when it has
not come for a minute.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SECONDS = 60
MOST = 1000
"""Different warnings at a time; further ones are written without counting."""

Complaint = tuple[str, int, str, str]


@dataclass
class Repeated:
    """When a warning was last written, or came where it is ongoing, and its repetitions since."""

    written: float
    record: logging.LogRecord
    since: int = 0

    def repeat(self, now: float) -> None:
        self.since += 1
        if getattr(self.record, "ongoing", False):
            self.written = now


class RepeatCountingHandler(logging.StreamHandler[Any]):
    """Counts warnings and errors by their message; records below that are always written."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, stream: Any = None) -> None:
        super().__init__(stream)
        self._clock = clock
        self._made: dict[Complaint, Repeated] = {}

    def emit(self, record: logging.LogRecord) -> None:
        now = self._clock()
        for made in self._over(now):
            self._write_count(made)
        if record.levelno < logging.WARNING:
            super().emit(record)
            return
        what = key_of(record)
        if what in self._made:
            self._made[what].repeat(now)
            return
        if len(self._made) < MOST:
            self._made[what] = Repeated(now, record)
        super().emit(record)

    def _over(self, now: float) -> list[Repeated]:
        """Remove and return the warnings whose minute is over, so that the next one is written again."""
        over = {what: made for what, made in self._made.items() if now - made.written >= SECONDS}
        for what in over:
            del self._made[what]
        return list(over.values())

    def _write_count(self, made: Repeated) -> None:
        if made.since:
            said = made.record.getMessage()
            origin = (made.record.name, made.record.levelno, made.record.pathname, made.record.lineno)
            super().emit(logging.LogRecord(*origin, f"{made.since} times more: {said}", (), None))

    def close(self) -> None:
        """Write the remaining counts."""
        self.acquire()
        try:
            for made in self._made.values():
                self._write_count(made)
            self._made = {}
        finally:
            self.release()
        super().close()


def key_of(record: logging.LogRecord) -> Complaint:
    kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
    return record.name, record.levelno, record.getMessage(), kind
