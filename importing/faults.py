"""Faults of a refused file, each with its location and reason."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _


class Fault(NamedTuple):
    """One fault of a file: its `location` as the file's author knows it (a path, or a sheet and a row), and a
    `reason` in the reader's language."""

    location: str
    reason: str


class FileRefused(ValueError):
    """Raised for a file that is not imported, with all of its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{location}: {reason}" for location, reason in faults))

    def in_words(self) -> str:
        """Returns all faults in the reader's language, for a form that shows them in one place."""
        words = _("%(place)s: %(reason)s")
        return " ".join(words % {"place": fault.location, "reason": fault.reason} for fault in self.faults)


def file_refusal(reason: str) -> FileRefused:
    """Returns the exception that refuses a file as a whole, with this reason."""
    return FileRefused([Fault(_("the file"), reason)])


def too_large_refusal() -> FileRefused:
    return file_refusal(_("holds more than a questionnaire"))


class RowRefused(ValueError):
    """Raised for a row of a file that is not imported, with the reason in the reader's language."""


class TooLarge(RowRefused):
    """Raised for a row with which the questionnaire exceeds its size limits; later rows are not read."""
