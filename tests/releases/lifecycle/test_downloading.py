"""What is handed over: a zip of the table, its report, words and the mapping, and only to those who may have it."""

import csv
import io
import json
from collections import Counter
from typing import Any
from zipfile import ZipFile

import pyarrow.parquet
import pytest
from django.test import Client
from django.utils import translation

from accounts.models import History, Person
from releases.lifecycle import download_zip, release_decisions
from releases.models import Release
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.releases.conftest import NOW, draft_of_survey, draft_of_upload, made_release

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]


@pytest.fixture
def approved_release(checked_release: Release, reviewer: Person) -> Release:
    release_decisions.approve(checked_release, reviewer, "", NOW)
    return checked_release


def open_download(release: Release, person: Person, kind: str = "csv") -> ZipFile:
    return ZipFile(io.BytesIO(b"".join(download_zip.stream_download(release, person, kind, NOW))))


def rows_of(archive: ZipFile) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(archive.read("release.csv").decode())))


def test_a_csv_comes_with_report_mapping_and_words(approved_release: Release, owner: Person) -> None:
    archive = open_download(approved_release, owner)
    assert archive.namelist() == ["README.txt", "report.json", "mapping.json", "release.csv"]
    rows = rows_of(archive)
    assert len(rows) == 120
    report = json.loads(archive.read("report.json"))
    assert report["specification"]["k"] == 10
    assert report["criteria"]["k"]["reached"] >= 10
    mapping = json.loads(archive.read("mapping.json"))
    assert set(mapping) == {"age", "town"}
    assert set(mapping["age"]) == {row["age"] for row in rows}


def release_of_people(owner: Person, reviewer: Person, ill: str) -> Release:
    """Twenty people in one class, ten of whom have the flu: `ill` has a letter for each."""
    illness = {"f": "flu", "c": "cold"}
    rows = [f"p{n},{30 + n},{illness[letter]}" for n, letter in enumerate(ill)]
    criteria = {"k": 20, "l": {"kind": "distinct", "value": 2}}
    content = "\n".join(["name,age,ill", *rows]).encode()
    release = draft_of_upload(
        owner, content, quasi_identifiers=[{"name": "age", "kind": "number"}], **criteria
    )
    made_release(release, owner)
    release_decisions.approve(release, reviewer, "", NOW)
    return release


@pytest.mark.at_push(1)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_two_sources_with_one_table_give_the_same_bytes(owner: Person, reviewer: Person, kind: str) -> None:
    """Who of them has the flu: exact errors over known queries told it of each of the twenty."""
    one, other = (release_of_people(owner, reviewer, ill) for ill in ("f" * 10 + "c" * 10, "fc" * 10))
    assert one.report["losses"]["queries"] is not None
    files = [open_download(release, owner, kind) for release in (one, other)]
    for name in files[0].namelist():
        # The number of the release is told, too.
        first, second = (
            file.read(name)
            .replace(f'"release": {release.pk},'.encode(), b"")
            .replace(str(release).encode(), b"")
            for file, release in zip(files, (one, other), strict=True)
        )
        assert first == second, name
    bodies = [b"".join(download_zip.stream_download(one, owner, kind, NOW)) for _turn in range(2)]
    assert bodies[0] == bodies[1]


def test_download_report_describes_only_the_file(approved_release: Release, owner: Person) -> None:
    """As it is counted by hand from the rows; nothing of what was left out, or of the search."""
    archive = open_download(approved_release, owner)
    report = json.loads(archive.read("report.json"))
    assert set(report) == {
        *(
            "release", "specification", "released_before", "criteria", "losses", "risks", "classes", "published",
            "method",
        )
    }  # fmt: skip
    assert not {"seed", "seconds"} & set(report["specification"])
    rows = rows_of(archive)
    classes = Counter((row["age"], row["town"]) for row in rows)
    assert report["classes"] == len(classes)
    assert report["published"] == len(rows) == 120
    assert report["criteria"]["k"]["reached"] == min(classes.values())
    assert report["losses"]["discernibility"] == sum(size**2 for size in classes.values())
    assert report["risks"]["prosecutor"]["worst"] == pytest.approx(1 / min(classes.values()))
    ends = [[int(end) for end in row["age"].split("..")] for row in rows]
    whole = max(end[-1] for end in ends) - min(end[0] for end in ends)
    lost = sum((end[-1] - end[0]) / whole for end in ends) / len(rows)
    assert report["losses"]["columns"]["age"] == pytest.approx(lost)
    towns = sum(row["town"] == "*" for row in rows) / len(rows)
    assert report["losses"]["columns"]["town"] == pytest.approx(towns)
    assert report["losses"]["ncp"] == pytest.approx((lost + towns) / 2)


