"""Messages and progress of jobs, and the exceptions that end a job early.

A row stores the English source of a sentence and its values; it is translated when it is shown.
"""

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from types import FrameType
from typing import Any, Protocol, Self

from django.utils.translation import gettext


@dataclass(frozen=True)
class Message:
    """A message to people, translated when it is shown.

    `text` is marked with gettext_noop where it is written; `values` fill its %(name)s placeholders.
    """

    text: str = ""
    values: dict[str, str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        # gettext("") would answer with the catalogue's header.
        return gettext(self.text) % self.values if self.text else ""

    def as_json(self) -> dict[str, Any]:
        """Returns the message as JSON for a row.

        Values that JSON lacks, such as numpy's integers and infinity, become text.
        """
        if not self.text:
            return {}
        given: Mapping[str, object] = self.values
        values = {
            name: value
            if isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
            else str(value)
            for name, value in given.items()
        }
        return {"text": self.text, "values": values}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        return cls(**stored)


class Progress(Protocol):
    """Interface: a function that reports the progress of a job; raises `Cancelled`, `ClaimLost` or `Preempted` if the
    job should stop."""

    def __call__(self, fraction: float | None, text: str = "", **values: str | int | float) -> None:
        """Reports the finished `fraction` from 0 to 1, None if it is unknown, and a message; cheap enough for an inner
        loop."""


class Cancelled(Exception):
    """Raised if somebody cancelled the job; a kind's `perform` must not catch it."""


class ClaimLost(Exception):
    """Raised if the job counted as dead and was given to another worker; a kind's `perform` must not catch it."""


class Preempted(Exception):
    """Raised if this job is spare and other jobs wait; a kind's `perform` must not catch it."""


class JobFailed(Exception):
    """Raised by a job's `perform` if the job fails: `text` states the fault and what to do, marked with
    gettext_noop."""

    def __init__(self, text: str, **values: str | int | float) -> None:
        super().__init__(text, values)
        self.message = Message(text, values)


@contextmanager
def calling_periodically(check: Callable[[], object], seconds: float = 0.25) -> Iterator[None]:
    """Calls `check()` every `seconds` while the block runs; an exception of it ends the block.

    For long calls of packages that report no progress, such as mlxtend's. If the package catches the exception, the
    next call raises again; if it raises another one instead, or ends, the block still ends by the exception of
    `check`. The block must not use the database, because the exception could break off a statement.
    Signals arrive in the main thread alone: in other threads nothing is called. Nor is anything called in the middle of
    an import: an exception there can leave Python's lock of the module locked, and every later import of it waits.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    raised: list[BaseException] = []

    def on_alarm(_signal: int, frame: FrameType | None) -> None:
        if not _is_importing(frame):
            try:
                check()
            except BaseException as end:
                raised.append(end)
                raise

    previous = signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        if raised:
            raise raised[-1]


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
