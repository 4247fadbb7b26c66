"""The interface of a job: the progress that it reports and the exceptions that it may raise."""

from typing import Protocol

from jobs.message import Message


class Progress(Protocol):
    """Tells how far a job is; raises `Cancelled` or `Lost` where the job should stop."""

    def __call__(self, fraction: float | None, text: str = "", **values: str | int | float) -> None:
        """`fraction` from 0 to 1, or None where nobody knows; cheap enough for an inner loop."""


class Cancelled(Exception):
    """Somebody cancelled the job. A `perform` lets it pass."""


class Lost(Exception):
    """The job was taken for dead and given to another worker. A `perform` lets it pass."""


class JobFailed(Exception):
    """Raised by a room's `perform`: `text` says what went wrong and what to do, marked with gettext_noop."""

    def __init__(self, text: str, **values: str | int | float) -> None:
        super().__init__(text, values)
        self.words = Message(text, values)
