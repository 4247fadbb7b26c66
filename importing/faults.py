"""The faults of a refused file: every place and reason."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _


class Fault(NamedTuple):
    """A place as the file's writer knows it (a path, or a sheet and a row), and a reason in the reader's language."""

    location: str
    reason: str


class FileRefused(ValueError):
    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{location}: {reason}" for location, reason in faults))

    def in_words(self) -> str:
        """All faults in the reader's language, for a form that has one place for them."""
        words = _("%(place)s: %(reason)s")
        return " ".join(words % {"place": fault.location, "reason": fault.reason} for fault in self.faults)
