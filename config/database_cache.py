"""Django's database cache, except that failed writes raise: counts of sign-ins that cannot be written must
not be ignored."""

import base64
import pickle
from datetime import UTC, datetime
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.db import DatabaseCache
from django.db import connection


class StrictDatabaseCache(DatabaseCache):
    """Database cache that writes a value in one statement and raises if the database is down or full.

    Django's own cache only reports that nothing was set.
    """

    _table: str
    _cull: Any

    def _base_set(self, mode: str, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT) -> bool:
        if mode == "touch":
            return bool(super()._base_set(mode, key, value, timeout))  # type: ignore[misc]
        now, seconds = datetime.now(UTC).replace(microsecond=0), self.get_backend_timeout(timeout)
        until = (
            datetime.fromtimestamp(int(seconds), UTC)
            if seconds is not None
            else datetime.max.replace(tzinfo=UTC)
        )
        table, (current, end) = self._table, map(connection.ops.adapt_datetimefield_value, (now, until))
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT COUNT(*) FROM {table}")  # noqa: S608 - named in the settings
            if (number := cursor.fetchone()[0]) > self._max_entries:
                self._cull(connection.alias, cursor, now, number)
            known = base64.b64encode(pickle.dumps(value, self.pickle_protocol)).decode()
            cursor.execute(
                f"INSERT INTO {table} (cache_key, value, expires) VALUES (%s, %s, %s) "  # noqa: S608 - as above
                "ON CONFLICT (cache_key) DO UPDATE SET value = excluded.value, expires = excluded.expires "
                f"WHERE %s OR {table}.expires < %s",
                [key, known, end, mode == "set", current],
            )
            return bool(cursor.rowcount)
