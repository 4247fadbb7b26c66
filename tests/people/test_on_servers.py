"""The same promises on PostgreSQL and Redis, migrated as in production."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import servers

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def address(postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory) -> str:
    return servers.migrated(postgres, "people", tmp_path_factory.mktemp("var"), CAST)["DATABASE_URL"]


@pytest.fixture
def database(address: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE people_history SET note = 'forged'",
        "DELETE FROM people_history",
        "TRUNCATE people_history",
        "TRUNCATE people_person CASCADE",
        "INSERT INTO people_history SELECT * FROM people_history ON CONFLICT (id) DO UPDATE SET note = 'forged'",
    ],
)
def test_the_database_itself_refuses(database: psycopg.Connection, statement: str) -> None:
    before = database.execute("SELECT * FROM people_history ORDER BY id").fetchall()
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="insert-only"):
        database.execute(statement)
    assert before
    assert database.execute("SELECT * FROM people_history ORDER BY id").fetchall() == before


def test_an_address_belongs_to_one_account_however_it_is_written(database: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.UniqueViolation):
        database.execute(
            "UPDATE people_person SET email = 'DEMO-reviewer@example.org' WHERE username = 'demo-researcher'"
        )


def test_the_migrations_can_be_taken_back(
    postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory
) -> None:
    env = servers.environment(
        DATABASE_URL=postgres.create("there_and_back"), VAR=str(tmp_path_factory.mktemp("var"))
    )
    servers.manage(env, "migrate", "people", "0002", "--verbosity=0", "--skip-checks")
    servers.manage(env, "migrate", "people", "0001", "--verbosity=0", "--skip-checks")
    servers.manage(env, "migrate", "people", "0002", "--verbosity=0", "--skip-checks")


CAST = """
from django.utils import timezone
from people import demo
demo.seed(timezone.now(), {"researcher": "first-secret", "reviewer": "second-secret"})
"""
FAIL = """
from django.test import Client
client = Client(HTTP_HOST="localhost")
given = {"username": "demo-researcher", "password": "not-the-password"}
print([client.post("/account/sign-in", given).status_code for _ in range(6)])
"""


@pytest.mark.parametrize("counted_in", ["the database", "Redis"])
def test_repeated_failures_lock_out(
    address: str, redis: servers.Redis, tmp_path: Path, counted_in: str
) -> None:
    more = {"REDIS_URL": redis.url} if counted_in == "Redis" else {}
    env = servers.environment(DATABASE_URL=address, VAR=str(tmp_path), DEBUG="yes", **more)
    assert (
        servers.manage(env, "shell", "--verbosity=0", "-c", FAIL).strip() == "[200, 200, 200, 200, 429, 429]"
    )
