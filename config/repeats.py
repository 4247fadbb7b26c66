"""A log on which the same complaint stands once a minute, with how often it was made: a disk that is full of lines that
say so helps nobody."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SECONDS = 60
MOST = 1000
"""Different complaints at a time; those beyond are not counted but written."""

Complaint = tuple[str, int, str, str]


@dataclass
class Made:
    """When it was last written, and how often it was made since."""

    written: float
    record: logging.LogRecord
    since: int = 0


class Counting(logging.StreamHandler[Any]):
    """Warnings and worse are counted; what tells of one job or page differs in its words and so is always written."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, stream: Any = None) -> None:
        super().__init__(stream)
        self._clock = clock
        self._made: dict[Complaint, Made] = {}

    def emit(self, record: logging.LogRecord) -> None:
        now = self._clock()
        for made in self._over(now):
            self._write_count(made)
        if record.levelno < logging.WARNING:
            super().emit(record)
            return
        what = complaint(record)
        if what in self._made:
            self._made[what].since += 1
            return
        if len(self._made) < MOST:
            self._made[what] = Made(now, record)
        super().emit(record)

    def _over(self, now: float) -> list[Made]:
        """Those whose minute is over; they are forgotten, so that the next one is written again."""
        over = {what: made for what, made in self._made.items() if now - made.written >= SECONDS}
        for what in over:
            del self._made[what]
        return list(over.values())

    def _write_count(self, made: Made) -> None:
        if made.since:
            said = made.record.getMessage()
            of = (made.record.name, made.record.levelno, made.record.pathname, made.record.lineno)
            super().emit(logging.LogRecord(*of, f"{made.since} times more: {said}", (), None))

    def close(self) -> None:
        """What has not been told yet is told at the end."""
        self.acquire()
        try:
            for made in self._made.values():
                self._write_count(made)
            self._made = {}
        finally:
            self.release()
        super().close()


def complaint(record: logging.LogRecord) -> Complaint:
    kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
    return record.name, record.levelno, record.getMessage(), kind
