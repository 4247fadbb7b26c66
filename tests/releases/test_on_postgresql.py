"""A release's whole life on PostgreSQL, migrated as in production."""

from collections.abc import Iterator

import psycopg
import pytest

from tests import servers
from tests.conftest import Migrated, migrate

__all__ = ["migrate"]

pytestmark = pytest.mark.server

APPROVE = """
from django.utils import timezone
from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, Person
from releases.lifecycle import attack_job, release_decisions
from releases.models import Register
from tests.releases.conftest import draft_of_survey, draft_of_upload, finish_job, made_release
from tests.releases.conftest import everybody, plain_survey
owner, reviewer = (Person.objects.create(username=name, email=f"{name}@x.org") for name in ("owner", "reviewer"))
role_assignment.give_role(reviewer, REVIEWERS, by=None)
survey = plain_survey(owner, everybody(40))
first = made_release(draft_of_survey(survey, owner, "age"), owner)
release_decisions.approve(first, reviewer, "", timezone.now())
second = made_release(draft_of_survey(survey, owner, "age", joined=True), owner)
upload = made_release(draft_of_upload(owner), owner)
release_decisions.refuse(upload, reviewer, "no", timezone.now())
attack = attack_job.start_attack(first, reviewer, b"name,age\\nAda,old\\n", timezone.now())
finish_job(attack)
print(first.state, second.state, upload.state, attack.state, Register.objects.count())
"""
DESTROY = """
from django.db import connection, transaction
from releases.models import Release, ReleasedTable, Source, Upload
from surveys.lifecycle import state_changes as lifecycle
print(*(model.objects.count() for model in (Source, Release, ReleasedTable, Upload)))
with transaction.atomic():
    lifecycle.destroy_survey(survey, owner, timezone.now())
    connection.check_constraints()
    print(*(model.objects.count() for model in (Source, Release, ReleasedTable, Upload)))
    transaction.set_rollback(True)
"""
"""Undone after the foreign keys were checked as at a commit, so that other tests find the tables."""


@pytest.fixture(scope="module")
def env(migrate: Migrated) -> dict[str, str]:
    return migrate("releases")


@pytest.fixture(scope="module")
def lines(env: dict[str, str]) -> list[str]:
    """What the process says: the states, then the numbers of rows before the destruction and after it."""
    return servers.manage(env, "shell", "--verbosity=0", "-c", APPROVE + DESTROY).splitlines()


@pytest.fixture
def database(env: dict[str, str], lines: list[str]) -> Iterator[psycopg.Connection]:
    with psycopg.connect(env["DATABASE_URL"]) as connection:
        yield connection
        connection.rollback()


@pytest.mark.night
def test_release_life_on_postgresql_matches_sqlite(lines: list[str]) -> None:
    assert lines[-3] == "approved checked refused done 0"


def test_released_table_is_immutable_on_postgresql(database: psycopg.Connection) -> None:
    for statement in (
        "UPDATE releases_releasedtable SET report = '{}'",
        "INSERT INTO releases_releasedtable SELECT * FROM releases_releasedtable ON CONFLICT (id) DO UPDATE SET id = 0",
    ):
        with pytest.raises(psycopg.IntegrityError, match="append-only"), database.transaction():
            database.execute(statement)


def test_no_samples_of_tables_and_uploads_are_left_in_the_statistics(database: psycopg.Connection) -> None:
    database.execute("ANALYZE releases_releasedtable")
    database.execute("ANALYZE releases_upload")
    kept = database.execute("SELECT attname FROM pg_stats WHERE tablename LIKE 'releases_%'").fetchall()
    assert not {"file", "report", "classes", "content", "columns"} & {name for (name,) in kept}


def test_database_constrains_release_states(database: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.CheckViolation), database.transaction():
        database.execute("UPDATE releases_release SET state = 'free'")
    with pytest.raises(psycopg.errors.CheckViolation), database.transaction():
        database.execute("UPDATE releases_source SET name = 'x.csv'")


def test_destruction_takes_all_of_the_survey(lines: list[str]) -> None:
    assert lines[-2:] == ["3 3 2 0", "1 1 0 0"]
