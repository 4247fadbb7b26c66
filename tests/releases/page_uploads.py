"""Releases for the tests of pages: uploads, and jobs that are performed at once."""

import json
from collections.abc import Mapping
from datetime import datetime
from random import Random

from django.urls import reverse
from django.utils import timezone

from accounts.models import Person
from releases import uploads
from releases.lifecycle import making_job, release_decisions
from releases.models import Release
from releases.specification import save_specification
from tests.cast import kept, kept_row
from tests.releases.made import work

TOWNS, ILLNESSES = ("Kiel", "Rostock", "Munich", "Augsburg"), ("flu", "asthma", "none")
EDUCATION = ("school", "degree")


def table(records: int = 200) -> bytes:
    """A table with a name, an age, an education, a town and an illness."""
    rng = Random(14)
    rows = [
        f"person {at},{rng.randint(20, 70)},{rng.choice(EDUCATION)},{rng.choice(TOWNS)},{rng.choice(ILLNESSES)}"
        for at in range(records)
    ]
    return "\n".join(["name,age,education,town,illness", *rows, ""]).encode()


def uploaded(person: Person, now: datetime | None = None, name: str = "patients.csv") -> Release:
    step = ("uploaded for pages", person.pk, now, name)
    return kept_row(step, lambda: uploads.store_upload(person, name, table(), now or timezone.now()))


def without_search(release: Release, person: Person) -> Release:
    """The same draft, of which the tree's first result is taken: a search lasts the whole second that is proposed."""
    said = {**json.loads(release.specification), "seconds": 0}
    save_specification.save_specification(release, person, json.dumps(said), timezone.now())
    return release


def made(person: Person) -> Release:
    """A release of an upload that waits for a reviewer."""

    def make() -> Release:
        release = without_search(uploaded(person), person)
        work(making_job.start_release_making(release, person, timezone.now()))
        release.refresh_from_db()
        assert release.state == Release.State.CHECKED, release.reason_text
        return release

    return kept(
        ("made for pages", person.pk), make, lambda first: Release.objects.get(pk=first.pk), is_computed=True
    )


def approved(person: Person, reviewer: Person) -> Release:
    release = made(person)
    release_decisions.approve(release, reviewer, "", timezone.now())
    return release


def roles(**wanted: str) -> Mapping[str, str]:
    """The fields of the page of roles; a column that is not named is left out."""
    columns = ("name", "age", "education", "town", "illness")
    return {f"role-{at}": wanted.get(column, "dropped") for at, column in enumerate(columns)}


USUAL = {"k": "10", "method": "tree", "seconds": "1", "seed": "0", "suppression": "", "max_frequency": "50"}
"""The fields of the page of criteria."""


def url(name: str, release: Release, *more: int) -> str:
    return reverse(f"releases:{name}", args=[release.pk, *more])
