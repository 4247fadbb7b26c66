"""Connections to PostgreSQL that are lost between two records."""

import psycopg
import pytest

from tests.intake import asked
from tests.intake.conftest import Shared

pytestmark = pytest.mark.server
END_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def test_a_record_that_finds_its_connection_lost_is_stored_once_on_a_new_one(shared: Shared) -> None:
    home = shared("postgresql").open(asked.design(least=20))
    # So many at once that every thread has a connection.
    assert home.post([home.envelope(number) for number in range(30)]) == [201] * 30
    with psycopg.connect(home.env["DATABASE_URL"]) as server:
        assert server.execute(END_ALL).rowcount > 0
    assert home.post([home.envelope(number) for number in range(30, 60)]) == [201] * 30
    assert sorted(home.find().all) == [f"{number:06o}" for number in range(60)]
