"""Epochs: calendar months in UTC, counted from January 1970, by which the keys of open links end.

A page carries the month in which it was made, the same for everybody, and its record says it beside the key. Once a
device may not send a record of an epoch any more, the keys of that epoch are deleted whole (intake.batches.seen_keys),
and its records are refused as too old: nobody could tell whether they have arrived before.
"""

from datetime import UTC, datetime, timedelta

from django.conf import settings

NO_EPOCH = 0
"""Of the keys of a survey that asks for invitations, and of its field devices: they are kept until it is finished."""

CLOCKS = timedelta(days=1)
"""Machines' clocks may differ by so much."""


def epoch_at(moment: datetime) -> int:
    utc = moment.astimezone(UTC)
    return 12 * (utc.year - 1970) + utc.month - 1


def oldest_epoch(now: datetime) -> int:
    """Returns the oldest epoch of which records are accepted: those that ended earlier are too old."""
    return epoch_at(now - timedelta(days=settings.SEND_AGAIN_DAYS))


def newest_epoch(now: datetime) -> int:
    """Returns the newest epoch that a page can carry, if another machine made it."""
    return epoch_at(now + CLOCKS)


def oldest_kept_epoch(now: datetime) -> int:
    """Returns the oldest epoch whose keys are kept: a machine whose clock is late still accepts its records."""
    return oldest_epoch(now - CLOCKS)
