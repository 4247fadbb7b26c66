"""Settings of a survey's end: closing time, maximum number of answers, deletion date; and its expected rate
of answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.questionnaire.problems_and_refusals import Problem
from ui.number_format import format_count


class SettingsConflict(Exception):
    """Raised if another person has changed the settings meanwhile; nothing was written."""


def settings_digest(values: object) -> str:
    """Returns a digest of the settings that a person saw, by which a save detects that somebody else has changed them
    since."""
    return sha256(repr(values).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class EndSettings:
    """Settings of a survey's end, and the number of answers per minute expected from an open link (`at_once`;
    None: the site's usual rate).

    `cap`: the number of received answers at which it closes. At the start of the day `destroy_on` everything
    is deleted. For `at_once` see intake/endpoint/rate_limits.py.
    """

    closes: datetime | None
    cap: int | None
    destroy_on: date | None
    at_once: int | None = None

    def find_problems(self, least: int, now: datetime) -> Iterator[Problem]:
        """Yields a problem for each invalid setting, such as a closing time in the past; `least` is the smallest
        batch."""
        if self.cap is not None and self.cap < least:
            reason = _("must be at least %(least)s, the minimum batch size: fewer answers are never counted")
            yield Problem("cap", reason % {"least": format_count(least)})
        if self.closes is not None:
            if self.closes <= now:
                yield Problem("closes", _("is over already"))
            elif self.destroy_on and timezone.localdate(self.closes) >= self.destroy_on:
                yield Problem("closes", _("must be before the deletion date"))
        # The tick destroys at once what should have been destroyed already, and nothing brings it back.
        if self.destroy_on is not None and self.destroy_on <= timezone.localdate(now):
            yield Problem("destroy_on", _("must be a future date"))

    @property
    def digest(self) -> str:
        return settings_digest(self)

    def changes_since(self, earlier: "EndSettings") -> dict[str, Any]:
        """Returns the values that differ from `earlier`, by name."""
        return {key: value for key, value in vars(self).items() if getattr(earlier, key) != value}
