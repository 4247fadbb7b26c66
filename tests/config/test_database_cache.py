"""The cache in the database does as Django's does, and fails aloud."""

import pytest
from django.db import OperationalError, connection

from config.database_cache import StrictDatabaseCache

pytestmark = [pytest.mark.django_db, pytest.mark.page]
TABLE = "accounts_lockout"


@pytest.fixture
def small_cache() -> StrictDatabaseCache:
    return StrictDatabaseCache(TABLE, {"OPTIONS": {"MAX_ENTRIES": 30}})


def test_cache_value_is_added_once_set_prolonged_and_expires(small_cache: StrictDatabaseCache) -> None:
    assert small_cache.add("a", (1, 2.5), 60)
    assert not small_cache.add("a", "another", 60)
    assert small_cache.get("a") == (1, 2.5)
    small_cache.set("a", "third", None)
    assert small_cache.get("a") == "third"
    assert not small_cache.add("a", 8, None)
    assert small_cache.touch("a", 60)
    assert not small_cache.touch("b", 60)
    small_cache.set("a", "old", -5)
    assert small_cache.get("a") is None
    small_cache.set("a", "old", -5)
    assert small_cache.add("a", "new", 60)
    assert small_cache.get("a") == "new"


def test_cache_deletes_some_entries_beyond_its_limit(small_cache: StrictDatabaseCache) -> None:
    for number in range(100):
        small_cache.set(f"key-{number}", number, 60)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {TABLE}")
        assert cursor.fetchone()[0] <= 32


def test_failed_cache_write_raises() -> None:
    strict = StrictDatabaseCache(TABLE, {})
    connection.connection.execute("PRAGMA query_only = 1")
    try:
        with pytest.raises(OperationalError, match="readonly"):
            strict.add("a", 1, 60)
    finally:
        connection.connection.execute("PRAGMA query_only = 0")
