"""Summary of a database for the operator, in the head of a backup, to compare with the database before a restore."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count

from accounts.models import Person
from config.backup import irreversible_changes_file
from intake.batches import sealed_batch_reader
from intake.field_devices.models import FieldDevice
from releases.models import Release
from reports.models import Review
from runs.models import Run
from surveys import draft_json
from surveys.models import Approval, NamedReviewer, Survey

Json = dict[str, Any]
COMPARED = ("state", "records", "runs", "deletion")
OF_PERSON = ("groups", "collaborations", "authenticator_set", "socialaccount_set")


def database_facts() -> Json:
    """Returns numbers and states of the surveys, and the rights and ways to sign in of the accounts, as JSON."""
    surveys = list(Survey.objects.order_by("pk"))
    counts = sealed_batch_reader.count_records([survey.pk for survey in surveys])
    runs = dict(Run.objects.order_by().values_list("survey").annotate(n=Count("pk")))
    reviews = Review.objects.filter(state=Review.State.PUBLISHED)
    approvals = Approval.objects.order_by("pk")
    last = {(row.survey_id, row.what, row.fingerprint): row.verdict for row in approvals}
    reviewers = NamedReviewer.objects.values_list("survey", "person__username")
    others = {
        "approval in survey": [
            (survey, f"{survey}: {what}") for (survey, what, _), said in last.items() if said == "allowed"
        ],
        "reviewer of survey": [(survey, f"{survey}: {name}") for survey, name in reviewers],
        "public page of run": reviews.exclude(public_token=None).values_list("run__survey", "run"),
        "release": Release.objects.filter(state=Release.State.APPROVED).values_list("source__survey", "pk"),
        "field device": FieldDevice.objects.filter(is_withdrawn=False).values_list("survey", "pk"),
    }
    published: list[tuple[int, Any]] = [*reviews.values_list("run__survey", "run")]
    published += ((survey, f"{name} {pk}") for name, rows in others.items() for survey, pk in rows)
    people = Person.objects.filter(is_active=True).order_by("pk").prefetch_related(*OF_PERSON)
    return {
        "surveys": [
            {
                "number": survey.pk,
                "named": irreversible_changes_file.hash_survey_slug(survey.slug),
                # From the draft: a design that was tampered with must not prevent a backup.
                "title": draft_json.read_text_with_fallback(survey.draft, "title", "en"),
                "state": "paused" if survey.paused and survey.state == "open" else survey.state,
                "records": counts[survey.pk].received,
                "sealed": counts[survey.pk].sealed,
                "runs": runs.get(survey.pk, 0),
                "published": [what for number, what in published if number == survey.pk],
                "deletion": survey.destroy_on and survey.destroy_on.isoformat(),
            }
            for survey in surveys
        ],
        "accounts": {
            person.username: [
                *sorted(group.name for group in person.groups.all()),
                *(["superuser"] if person.is_superuser else []),
                *sorted(f"survey {row.survey_id}" for row in person.collaborations.all()),
                *sorted(f"edit {row.survey_id}" for row in person.collaborations.all() if row.may_edit),
                *sorted(f"factor {row.pk}" for row in person.authenticator_set.all()),
                *sorted(f"provider {row.pk}" for row in person.socialaccount_set.all()),
            ]
            for person in people
        },
    }


def is_database_empty() -> bool:
    """Returns True if there is no account and no survey."""
    return not Person.objects.exists() and not Survey.objects.exists()


def backup_summary(head: Json) -> Json:
    """Returns the operator's summary of a backup from its head."""
    surveys = head["facts"]["surveys"]
    living = [row for row in surveys if row["state"] != "destroyed"]
    return {
        "id": head["id"],
        "made": head["made"],
        "database": head["vendor"],
        "surveys": len(living),
        "records": sum(row["records"] for row in surveys),
        "runs": sum(row["runs"] for row in surveys),
        "accounts": len(head["facts"]["accounts"]),
        "earliest_deletion": min((row["deletion"] for row in living if row["deletion"]), default=None),
    }


def changes_lost_by_restore(then: Json, now: Json, destroyed: Collection[int]) -> Json:
    """Returns what a restore undoes, from the facts `then` and `now`; `destroyed`: surveys that it destroys again."""
    before = {row["named"]: row for row in then["surveys"]}
    restored = {named: row for named, row in before.items() if row["number"] not in destroyed}
    after = {row["named"]: row for row in now["surveys"]}
    return {
        "surveys": [
            {"number": row["number"], "title": row["title"]}
            | {key: [restored[named][key], row[key]] for key in COMPARED if restored[named][key] != row[key]}
            for named, row in after.items()
            if named in restored and any(restored[named][key] != row[key] for key in COMPARED)
        ],
        "lost": [
            {"number": row["number"], "title": row["title"], "records": row["records"]}
            for named, row in after.items()
            if named not in before
        ],
        "published_again": [
            what
            for named, row in restored.items()
            for what in row["published"]
            if what not in after.get(named, {}).get("published", [])
        ],
        "accounts": sorted(
            name for name, roles in then["accounts"].items() if now["accounts"].get(name) != roles
        ),
    }
