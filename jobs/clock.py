"""The one clock of all machines that share a database: the database's."""

from datetime import datetime

from django.db import connection
from django.utils import timezone


def now() -> datetime:
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment
