"""The attacks on published numbers that once worked, played by somebody who may only view the survey."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from intake.recordfiles.download import hand_over_file
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.records import DISGUISED, OPEN
from runs.models import Run
from tests.cast import As, unsaved_person
from tests.jobs.conftest import broker
from tests.mining.disclosure.random_surveys import Attacker, Published, Study, possible_records
from tests.mining.listed import at_night
from tests.runs.sealed import make_design, plain, section
from tests.surveys.conftest import NOW

__all__ = ["broker"]

pytestmark = [pytest.mark.django_db, pytest.mark.proof]
AMONG = "of people who chose disguise"
A, B, C = range(3)
NO, YES = 0, 1
WANTED = Parameters(0.05, 0.2, absences=True)

Kind = tuple[int, int, int, int]
"""Group, class, answer, and how many records there are of it."""
HUNDREDS: list[Kind] = [
    *((DISGUISED, place, answer, 75) for place in (A, B) for answer in (NO, YES)),
    *((OPEN, place, answer, 25) for place in (A, B) for answer in (NO, YES)),
]
"""Two classes of 200, of whom 50 answered openly, 25 of these yes."""


@pytest.fixture
def study(owner: Person, reviewer: Person) -> Study:
    return make_viewed_study(owner, reviewer, make_design(plain("where", "a", "b", "c"), section("theft")))


@pytest.fixture
def viewer(study: Study, signed_in_as: As) -> Client:
    return signed_in_as(Person.objects.get(username="viewer"))


def seal(study: Study, *kinds: Kind) -> None:
    *columns, counts = np.array(kinds).T
    group, place, answer = (np.repeat(column, counts) for column in columns)
    study.seal(group.astype(np.uint8), np.array([place, answer], np.uint16))


def read(study: Study, viewer: Client) -> dict[str, Any]:
    """What the viewer downloads of the next publication."""
    run = study.mine(WANTED)
    study.publish(run)
    return study.download(viewer, run)


def share_of_item(report: dict[str, Any], item: str) -> dict[str, Any]:
    (found,) = [one for one in report["shares"] if one["items"] == [item]]
    return dict(found)


@pytest.mark.parametrize("answer", [*at_night([NO]), YES])
def test_subtracting_classes_leaves_all_open_answers_together(
    study: Study, viewer: Client, answer: int
) -> None:
    """Once it left the one of the third class who answered openly."""
    seal(study, *HUNDREDS, (DISGUISED, C, NO, 60), (OPEN, C, answer, 1))
    study.finish()
    report = read(study, viewer)
    (table,) = report["groups"]
    assert table["disguised_only"]
    (cells,) = [row["cells"] for row in table["rows"] if row["item"] == "theft=yes"]
    assert [cell["n_asked"] for cell in cells] == [150, 150, 60]
    # The attack: everybody's number less those of the classes that are shown. 50 open records say yes, or 51 with this
    # one: behind what is left stand 101 people, whom no table parts.
    whole, shown = share_of_item(report, "theft=yes"), sum(cell["n_asked"] * cell["share"] for cell in cells)
    assert whole["n_asked"] * whole["support"] - shown == pytest.approx(50 + answer)


def make_viewed_study(owner: Person, reviewer: Person, design: Design) -> Study:
    """A survey that the viewer may view."""
    study = Study(owner, reviewer, design)
    study.add_viewer(Person.objects.filter(username="viewer").first() or unsaved_person("viewer"))
    return study


def test_single_open_person_contributes_nothing_sensitive(
    study: Study, viewer: Client, owner: Person, reviewer: Person
) -> None:
    reports = []
    for answer in (NO, YES):
        other = make_viewed_study(owner, reviewer, study.design)
        seal(other, (DISGUISED, A, NO, 200), (DISGUISED, B, YES, 200), (OPEN, C, answer, 1))
        report = read(other, viewer)
        assert report["about"]["disguised_only"]
        assert share_of_item(report, "theft=yes")["n_asked"] == 400
        del report["about"]["run"]
        reports.append(report)
    assert reports[0] == reports[1]


def test_class_of_one_is_published_in_no_file(study: Study, viewer: Client) -> None:
    """Once `observed` said 1/401 beside a support that was withheld."""
    seal(study, *HUNDREDS, (OPEN, C, YES, 1))
    report = read(study, viewer)
    hidden = share_of_item(report, "where=c")
    kept = {"items": ["where=c"], "disguised_only": True, "heads": []}
    assert {name: value for name, value in hidden.items() if value is not None and name not in kept} == {}
    # Nor can it be had from the others, so the next smallest is withheld too.
    named = [one["items"] for one in report["shares"] if one["support"] is not None]
    assert len([items for (items,) in named if items.startswith("where=")]) == 1
    number = Run.objects.get().pk
    for page in ("", "groups", "itemsets", "rules"):  # 1 of 401
        shown = viewer.get(f"/app/reports/{number}/{page}").content.decode()
        assert not re.search(r"(?<![\d.])0\.2 %", shown), page
    answer = viewer.get(f"/app/reports/{number}/files/csv")
    with ZipFile(io.BytesIO(answer.content)) as files:
        for name in (name for name in files.namelist() if name.endswith(".csv")):
            for row in csv.DictReader(io.StringIO(files.read(name).decode())):
                assert not list(numbers_about_item(row, "where=c")), (name, row)


def numbers_about_item(row: dict[str, str], item: str) -> Iterator[str]:
    """The numbers that a row says of this item; a section has its own, and `p` is of a table's whole row."""
    if item in row.values() or item.split("=") == [row.get("question"), row.get("choice")]:
        for name, value in row.items():
            is_number = value.replace(".", "", 1).replace("-", "", 1).isdigit()
            if is_number and name not in ("section", "p"):
                yield f"{name}={value}"


