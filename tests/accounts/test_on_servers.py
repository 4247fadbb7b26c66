"""The same promises on PostgreSQL and Redis, migrated as in production."""

import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import servers

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def address(postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory) -> str:
    return servers.migrate_database(postgres, "accounts", tmp_path_factory.mktemp("var"), CHEAPLY + CAST)[
        "DATABASE_URL"
    ]


@pytest.fixture
def database(address: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection


def test_database_refuses_changes_of_history_on_postgresql(
    database: psycopg.Connection, subtests: pytest.Subtests
) -> None:
    before = database.execute("SELECT * FROM accounts_history ORDER BY id").fetchall()
    assert before
    for statement in (
        "UPDATE accounts_history SET note = 'forged'",
        "DELETE FROM accounts_history",
        "TRUNCATE accounts_history",
        "TRUNCATE accounts_person CASCADE",
        """INSERT INTO accounts_history SELECT * FROM accounts_history
        ON CONFLICT (id) DO UPDATE SET note = 'forged'""",
    ):
        with subtests.test(statement):
            with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="insert-only"):
                database.execute(statement)
            assert database.execute("SELECT * FROM accounts_history ORDER BY id").fetchall() == before


def test_email_address_belongs_to_one_account_in_any_spelling_on_postgresql(
    database: psycopg.Connection,
) -> None:
    with pytest.raises(psycopg.errors.UniqueViolation):
        database.execute(
            "UPDATE accounts_person SET email = 'DEMO-reviewer@example.org' WHERE username = 'demo-researcher'"
        )


@pytest.mark.night
def test_account_migrations_are_reversible(
    postgres: servers.Postgres, tmp_path_factory: pytest.TempPathFactory
) -> None:
    env = servers.environment(
        DATABASE_URL=postgres.create("there_and_back"), VAR=str(tmp_path_factory.mktemp("var"))
    )
    servers.manage(env, "migrate", "accounts", "--verbosity=0", "--skip-checks")
    servers.manage(env, "migrate", "accounts", "zero", "--verbosity=0", "--skip-checks")
    servers.manage(env, "migrate", "accounts", "--verbosity=0", "--skip-checks")


# Argon2 takes a fifth of a second of a processor, a hundred times over.
CHEAPLY = """
from django.conf import settings
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""
CAST = """
from django.utils import timezone
from accounts import demo_accounts
demo_accounts.create_or_reset_demo_accounts(timezone.now(), {"researcher": "first-secret", "reviewer": "second-secret"})
"""


def instance_environment(var: Path, **more: str) -> dict[str, str]:
    return servers.environment(VAR=str(var), DEBUG="yes", SECRET_KEY=secrets.token_hex(32), **more)


def shell_lines(env: dict[str, str], *programs: str) -> list[str]:
    return servers.manage(env, "shell", "--verbosity=0", "-c", "".join(programs)).splitlines()


ATTEMPT = """
import threading, time
from concurrent.futures import ThreadPoolExecutor
from django.db import connection
from django.test import Client

def attempt(password, address, client=None, username="demo-researcher"):
    given = {"username": username, "password": password}
    client = client or Client(HTTP_HOST="localhost")
    try:
        return client.post("/app/account/sign-in", given, REMOTE_ADDR=address).status_code
    finally:
        connection.close()
"""


GUESS = """
from django.contrib.auth.backends import ModelBackend
from accounts import lockout

# What is counted is asked here; how many are looked at in one moment, below.
lockout._slots = lockout._for_strangers = threading.BoundedSemaphore(60)
looked_at, real = [], ModelBackend.authenticate

def authenticate(self, request, username=None, password=None, **more):
    looked_at.append(password)
    # As long as a real one takes, during which the others come.
    time.sleep(0.2)
    return real(self, request, username, password, **more)

ModelBackend.authenticate = authenticate
known = Client(HTTP_HOST="localhost")
before = attempt("first-secret", "192.0.2.7", known)
looked_at.clear()
with ThreadPoolExecutor(12) as pool:
    list(pool.map(lambda n: attempt(f"guess {n}", f"198.18.0.{n}"), range(60)))
guesses = len(looked_at)
print([before, guesses, attempt("first-secret", "198.18.1.1"), attempt("first-secret", "192.0.2.7", known)])
print([attempt("not-the-password", "192.0.2.8", username="demo-reviewer") for _ in range(6)])
"""


@pytest.mark.night
@pytest.mark.parametrize("counted_in", ["the database", "Redis", "SQLite"])
def test_guesses_from_many_addresses_at_once_are_limited_and_lock_nobody_out(
    postgres: servers.Postgres, redis: servers.Redis, tmp_path: Path, counted_in: str
) -> None:
    """Sixty at one moment: twenty passwords are looked at, and where its owner has been before, they are in at once.

    From one address, five.
    """
    more = {"REDIS_URL": redis.url} if counted_in == "Redis" else {}
    if counted_in == "SQLite":
        shutil.copy(servers.migrated_file(), tmp_path)
    else:
        more["DATABASE_URL"] = postgres.create(f"guesses_{servers.free_port()}", postgres.migrated())
    found = shell_lines(instance_environment(tmp_path, **more), CHEAPLY, CAST, ATTEMPT, GUESS)
    assert found == ["[302, 20, 429, 302]", "[200, 200, 200, 200, 429, 429]"]


INVENT = """
from django.contrib.auth.hashers import Argon2PasswordHasher

running, most, lock, real = 0, 0, threading.Lock(), Argon2PasswordHasher.encode

def encode(self, password, salt):
    global running, most
    with lock:
        running += 1
        most = max(most, running)
    try:
        return real(self, password, salt)
    finally:
        with lock:
            running -= 1

Argon2PasswordHasher.encode = encode
with ThreadPoolExecutor(16) as pool:
    statuses = list(pool.map(lambda n: attempt("guess", f"198.18.0.{n}", username=f"nobody-{n}"), range(48)))
print([most <= 2, set(statuses) == {200, 429}])
"""


def test_two_of_many_simultaneous_passwords_are_hashed(tmp_path: Path) -> None:
    """With Argon2 itself, under invented names from as many addresses."""
    shutil.copy(servers.migrated_file(), tmp_path)
    assert shell_lines(instance_environment(tmp_path), ATTEMPT, INVENT) == ["[True, True]"]
