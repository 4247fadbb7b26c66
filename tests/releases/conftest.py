"""The fixed cast around one survey, releases made in the test's own process, as a worker would, and what they are of.

They are of an upload, of an upload of patients, and of surveys with a few plain questions, whose records are written
down one by one.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person
from importing import isolated_reader, isolated_table_reader
from intake.models import Batch
from privacy.anonymity.tables.specification import Specification
from privacy.designs import Design, parse_design
from privacy.records import binary_tables_to_csv
from privacy.records.batch_bit_columns import pack_batch
from releases import survey_tables, table_reader_main, uploads
from releases.lifecycle import making_job, release_decisions
from releases.models import Attack, Comparison, Making, Release
from releases.specification import save_specification
from surveys.models import Design as DesignRow, Survey
from tests.cast import (
    cast,
    client,
    db,
    editor,
    judging,
    kept_row,
    make_once,
    owner,
    partial,
    reading,
    reviewer,
    signed_in_as,
    stranger,
    superuser,
    viewer,
)
from tests.jobs.conftest import attempt, broker

__all__ = ["broker", "cast", "client", "db", "editor", "judging", "owner", "partial", "reading"]
__all__ += ["read_here", "reviewer", "signed_in_as", "stranger", "superuser", "viewer"]


def read_uploads_here(monkeypatch: pytest.MonkeyPatch, read: Callable[..., Any]) -> None:
    """Uploads are read in this process, not in one of their own."""

    def answer(data: bytes, _lock: object, _entry: object, configuration: dict[str, Any]) -> Any:
        path = binary_tables_to_csv.load_libraries_and_copy(data)
        said, more = isolated_table_reader.read_or_faults(data, configuration, read, path)
        return json.loads(json.dumps(said)), more

    monkeypatch.setattr(isolated_reader, "_run_child_process", answer)


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    read_uploads_here(monkeypatch, table_reader_main.profile_table)


@pytest.fixture(autouse=True)
def asked_specifications(request: pytest.FixtureRequest) -> Iterator[list[Specification]]:
    """What pycanon was asked of: every file that is published, but by quick tests, which publish none."""
    if not request.node.get_closest_marker("page"):
        yield []
        return
    from tests.privacy.anonymity import brute  # late for cost

    with brute.asked_of_every_file() as found:
        yield found


@pytest.fixture
def survey(owner: Person) -> Survey:
    return plain_survey(owner, everybody(40))


@pytest.fixture
def upload(owner: Person) -> Release:
    """A draft of an upload of the owner."""
    return draft_of_upload(owner)


@pytest.fixture
def checked_release(upload: Release, owner: Person) -> Release:
    """Made and checked, and not decided on."""
    return made_release(upload, owner)


# --- releases of an upload and of a survey ---


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


def finish_job(job: Attack | Comparison | Making) -> None:
    attempt(job)
    job.refresh_from_db()


def draft_of_upload(person: Person, content: bytes = CSV, **changed: Any) -> Release:
    """A draft of an upload with this specification."""

    def make() -> Release:
        release = uploads.store_upload(person, "accounts.csv", content, NOW)
        save_specification.save_specification(release, person, json.dumps({**SPEC, **changed}), NOW)
        return release

    return kept_row(("uploaded", person.pk, content, repr(changed)), make)


def draft_of_survey(
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


def made_release(release: Release, person: Person) -> Release:
    """The release, after a worker."""

    def load_release_again(_first: object = None) -> Release:
        release.refresh_from_db()
        return release

    def make() -> Release:
        finish_job(making_job.start_release_making(release, person, NOW))
        return load_release_again()

    return make_once(("release made", release.pk, person.pk), make, load_release_again, is_computed=True)


# --- releases of an upload of patients ---


CITIES, ILLNESSES = ("Kiel", "Rostock", "Munich", "Augsburg"), ("flu", "asthma", "none")
EDUCATION = ("school", "degree")


def patients_table(records: int = 200) -> bytes:
    """A table with a name, an age, an education, a town and an illness."""
    rng = Random(14)
    rows = [
        f"person {at},{rng.randint(20, 70)},{rng.choice(EDUCATION)},{rng.choice(CITIES)},{rng.choice(ILLNESSES)}"
        for at in range(records)
    ]
    return "\n".join(["name,age,education,town,illness", *rows, ""]).encode()


def draft_of_patients(person: Person, now: datetime | None = None, name: str = "patients.csv") -> Release:
    step = ("uploaded for pages", person.pk, now, name)
    return kept_row(step, lambda: uploads.store_upload(person, name, patients_table(), now or timezone.now()))


def without_search(release: Release, person: Person) -> Release:
    """The same draft, of which the tree's first result is taken: a search lasts the whole second that is proposed."""
    said = {**json.loads(release.specification), "seconds": 0}
    save_specification.save_specification(release, person, json.dumps(said), timezone.now())
    return release