@pytest.mark.night
def test_publication_does_not_depend_on_one_open_persons_answer(
    study: Study, viewer: Client, owner: Person, reviewer: Person
) -> None:
    """Nor on whether they are there at all: before the end no open answer is used, then not that of one."""
    reports = []
    for opened in ([], [(OPEN, C, NO, 1)], [(OPEN, C, YES, 1)]):
        other = make_viewed_study(owner, reviewer, study.design)
        seal(other, (DISGUISED, A, NO, 200), (DISGUISED, B, YES, 200))
        found = [read(other, viewer)]
        seal(other, (DISGUISED, A, NO, 20), *opened)
        found.append(read(other, viewer))
        other.finish()
        found.append(read(other, viewer))
        for report in found:
            del report["about"]["run"]
            report["about"]["left_out"] = 0
        reports.append(found)
    assert reports[0] == reports[1] == reports[2]


def test_two_reports_and_two_files_reveal_no_open_answer(study: Study, viewer: Client, owner: Person) -> None:
    """Once 11 and then 10 new respondents, one of them open, left the new person's row whole."""
    seal(study, *HUNDREDS)
    first, rows = read(study, viewer), rows_of(study, owner)
    seal(study, (DISGUISED, A, NO, 20), (OPEN, B, YES, 1))
    second, more = read(study, viewer), rows_of(study, owner)
    assert more - rows == Counter({("disguised", "a", "no"): 20})
    assert not [row for row in more if row[0] == "open"]
    assert (first["about"]["records"], second["about"]["records"]) == (300, 320)


def rows_of(study: Study, person: Person) -> Counter[tuple[str, ...]]:
    data = b"".join(hand_over_file(study.survey, person, "csv", "en", NOW))
    lines = ZipFile(io.BytesIO(data)).read("records.csv").decode().splitlines()[1:]
    return Counter(tuple(line.split(",")) for line in lines)


