"""Releases made in the test's own process, as a worker would."""

import json
from typing import Any

from django.utils import timezone

from accounts.models import Person
from releases import survey_tables, uploads
from releases.lifecycle import making_job
from releases.models import Attack, Comparison, Making, Release
from releases.specification import save_specification
from surveys.models import Survey
from tests.cast import kept, kept_row
from tests.jobs.conftest import attempt

NOW = timezone.now().replace(microsecond=0)
"""An upload of another day would be too old, or not here yet, for pages that look at the clock."""
_ROWS = [f"p{n},{20 + n % 40},{'abc'[n % 3]},{['flu', 'cold'][n % 2]}" for n in range(120)]
CSV = "\n".join(["name,age,town,ill", *_ROWS]).encode()
SPEC: dict[str, Any] = {
    "format": "candor-release/1",
    "identifiers": ["name"],
    "quasi_identifiers": [{"name": "age", "kind": "number"}, {"name": "town", "kind": "category"}],
    "sensitive": ["ill"],
    "k": 10,
    "seconds": 0,
}


def work(job: Attack | Comparison | Making) -> None:
    attempt(job)
    job.refresh_from_db()


def uploaded(person: Person, content: bytes = CSV, **changed: Any) -> Release:
    """A draft of an upload with this specification."""

    def make() -> Release:
        release = uploads.store_upload(person, "accounts.csv", content, NOW)
        save_specification.save_specification(release, person, json.dumps({**SPEC, **changed}), NOW)
        return release

    return kept_row(("uploaded", person.pk, content, repr(changed)), make)


def drafted(
    survey: Survey,
    person: Person,
    *quasi: str,
    joined: bool = False,
    with_sensitive: bool = False,
    **changed: Any,
) -> Release:
    """A draft of a survey's release by these quasi-identifiers."""
    columns = [{"name": name, "kind": "category"} for name in quasi]
    said = {"format": "candor-release/1", "quasi_identifiers": columns, "k": 10, "seconds": 0, **changed}

    def make() -> Release:
        release = survey_tables.create_survey_release(survey, person, with_sensitive=with_sensitive, now=NOW)
        save_specification.save_specification(release, person, json.dumps(said), NOW, joined=joined)
        return release

    return kept_row(("drafted", survey.pk, person.pk, repr(said), joined, with_sensitive), make)


def made(release: Release, person: Person) -> Release:
    """The release, after a worker."""

    def again(_first: object = None) -> Release:
        release.refresh_from_db()
        return release

    def make() -> Release:
        work(making_job.start_release_making(release, person, NOW))
        return again()

    return kept(("release made", release.pk, person.pk), make, again, is_computed=True)
