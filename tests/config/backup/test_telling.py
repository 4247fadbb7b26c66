"""What the operator is told before a database is replaced, and that a backup holds every table but those named."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection, models
from django.utils import timezone

from accounts.models import Person
from config import migration_digests
from config.backup import survey_and_account_facts
from config.backup.archive import Archive, Json
from config.backup.irreversible_changes_file import Since
from config.backup.restore_plan import RestorePlan, plan_lines
from config.backup.saved_tables import LEFT_OUT, MIGRATIONS, BackupTable, backup_tables
from config.backup.table_rows import database
from jobs.models import Job
from tests.intake import asked

NOW = datetime(2026, 12, 4, 12, 0, tzinfo=UTC)


def survey(number: int, **values: object) -> Json:
    return {
        "number": number,
        "named": f"n{number}",
        "title": f"Title {number}",
        "state": "open",
        "records": 100,
        "sealed": 80,
        "runs": 1,
        "published": [],
        "deletion": None,
        **values,
    }


def told(then: Json, now: Json | None, since: Since | None = None, *, complete: bool = True) -> list[str]:
    head = {"id": "b", "made": "2026-12-01T09:30:00+00:00", "vendor": "sqlite", "facts": then}
    archive = Archive(Path("a.backup"), head, {}, [], None, None)  # type: ignore[arg-type]
    return list(plan_lines(RestorePlan(archive, since or Since(), complete, now, {}, None), NOW))


THEN = {
    "surveys": [survey(1, published=[7, 8]), survey(2, deletion="2026-12-03"), survey(3)],
    "accounts": {"olga": ["Researchers"], "ruth": ["Reviewers"], "gone": []},
}


def test_what_the_backup_is_comes_first() -> None:
    first, *_rest = told(THEN, None)
    assert (
        first == "A backup of 2026-12-01 09:30 UTC, 3 days old: 3 surveys, 300 records, 3 runs, 3 accounts."
    )


def test_all_that_is_newer_is_named() -> None:
    now = {
        "surveys": [
            survey(1, state="closed", records=120, published=[8]),
            survey(2, deletion="2026-12-03"),
            survey(4, records=1500),
        ],
        "accounts": {"olga": ["Researchers"], "ruth": [], "new": []},
    }
    _first, *rest = told(THEN, now)
    assert rest == [
        "Destroyed since, or due to be, and so destroyed again: surveys 2.",
        "What the database holds now is replaced:",
        "  survey 1 “Title 1”: now state closed, then open; records 120, then 100",
        "  survey 4 “Title 4” was made since and is lost with 1,500 records",
        "  reports withdrawn since will be public again: 7",
        "  accounts whose roles were changed or that were closed since: gone, ruth",
    ]


def test_what_was_destroyed_since_is_destroyed_again() -> None:
    lines = told(THEN, None, Since(destroyed=frozenset(["n1", "other"])))
    assert lines[1:] == ["Destroyed since, or due to be, and so destroyed again: surveys 1, 2."]


def test_without_a_list_every_survey_is_named_that_may_have_been_destroyed() -> None:
    lines = told(THEN, None, complete=False)
    assert lines[1:4] == [
        "No invitation of the backup will be valid, and surveys destroyed since will be there again:",
        "  survey 1 “Title 1”: destroy it if it was destroyed",
        "  survey 3 “Title 3”: destroy it if it was destroyed",
    ]


@pytest.mark.django_db
def test_facts_are_of_what_is_there_and_hold_no_slug() -> None:
    assert survey_and_account_facts.is_database_empty()
    opened = asked.survey(asked.design(least=20), draft={"title": {"en": "A title"}})
    for number in range(25):
        asked.post(opened, asked.envelope(asked.design(least=20), number))
    Person.objects.create(username="closed", is_active=False)
    found = survey_and_account_facts.database_facts()
    assert found["accounts"] == {"owner": []}
    (row,) = found["surveys"]
    assert (row["title"], row["state"], row["records"], row["sealed"]) == ("A title", "open", 25, 0)
    assert opened.slug not in str(found)
    assert not survey_and_account_facts.is_database_empty()


@pytest.mark.django_db
def test_every_table_of_the_database_is_in_a_backup_or_named_as_left_out() -> None:
    there = set(connection.introspection.table_names())
    assert {table.name for table in backup_tables(apps)} | {MIGRATIONS, migration_digests.TABLE} == there
    assert LEFT_OUT.keys() < there


def test_no_model_keeps_files_beside_the_database_where_a_backup_would_not_find_them() -> None:
    fields = [field for model in apps.get_models() for field in model._meta.get_fields()]
    assert not [field for field in fields if isinstance(field, models.FileField)]


@pytest.mark.django_db
def test_the_job_of_an_attack_is_left_out_with_its_answer() -> None:
    now = timezone.now()
    kinds = ("releases.attack", "runs.run")
    Job.objects.bulk_create(Job(kind=kind, created=now, queued=now) for kind in kinds)
    (row,) = database().rows(BackupTable.from_model(Job))
    assert b"runs.run" in row
