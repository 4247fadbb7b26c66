"""The cache in the database does as Django's does, and fails aloud."""

import pytest
from django.db import OperationalError, connection

from config.database_cache import StrictDatabaseCache

pytestmark = [pytest.mark.django_db, pytest.mark.page]
TABLE = "accounts_lockout"


@pytest.fixture
def kept() -> StrictDatabaseCache:
    return StrictDatabaseCache(TABLE, {"OPTIONS": {"MAX_ENTRIES": 30}})


def test_a_value_is_added_once_set_again_prolonged_and_lapses(kept: StrictDatabaseCache) -> None:
    assert kept.add("a", (1, 2.5), 60)
    assert not kept.add("a", "another", 60)
    assert kept.get("a") == (1, 2.5)
    kept.set("a", "third", None)
    assert kept.get("a") == "third"
    assert not kept.add("a", 8, None)
    assert kept.touch("a", 60)
    assert not kept.touch("b", 60)
    kept.set("a", "old", -5)
    assert kept.get("a") is None
    kept.set("a", "old", -5)
    assert kept.add("a", "new", 60)
    assert kept.get("a") == "new"


def test_beyond_the_most_entries_some_are_deleted(kept: StrictDatabaseCache) -> None:
    for number in range(100):
        kept.set(f"key-{number}", number, 60)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {TABLE}")
        assert cursor.fetchone()[0] <= 32


def test_what_cannot_be_written_is_raised() -> None:
    strict = StrictDatabaseCache(TABLE, {})
    connection.connection.execute("PRAGMA query_only = 1")
    try:
        with pytest.raises(OperationalError, match="readonly"):
            strict.add("a", 1, 60)
    finally:
        connection.connection.execute("PRAGMA query_only = 0")
