"""Epochs: calendar months in UTC, counted from January 1970, after which submission keys of open links are
deleted.

A page carries the month in which it was made, the same for everybody, and its record says it beside the key.
Once a device may not send a record of an epoch any more, all keys of that epoch are deleted
(intake.batches.seen_keys), and its records are refused as too old: without their keys nobody could tell
whether they were stored before.
"""

from datetime import UTC, datetime, timedelta

from django.conf import settings

NO_EPOCH = 0
"""Epoch of keys that are kept until the survey is finished: in surveys with invitations, and from field devices."""

CLOCKS = timedelta(days=1)
"""Allowed difference between the clocks of two machines."""


def epoch_at(moment: datetime) -> int:
    utc = moment.astimezone(UTC)
    return 12 * (utc.year - 1970) + utc.month - 1


def oldest_epoch(now: datetime) -> int:
    """Returns the oldest epoch (month) whose records are still accepted."""
    return epoch_at(now - timedelta(days=settings.SEND_AGAIN_DAYS))


def newest_epoch(now: datetime) -> int:
    """Returns the newest epoch (month) whose records are accepted: the page may come from a machine whose clock is
    ahead."""
    return epoch_at(now + CLOCKS)


def oldest_kept_epoch(now: datetime) -> int:
    """Returns the oldest epoch (month) whose keys are kept: a machine whose clock is late still accepts its records."""
    return oldest_epoch(now - CLOCKS)