def test_readers_of_a_survey_see_nothing_of_the_source(
    survey: Survey, owner: Person, reviewer: Person, reading: Client, judging: Client
) -> None:
    release = made_release(draft_of_survey(survey, owner, "age"), owner)
    release_decisions.approve(release, reviewer, "", NOW)
    address = f"/app/releases/{release.pk}/report"
    page = reading.get(address).text
    assert "In the release" in page
    assert not [words for words in ("Before", "Seconds of search", "left out") if words in page]
    assert "Seconds of search" in judging.get(address).text


def test_parquet_holds_the_same_rows(approved_release: Release, owner: Person) -> None:
    archive = open_download(approved_release, owner, "parquet")
    table = pyarrow.parquet.read_table(io.BytesIO(archive.read("release.parquet")))
    assert table.to_pylist() == rows_of(open_download(approved_release, owner))


def test_download_text_states_protection_and_its_limits(approved_release: Release, owner: Person) -> None:
    texts = {}
    for language in ("en", "zh-hans"):
        with translation.override(language):
            texts[language] = open_download(approved_release, owner).read("README.txt").decode()
    for text in texts.values():
        assert "release.csv" in text
        assert "{{" not in text
    assert "Every class has at least 10 records" in texts["en"]
    assert "120 records are published." in texts["en"]
    assert "No value was changed." in texts["en"]
    assert "A release cannot be taken back." in texts["en"]


@pytest.mark.parametrize("with_sensitive", [True, False])
def test_download_text_says_disguised_answers_may_be_random(
    survey: Survey, owner: Person, reviewer: Person, judging: Client, with_sensitive: bool
) -> None:
    more: dict[str, Any] = {"other": ["theft"]} if with_sensitive else {}
    release = draft_of_survey(survey, owner, "age", with_sensitive=with_sensitive, **more)
    made_release(release, owner)
    report = judging.get(f"/app/releases/{release.pk}/report").text
    release_decisions.approve(release, reviewer, "", NOW)
    words = open_download(release, owner).read("README.txt").decode()
    for text in (report, words):
        sent = "Disguised answers are in it exactly as they were sent: true or not." in text
        assert sent is with_sensitive
        assert "It holds the records of people who chose disguise." in text
    assert ("No value is false." in report) is not with_sensitive
    assert ("No value is false, except for disguised answers." in report) is with_sensitive


def test_before_approval_only_a_reviewer_reads_it(
    checked_release: Release, owner: Person, reviewer: Person
) -> None:
    assert open_download(checked_release, reviewer).namelist()
    with pytest.raises(NotAllowed, match="not approved, or was withdrawn"):
        download_zip.stream_download(checked_release, owner, "csv", NOW)


def test_withdrawn_or_foreign_release_cannot_be_downloaded(
    approved_release: Release, owner: Person, reviewer: Person, stranger: Person
) -> None:
    with pytest.raises(NotAllowed):
        download_zip.stream_download(approved_release, stranger, "csv", NOW)
    release_decisions.withdraw(approved_release, reviewer, "no", NOW)
    for person in (owner, reviewer):
        with pytest.raises(NotAllowed):
            download_zip.stream_download(approved_release, person, "csv", NOW)


def test_the_history_keeps_who_downloaded_what(approved_release: Release, owner: Person) -> None:
    open_download(approved_release, owner, "parquet")
    row = History.objects.filter(what="releases.downloaded").get()
    assert (row.who, row.note) == (owner, f"{approved_release}, Parquet.")