def test_no_number_is_computed_from_withheld_counts(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    """120, 100, 4 and 60 people, and a question that the first and the third were asked: its shares tell its base, what
    all classes have together and p tell what is left for the withheld ones."""
    theft = section("theft")
    theft["questions"][0]["show_if"] = {"where": ["a", "c"]}
    study = make_viewed_study(
        owner, reviewer, make_design(plain("where", "a", "b", "c", "d"), theft, section("lie"))
    )
    hidden = study.design.mined.questions[1].not_applicable
    rows = [
        (place, number % 2 if place in (0, 2) else hidden, number % 3 == 0)
        for place, count in enumerate((120, 100, 4, 60))
        for number in range(count)
    ]
    study.seal(np.full(len(rows), DISGUISED, np.uint8), np.array(rows, np.uint16).T)
    report = read(study, signed_in_as(Person.objects.get(username="viewer")))
    told = {one["items"][0] for one in report["shares"] if one["support"] is not None}
    # The few are withheld with the first class, which was asked about theft, too: both together were 124.
    assert told == {"where=b", "where=d", "theft=no", "theft=yes", "lie=no", "lie=yes"}
    (table,) = report["groups"]
    for row in table["rows"]:
        named = zip(table["classes"], row["cells"], strict=True)
        shown_of = {name for name, cell in named if cell["n_asked"]}
        assert shown_of <= {"where=b", "where=d"}, row
        # Of one class that is told nothing is compared, and nothing is said of all of them.
        assert (row["p"] is None) == (len(shown_of) < 2), row
    attacker = Attacker.reading(possible_records(study), [Published(report, 0)])
    assert not list(attacker.small_cells(10, 2))


@pytest.mark.night
def test_open_answers_are_used_once_the_survey_is_finished(study: Study, viewer: Client) -> None:
    seal(study, *HUNDREDS, (DISGUISED, C, NO, 30), (OPEN, C, NO, 20))
    before = read(study, viewer)
    assert before["about"]["disguised_only"]
    assert share_of_item(before, "theft=yes")["n_asked"] == 330
    number = Run.objects.latest("pk").pk
    assert "counted once the survey is finished" in viewer.get(f"/app/reports/{number}/").content.decode()
    assert population_by_share(viewer, number) == {"theft=no": AMONG, "theft=yes": AMONG}
    study.finish()
    after = read(study, viewer)
    assert (after["about"]["disguised"], after["about"]["n_open"]) == (330, 120)
    assert share_of_item(after, "theft=yes")["n_asked"] == 450
    number = Run.objects.latest("pk").pk
    page = viewer.get(f"/app/reports/{number}/").content.decode()
    assert "From 330 people who chose disguise and 120 who did not." in page
    assert population_by_share(viewer, number) == {"theft=no": "", "theft=yes": ""}
    # Plain answers are counted among the disguised, and beside them among the others.
    assert share_of_item(after, "where=a")["n_asked"] == 330
    assert {one["item"] for one in after["compared"]} == {"where=a", "where=b", "where=c", "theft=yes"}


def population_by_share(viewer: Client, number: int) -> dict[str, str]:
    """Among whom the sensitive shares are, in a file."""
    with ZipFile(io.BytesIO(viewer.get(f"/app/reports/{number}/files/csv").content)) as files:
        rows = list(csv.DictReader(io.StringIO(files.read("shares.csv").decode())))
    return {row["items"]: row["among"] for row in rows if row["items"].startswith("theft")}


def test_class_that_grew_by_nine_cannot_be_derived_from_those_shown(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    """Once it was withheld beside *not applicable* alone, whose number the question before it tells."""
    job = plain("job", "a", "b")
    job["questions"][0]["show_if"] = {"work": ["yes"]}
    study = make_viewed_study(owner, reviewer, make_design(plain("work", "yes", "no"), job, section("theft")))
    viewer, reports = signed_in_as(Person.objects.get(username="viewer")), []
    for a, b, idle in ((114, 29, 25), (9, 94, 17)):
        codes = np.repeat([[0, 0, NO], [0, 1, NO], [1, 2, NO]], (a, b, idle), axis=0)
        study.seal(np.full(a + b + idle, DISGUISED, np.uint8), codes.T.astype(np.uint16))
        reports.append(read(study, viewer))
    first, second = reports
    assert share_of_item(first, "job=a")["observed"] == pytest.approx(114 / 168)
    said = {item: share_of_item(second, item)["observed"] for item in ("job=a", "job=b", "work=no")}
    assert said == {"job=a": None, "job=b": None, "work=no": pytest.approx(42 / 288)}
