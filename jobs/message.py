"""A sentence as a row stores it: the English source and its values, translated when it is shown."""

from dataclasses import dataclass, field
from math import isfinite
from typing import Any

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
