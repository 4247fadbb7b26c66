"""What a job says: messages, progress, and the exceptions by which it ends early.

A row stores the English source of a sentence and its values; it is translated when it is shown.
"""

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Protocol

from django.utils.translation import gettext


@dataclass(frozen=True)
class Message:
    """`text` is marked with gettext_noop where it is written; `values` fill its %(name)s places."""

    text: str = ""
    values: dict[str, str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        # gettext("") would answer with the catalogue's header.
        return gettext(self.text) % self.values if self.text else ""

    def stored(self) -> dict[str, Any]:
        if not self.text:
            return {}
        return {"text": self.text, "values": {name: plain(value) for name, value in self.values.items()}}


def plain(value: object) -> str | int | float:
    """A value that JSON has; others, such as numpy's integers and infinity, become text."""
    if isinstance(value, str | int) or (isinstance(value, float) and isfinite(value)):
        return value
    return str(value)


def read(stored: dict[str, Any]) -> Message:
    return Message(**stored)


class Progress(Protocol):
    """Tells how far a job is; raises `Cancelled`, `ClaimLost` or `GaveWay` where the job should stop."""

    def __call__(self, fraction: float | None, text: str = "", **values: str | int | float) -> None:
        """`fraction` from 0 to 1, or None where nobody knows; cheap enough for an inner loop."""


class Cancelled(Exception):
    """Somebody cancelled the job. A `perform` lets it pass."""


class ClaimLost(Exception):
    """The job was taken for dead and given to another worker. A `perform` lets it pass."""


class GaveWay(Exception):
    """Other jobs wait, and this one is spare. A `perform` lets it pass."""


class JobFailed(Exception):
    """Raised by a room's `perform`: `text` says what went wrong and what to do, marked with gettext_noop."""

    def __init__(self, text: str, **values: str | int | float) -> None:
        super().__init__(text, values)
        self.words = Message(text, values)
