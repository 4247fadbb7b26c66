"""What a proof says of the values that PostgreSQL copies into its statistics, migrated as in production."""

from importlib import import_module
from secrets import token_hex
from typing import Any, LiteralString

import psycopg
import pytest

from proof.checks.stored_data import UNSAMPLED
from proof.outcome import Result
from tests import servers
from tests.conftest import Migrated, migrate

__all__ = ["migrate"]

pytestmark = pytest.mark.server

FILL = """
from accounts.models import Person
from intake import models
from surveys.models import Survey
owner = Person.objects.create(username="owner")
for n in b"12":
    survey = Survey.objects.create(owner=owner)
    few = {"survey": survey, "hash": bytes([n] * 16)}
    models.Inbox.objects.create(survey=survey, record=b"\\0110")
    models.FreshKey.objects.create(**few, epoch=0)
    models.SeenKeys.objects.create(survey=survey, epoch=0, first=few["hash"], hashes=few["hash"])
    models.KeySecret.objects.create(survey=survey, secret=few["hash"])
    models.Token.objects.create(**few)
    models.SpentToken.objects.create(**few)
    models.Batch.objects.create(survey=survey, first=1, last=1, n=20, copies=0, columns=b"\\0")
"""
CHECK = """
from proof.checks.stored_data import check_stored_columns_and_settings
outcome = check_stored_columns_and_settings(None)
print(outcome.result, outcome.seen, sep="\\n")
"""
MIGRATION: Any = import_module("intake.migrations.0001_initial")


@pytest.fixture
def env(migrate: Migrated) -> dict[str, str]:
    """A database of the test's own with rows in every table that the check looks at."""
    env = migrate(f"proof_{token_hex(4)}")
    servers.manage(env, "shell", "--verbosity=0", "-c", FILL)
    return env


def analyze_statements(
    env: dict[str, str], *statements: LiteralString
) -> tuple[set[tuple[str, str]], list[str]]:
    """The columns that ANALYZE samples after these statements, and what the check says then."""
    with psycopg.connect(env["DATABASE_URL"], autocommit=True) as connection:
        for statement in (*statements, "ANALYZE"):
            connection.execute(statement)
        sampled = set(connection.execute("SELECT tablename, attname FROM pg_stats").fetchall())
    return sampled, servers.manage(env, "shell", "--verbosity=0", "-c", CHECK).splitlines()


def test_statistics_check_passes_after_analyzing_every_table(env: dict[str, str]) -> None:
    sampled, (result, seen) = analyze_statements(env)
    assert {("intake_batch", "first"), ("intake_inbox", "survey_id")} <= sampled
    assert result == Result.HELD, seen


@pytest.mark.parametrize(
    ("table", "name"), [("intake_seenkeys", "first"), ("intake_inbox", "record"), ("intake_batch", "copies")]
)
def test_sampled_key_or_answer_column_is_named(
    env: dict[str, str], table: LiteralString, name: LiteralString
) -> None:
    sampled, (result, seen) = analyze_statements(
        env, f"ALTER TABLE {table} ALTER COLUMN {name} SET STATISTICS 100"
    )
    assert (table, name) in sampled
    assert result == Result.FAILED
    assert seen == f"the database samples values of the column {name} of {table} into its statistics"


def test_statistics_check_covers_columns_excluded_by_the_migration() -> None:
    looked_for = {model._meta.db_table: names for model, names in UNSAMPLED.items()}
    assert looked_for == {table: set(names) for table, names in MIGRATION.UNSAMPLED.items()}