def patients_release(person: Person) -> Release:
    """A release of an upload that waits for a reviewer."""

    def make() -> Release:
        release = without_search(draft_of_patients(person), person)
        finish_job(making_job.start_release_making(release, person, timezone.now()))
        release.refresh_from_db()
        assert release.state == Release.State.CHECKED, release.reason_text
        return release

    return make_once(
        ("made for pages", person.pk), make, lambda first: Release.objects.get(pk=first.pk), is_computed=True
    )


def approved_release(person: Person, reviewer: Person) -> Release:
    release = patients_release(person)
    release_decisions.approve(release, reviewer, "", timezone.now())
    return release


def role_fields(**wanted: str) -> Mapping[str, str]:
    """The fields of the page of roles; a column that is not named is left out."""
    columns = ("name", "age", "education", "town", "illness")
    return {f"role-{at}": wanted.get(column, "dropped") for at, column in enumerate(columns)}


USUAL_CRITERIA = {
    "k": "10",
    "method": "tree",
    "seconds": "1",
    "seed": "0",
    "suppression": "",
    "max_frequency": "50",
}
"""The fields of the page of criteria."""


def url(name: str, release: Release, *more: int) -> str:
    return reverse(f"releases:{name}", args=[release.pk, *more])


# --- surveys with a few plain questions ---


Row = tuple[int, ...]
"""Group (1: disguised), then the codes of the questions: in the usual design of age, town and theft."""
AGES = ["young", "grown", "old"]
TOWNS = ["Aa", "Bee", "Cee"]


def plain_design(**more: Any) -> Design:
    said: dict[str, Any] = {"title": {"en": "Work and health"}, "open_answers": True, "least": 20}
    age = {"name": "age", "form": "scale", "choices": AGES}
    theft = {"name": "theft", "choices": ["no", "yes"]}
    sections = [
        {"kind": "plain", "questions": [age, {"name": "town", "choices": TOWNS}]},
        {"kind": "unrelated-question", "keep": "0.7", "questions": [theft]},
    ]
    return parse_design(json.dumps({"format": "candor-design/1", "sections": sections, **said, **more}))


def plain_survey(owner: Person, *batches: Sequence[Row], of: Design | None = None) -> Survey:
    """A closed survey with these records in its batches."""
    made = of or plain_design()
    step = ("surveyed", owner.pk, made.fingerprint, repr(batches))
    return kept_row(step, lambda: plain_survey_anew(owner, made, batches))


def plain_survey_anew(owner: Person, made: Design, batches: Sequence[Sequence[Row]]) -> Survey:
    canonical = {"json": made.canonical}
    row, _made = DesignRow.objects.get_or_create(fingerprint=made.fingerprint, defaults=canonical)
    closed = {"state": Survey.State.CLOSED, "closed_at": timezone.now()}
    found = Survey.objects.create(owner=owner, design=row, draft=json.loads(made.canonical), **closed)
    for rows in batches:
        seal_rows(found, rows)
    return found


def seal_rows(to: Survey, rows: Sequence[Row]) -> Batch:
    return kept_row(("surveyed batch", to.pk, repr(rows)), lambda: seal_rows_anew(to, rows))


def seal_rows_anew(to: Survey, rows: Sequence[Row]) -> Batch:
    assert to.design
    table = np.array(rows)
    columns = pack_batch(to.design.content, table[:, 0].astype(np.uint8), table[:, 1:].T)
    lasts = Batch.objects.filter(survey=to).order_by("-last").values_list("last", flat=True)
    number = 1 + (lasts.first() or 0)
    return Batch.objects.create(survey=to, first=number, last=number, n=len(rows), columns=columns)


def disguised_rows(*cells: tuple[int, int, int]) -> list[Row]:
    """So many disguised records of each age and town: (age, town, how many); every second one says yes."""
    return [(1, age, town, place % 2) for age, town, many in cells for place in range(many)]


def everybody(each: int) -> list[Row]:
    """So many of every age and town."""
    return disguised_rows(*((age, town, each) for age in range(3) for town in range(3)))


def open_rows(rows: Iterable[Row]) -> list[Row]:
    return [(0, *row[1:]) for row in rows]
