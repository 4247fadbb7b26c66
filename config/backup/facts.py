"""The summary of a database for the operator: in the head of a backup, and compared with it before a restore."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from django.db.models import Count

from accounts.models import Person
from config.backup import since
from intake.batches import batches
from reports.models import Review
from runs.models import Run
from surveys import draft as drafts
from surveys.models import Survey

Json = dict[str, Any]
COMPARED = ("state", "records", "runs", "deletion")


def facts() -> Json:
    return {"surveys": list(_surveys()), "accounts": dict(_accounts())}


def _surveys() -> Iterator[Json]:
    rows = list(Survey.objects.order_by("pk"))
    counts = batches.count([row.pk for row in rows])
    runs = dict(Run.objects.order_by().values_list("survey").annotate(n=Count("pk")))
    published = Review.objects.filter(state=Review.State.PUBLISHED).values_list("run__survey", "run")
    for row in rows:
        received = counts[row.pk]
        yield {
            "number": row.pk,
            "named": since.survey_name(row.slug),
            # From the draft: a design that was tampered with must not prevent a backup.
            "title": drafts.text_in(row.draft, "title", "en"),
            "state": row.state,
            "records": received.received,
            "sealed": received.sealed,
            "runs": runs.get(row.pk, 0),
            "published": sorted(run for survey, run in published if survey == row.pk),
            "deletion": row.destroy_on and row.destroy_on.isoformat(),
        }


def _accounts() -> Iterator[tuple[str, list[str]]]:
    people = Person.objects.filter(is_active=True).order_by("pk").prefetch_related("groups")
    for person in people:
        roles = sorted(group.name for group in person.groups.all())
        yield person.username, [*roles, *(["superuser"] if person.is_superuser else [])]


def is_empty() -> bool:
    """Nobody has an account and nobody has made a survey."""
    return not Person.objects.exists() and not Survey.objects.exists()


def earliest_deletion(content: Json) -> str | None:
    """The first day on which something in this database has to be gone."""
    days = [row["deletion"] for row in content["surveys"] if row["deletion"] and row["state"] != "destroyed"]
    return min(days, default=None)


def past_deletion(content: Json, today: date) -> list[Json]:
    """The surveys whose deletion date has come."""
    return [
        row
        for row in content["surveys"]
        if row["deletion"] and row["state"] != "destroyed" and date.fromisoformat(row["deletion"]) <= today
    ]


def changes_lost(then: Json, now: Json) -> Json:
    """The changes that a restore would lose: `then` are the facts of the backup, `now` of the database."""
    before = {row["named"]: row for row in then["surveys"]}
    after = {row["named"]: row for row in now["surveys"]}
    return {
        "surveys": [
            {"number": row["number"], "title": row["title"]}
            | {key: [before[named][key], row[key]] for key in COMPARED if before[named][key] != row[key]}
            for named, row in after.items()
            if named in before and any(before[named][key] != row[key] for key in COMPARED)
        ],
        "lost": [
            {"number": row["number"], "title": row["title"], "records": row["records"]}
            for named, row in after.items()
            if named not in before
        ],
        "published_again": sorted(
            run
            for named, row in before.items()
            for run in row["published"]
            if run not in after.get(named, {}).get("published", [])
        ),
        "accounts": sorted(
            name for name, roles in then["accounts"].items() if now["accounts"].get(name) != roles
        ),
    }
