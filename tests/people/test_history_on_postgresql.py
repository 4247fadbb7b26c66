"""The same refusals by the other database; the migrations run there as they do in production."""

from collections.abc import Iterator

import psycopg
import pytest

from tests import servers

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def address(postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory) -> str:
    url = postgres.create("people")
    env = servers.environment(DATABASE_URL=url, VAR=str(tmp_path_factory.mktemp("var")))
    servers.manage(env, "migrate", "--verbosity=0")
    servers.manage(env, "demo_people")
    return url


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


def test_the_counts_of_failures_have_their_table(database: psycopg.Connection) -> None:
    assert database.execute("SELECT count(*) FROM people_lockout").fetchone() == (0,)


def test_the_migrations_can_be_taken_back(
    postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory
) -> None:
    env = servers.environment(
        DATABASE_URL=postgres.create("there_and_back"), VAR=str(tmp_path_factory.mktemp("var"))
    )
    servers.manage(env, "migrate", "people", "0002", "--verbosity=0", "--skip-checks")
    servers.manage(env, "migrate", "people", "0001", "--verbosity=0", "--skip-checks")
    servers.manage(env, "migrate", "people", "0002", "--verbosity=0", "--skip-checks")
