"""What is handed over: a zip of the table, its report, words and the mapping, and only to those who may have it."""

import csv
import io
import json
from zipfile import ZipFile

import pyarrow.parquet
import pytest
from django.utils import translation

from people.models import History, Person
from releases import deciding, downloading
from releases.models import Release
from surveys.refused import Refused
from tests.releases import made
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def checked(upload: Release, owner: Person) -> Release:
    return made.made(upload, owner)


@pytest.fixture
def approved(checked: Release, reviewer: Person) -> Release:
    deciding.approve(checked, reviewer, "", NOW)
    return checked


def opened(release: Release, person: Person, kind: str = "csv") -> ZipFile:
    return ZipFile(io.BytesIO(b"".join(downloading.hand_over(release, person, kind, NOW))))


def test_a_csv_comes_with_report_mapping_and_words(approved: Release, owner: Person) -> None:
    archive = opened(approved, owner)
    assert archive.namelist() == ["README.txt", "report.json", "mapping.json", "release.csv"]
    rows = list(csv.DictReader(io.StringIO(archive.read("release.csv").decode())))
    assert len(rows) == 120
    report = json.loads(archive.read("report.json"))
    assert report["specification"]["k"] == 10
    assert report["criteria"]["k"]["reached"] >= 10
    mapping = json.loads(archive.read("mapping.json"))
    assert set(mapping) == {"age", "town"}
    assert set(mapping["age"]) == {row["age"] for row in rows}


def test_parquet_holds_the_same_rows(approved: Release, owner: Person) -> None:
    archive = opened(approved, owner, "parquet")
    table = pyarrow.parquet.read_table(io.BytesIO(archive.read("release.parquet")))
    rows = list(csv.DictReader(io.StringIO(opened(approved, owner).read("release.csv").decode())))
    assert table.to_pylist() == rows


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_words_say_what_is_kept_and_what_it_does_not_protect_from(
    approved: Release, owner: Person, language: str
) -> None:
    with translation.override(language):
        words = opened(approved, owner).read("README.txt").decode()
    assert "release.csv" in words
    assert "{{" not in words
    if language == "en":
        assert "Every class has at least 10 records" in words
        assert "120 of 120 records are published." in words
        assert "No value was changed." in words
        assert "A release cannot be taken back." in words


def test_before_the_approval_only_the_reviewer_reads_it(
    checked: Release, owner: Person, reviewer: Person
) -> None:
    assert opened(checked, reviewer).namelist()
    with pytest.raises(Refused, match="not approved, or was withdrawn"):
        downloading.hand_over(checked, owner, "csv", NOW)


def test_what_was_withdrawn_or_is_somebody_else_s_is_not_handed_over(
    approved: Release, owner: Person, reviewer: Person, stranger: Person
) -> None:
    with pytest.raises(Refused):
        downloading.hand_over(approved, stranger, "csv", NOW)
    deciding.withdraw(approved, reviewer, "no", NOW)
    for person in (owner, reviewer):
        with pytest.raises(Refused):
            downloading.hand_over(approved, person, "csv", NOW)


def test_the_history_keeps_who_downloaded_what(approved: Release, owner: Person) -> None:
    opened(approved, owner, "parquet")
    row = History.objects.filter(what="releases.downloaded").get()
    assert (row.who, row.note) == (owner, f"{approved}, Parquet.")
