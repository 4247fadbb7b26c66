"""Uploads: read by line, stored in the database alone, and gone when their day has come."""

import json
from datetime import timedelta

import pytest

from intake.models import Sweep
from people.models import History, Person
from releases import expiring, making, sources, specifying, uploading
from releases.models import Release, Source, Upload
from surveys.refused import Refused
from tests.releases import made
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def test_an_upload_is_a_draft_with_a_proposed_specification(owner: Person) -> None:
    release = uploading.store_upload(owner, "people.csv", made.CSV, NOW)
    assert release.state == Release.State.DRAFT
    said = specifying.specification_of(release)
    assert said.identifiers == ("name",)
    assert [(one.name, str(one.role)) for one in said.quasi_identifiers] == [
        ("age", "number"),
        ("town", "category"),
        ("ill", "category"),
    ]
    assert said.criteria.k == 10
    assert bytes(Upload.objects.get().content) == made.CSV


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "people.csv:1: the line with the names of the columns is missing"),
        (b"a,b\n", "people.csv: there are no records"),
        (b"a,b\n1,2\n3\n", "people.csv:3: 1 cells, not 2"),
        (b"a,a\n1,2\n", "people.csv:1: the column 'a' appears twice"),
        (b"a,\n1,2\n", "people.csv:1: a name is not empty"),
        (b"a\n\xff\n", "people.csv:2: not UTF-8"),
    ],
)
def test_bad_files_are_refused_by_line_and_nothing_is_stored(
    owner: Person, content: bytes, words: str
) -> None:
    with pytest.raises(Refused, match="^" + words.replace("'", ".")):
        uploading.store_upload(owner, "people.csv", content, NOW)
    assert not Source.objects.exists()
    assert not Upload.objects.exists()


def test_a_file_of_more_than_50_mb_is_refused(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "MOST_BYTES", len(made.CSV) - 1)
    with pytest.raises(Refused, match="50 MB"):
        uploading.store_upload(owner, "people.csv", made.CSV, NOW)


def test_one_person_has_at_most_five_uploads_at_a_time(owner: Person, reviewer: Person) -> None:
    for _one in range(uploading.MOST_AT_ONCE):
        uploading.store_upload(owner, "a.csv", b"a\n1\n", NOW)
    with pytest.raises(Refused, match="5 uploaded files"):
        uploading.store_upload(owner, "a.csv", b"a\n1\n", NOW)
    uploading.store_upload(reviewer, "a.csv", b"a\n1\n", NOW)
    assert Upload.objects.filter(source__owner=reviewer).count() == 1


def test_the_history_names_the_upload_and_its_end_and_quotes_nothing(upload: Release) -> None:
    expiring.delete_old(NOW + expiring.DAYS)
    rows = list(History.objects.about(upload).order_by("pk").values_list("what", "note"))
    assert rows == [("releases.uploaded", "people.csv"), ("releases.upload-deleted", "people.csv")]


def test_after_seven_days_the_tick_deletes_it_and_sweeps_its_bytes(upload: Release) -> None:
    expiring.delete_old(NOW + expiring.DAYS - timedelta(seconds=1))
    assert Upload.objects.exists()
    expiring.delete_old(NOW + expiring.DAYS)
    assert not Upload.objects.exists()
    assert Source.objects.get().deleted == NOW + expiring.DAYS
    assert Sweep.objects.filter(table="releases_upload").exists()
    upload.refresh_from_db()
    assert upload.state == Release.State.REFUSED
    assert "Upload it again" in upload.why


def test_where_no_worker_ticked_it_is_not_read_after_its_day_either(upload: Release, owner: Person) -> None:
    late = NOW + expiring.DAYS
    with pytest.raises(Refused, match="has been deleted"):
        sources.profile(upload.source, late)
    with pytest.raises(Refused, match="has been deleted"):
        specifying.save_specification(upload, owner, json.dumps(made.SPEC), late)
    with pytest.raises(Refused, match="has been deleted"):
        making.start(upload, owner, late)


def test_reading_it_after_its_day_deletes_it(upload: Release) -> None:
    with pytest.raises(Refused):
        sources.uploaded(upload.source, NOW + expiring.DAYS)
    assert not Upload.objects.exists()


def test_what_a_backup_did_not_hold_is_gone_after_a_restore(upload: Release) -> None:
    Upload.objects.all().delete()
    expiring.delete_old(NOW)
    assert Source.objects.get().deleted == NOW
    upload.refresh_from_db()
    assert upload.state == Release.State.REFUSED


def test_a_checked_release_outlives_its_upload(upload: Release) -> None:
    Release.objects.update(state=Release.State.CHECKED)
    expiring.delete_old(NOW + expiring.DAYS)
    upload.refresh_from_db()
    assert (upload.state, Upload.objects.count()) == (Release.State.CHECKED, 0)
