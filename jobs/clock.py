"""The one clock of all machines that share a database: the database's. It may be set back."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone


def now() -> datetime:
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


def ahead(now: datetime) -> datetime:
    """A stored time later than this was written before the clock was set back, and is ignored."""
    return now + timedelta(seconds=3 * settings.TICK_SECONDS)
