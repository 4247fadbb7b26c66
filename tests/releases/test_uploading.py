"""Uploads: read by line, stored in the database alone, and gone when their day has come."""

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from config.backup import saved_tables
from intake.models import Sweep
from jobs.models import Job
from privacy.records.csv_dialect_detection import Layout
from releases import source_tables, uploads
from releases.lifecycle import making_job, release_decisions
from releases.models import Comparison, Release, ReleasedTable, ReleasedUpload, Source, Upload
from releases.specification import save_specification
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, kept_row
from tests.releases.conftest import CSV, NOW, SPEC, draft_of_upload, made_release, url

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]


def test_bad_upload_is_refused_by_line_and_not_stored(owner: Person, subtests: pytest.Subtests) -> None:
    for content, words in (
        (b"", "accounts.csv:1: the line with the names of the columns is missing"),
        (b"a,b\n", "accounts.csv: there are no records"),
        (b"a,b\n1,2\n3\n", "accounts.csv:3: 1 cells, not 2"),
        (b"a,a\n1,2\n", "accounts.csv:1: the column 'a' appears twice"),
        (b"a,b\n1,\0\n", "accounts.csv:2: b: a byte of zero"),
        (b"a,b\n1," + b"x" * 1_000_000 + b"\n", "accounts.csv:2: b: a cell of more than 131072 characters"),
        (b"a;b;c\n1;2;3\n1,2,3\n", "accounts.csv:3: 1 cells, not 3"),
        (b"a\n\x81\n", "accounts.csv:2: not windows-1252"),
        (b"PK\x03\x04 no workbook", "accounts.csv: cannot be read; save it again, or as CSV"),
        (b"PAR1 no columns", "accounts.csv: cannot be read; save it again, or as CSV"),
        (b"$FL2 no variables", "accounts.csv: cannot be read; save it again, or as CSV"),
        (b"\xd0\xcf\x11\xe0", "accounts.csv: an old spreadsheet"),
    ):
        with subtests.test(words), pytest.raises(NotAllowed, match="^" + words.replace("'", ".")):
            uploads.store_upload(owner, "accounts.csv", content, NOW)
    assert not Source.objects.exists()
    assert not Upload.objects.exists()


def test_a_table_is_read_in_its_own_layout(owner: Person) -> None:
    for content in (b"a;b\n1;2\n", "a;b\n1;2\n".encode("utf-16"), b"a;b\n1;\xfc\n"):
        release = uploads.store_upload(owner, "accounts.csv", content, NOW)
        assert [column.name for column in source_tables.column_profiles(release.source, NOW)] == ["a", "b"]
        assert source_tables.get_layout(release).separator == ";"
        assert bytes(Upload.objects.get(source=release.source).content) == content


def test_changing_the_layout_reads_the_columns_again(owner: Person) -> None:
    release = uploads.store_upload(owner, "accounts.csv", b"a;b,c\n1;2,5\n2;3,5\n", NOW)
    Comparison.objects.create(release=release, created=NOW)
    uploads.reread_upload(release, Layout(","), NOW)
    assert not release.comparisons.exists()  # it compared methods for other columns
    assert [column.name for column in source_tables.column_profiles(release.source, NOW)] == ["a;b", "c"]
    with pytest.raises(NotAllowed, match=r"accounts.csv:1: not utf-16"):
        uploads.reread_upload(release, Layout(encoding="utf-16"), NOW)
    Release.objects.update(state=Release.State.RUNNING)
    with pytest.raises(NotAllowed, match="no draft any more"):
        uploads.reread_upload(release, Layout(";"), NOW)


def test_one_person_has_at_most_five_uploads_at_a_time(owner: Person, reviewer: Person) -> None:
    for _one in range(uploads.MOST_AT_ONCE):
        uploads.store_upload(owner, "a.csv", b"a\n1\n", NOW)
    with pytest.raises(NotAllowed, match="5 uploaded files"):
        uploads.store_upload(owner, "a.csv", b"a\n1\n", NOW)
    uploads.store_upload(reviewer, "a.csv", b"a\n1\n", NOW)
    assert Upload.objects.filter(source__owner=reviewer).count() == 1


def test_upload_is_deleted_after_seven_days_and_its_bytes_overwritten(upload: Release) -> None:
    uploads.delete_expired_uploads(NOW + uploads.DAYS - timedelta(seconds=1))
    assert Upload.objects.exists()
    uploads.delete_expired_uploads(NOW + uploads.DAYS)
    assert not Upload.objects.exists()
    assert Source.objects.get().deleted == NOW + uploads.DAYS
    assert Sweep.objects.filter(table="releases_upload").exists()
    upload.refresh_from_db()
    assert upload.state == Release.State.REFUSED
    assert "Upload it again" in upload.reason_text
    # The history names the upload and its end, and quotes nothing.
    rows = list(History.objects.about(upload).order_by("pk").values_list("what", "note"))
    assert rows == [("releases.uploaded", "accounts.csv"), ("releases.upload-deleted", "accounts.csv")]


def test_an_upload_from_before_the_clock_was_set_back_stays_no_longer_than_others(upload: Release) -> None:
    Source.objects.update(created=NOW + timedelta(days=365))
    uploads.delete_expired_uploads(NOW)
    assert Source.objects.get().created == NOW
    uploads.delete_expired_uploads(NOW + uploads.DAYS)
    assert not Upload.objects.exists()


def test_unapproved_table_is_deleted_with_its_upload(
    upload: Release, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    release = made_release(upload, owner)
    assert release.state == Release.State.CHECKED
    address = url("download", release)
    assert signed_in_as(reviewer).post(address, {"kind": "csv"}).status_code == 200
    Source.objects.update(created=timezone.now() - uploads.DAYS)
    assert signed_in_as(reviewer).post(address, {"kind": "csv"}).status_code == 404, "no worker was there"
    uploads.delete_expired_uploads(timezone.now())
    assert not ReleasedTable.objects.exists()
    assert Sweep.objects.filter(table="releases_releasedtable").exists()
    release.refresh_from_db()
    assert release.state == Release.State.REFUSED


def test_backup_holds_no_unapproved_table_and_no_upload_errors(
    upload: Release, owner: Person, reviewer: Person
) -> None:
    def saved_values(table: str, column: str) -> list[str]:
        expression = saved_tables.VALUES.get((table, column), column)
        condition = f"WHERE {saved_tables.ROWS[table]}" if table in saved_tables.ROWS else ""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {expression} FROM {table} {condition}")
            return [str(value) for (value,) in cursor.fetchall()]

    Release.objects.update(problem={"place": "", "words": ["accounts.csv:302: 'p7' is no number"]})
    assert "p7" not in str(saved_values("releases_release", "problem"))
    release = made_release(upload, owner)
    assert saved_values("releases_releasedtable", "report") == []
    release_decisions.approve(release, reviewer, "", NOW)
    assert "town" in str(saved_values("releases_releasedtable", "report"))


def test_comparison_is_deleted_with_the_upload_and_in_no_backup(upload: Release) -> None:
    now = timezone.now()
    done = {"state": "done", "created": now, "queued": now, "finished": now}
    comparison = Comparison.objects.create(release=upload, rows=[{"k": 20, "smallest": 21}], **done)
    for table, model in (("releases_comparison", Comparison), ("jobs_job", Job)):
        assert model.objects.filter(pk=comparison.pk).exists()
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table} WHERE {saved_tables.ROWS[table]}")
            assert cursor.fetchall() == [], table
    uploads.delete_expired_uploads(NOW + uploads.DAYS)
    assert not Comparison.objects.exists()
    assert Sweep.objects.filter(table="releases_comparison").exists()


def test_overdue_upload_is_not_read_without_a_tick(upload: Release, owner: Person) -> None:
    late = NOW + uploads.DAYS
    with pytest.raises(NotAllowed, match="has been deleted"):
        source_tables.column_profiles(upload.source, late)
    with pytest.raises(NotAllowed, match="has been deleted"):
        save_specification.save_specification(upload, owner, json.dumps(SPEC), late)
    with pytest.raises(NotAllowed, match="has been deleted"):
        making_job.start_release_making(upload, owner, late)


def test_overdue_upload_is_refused_without_writing(upload: Release, reading: Client) -> None:
    with pytest.raises(NotAllowed):
        uploads.get_upload(upload.source, NOW + uploads.DAYS)
    Source.objects.update(created=timezone.now() - uploads.DAYS)
    for name in ("columns", "criteria", "reading"):
        answer = reading.get(url(name, upload))
        assert answer.status_code == 404
        assert "The uploaded file has been deleted." in answer.text
    assert Upload.objects.exists()
    upload.refresh_from_db()
    assert upload.state == Release.State.DRAFT


def test_upload_missing_in_a_backup_is_gone_after_a_restore(upload: Release) -> None:
    Upload.objects.all().delete()
    uploads.delete_expired_uploads(NOW)
    assert Source.objects.get().deleted == NOW
    upload.refresh_from_db()
    assert upload.state == Release.State.REFUSED


def test_the_values_that_a_specification_quotes_go_with_the_upload(upload: Release) -> None:
    said = {
        "format": "candor-release/1",
        "quasi_identifiers": [
            {"name": "town", "kind": "category", "hierarchy": {"east": ["A", "B"], "west": ["C"]}},
            {"name": "age", "kind": "ordered", "order": ["A"], "missing": ["A"]},
        ],
        "sensitive": [{"name": "illness", "order": ["A", "B"]}],
        "weights": {"A": {"town": 2}},
        "k": 10,
    }
    Release.objects.update(specification=json.dumps(said))
    uploads.delete_expired_uploads(NOW + uploads.DAYS)
    upload.refresh_from_db()
    assert not [value for value in ['"A"', '"B"', '"C"'] if value in upload.specification]
    assert source_tables.get_specification(upload).criteria.k == 10
    assert "releases_release" in set(Sweep.objects.values_list("table", flat=True))


# --- the same table again ----------------------------------------------------------------------------------

HEAD, *LINES = [line.split(",") for line in CSV.decode().splitlines()]


def csv_of(columns: list[int], rows: list[list[str]]) -> bytes:
    return "\n".join(",".join(row[column] for column in columns) for row in [HEAD, *rows]).encode()


def upload_draft(person: Person, content: bytes, *quasi: str, joined: bool = False) -> Release:
    release = uploads.store_upload(person, "accounts.csv", content, NOW)
    columns = [{"name": name, "kind": "number" if name == "age" else "category"} for name in quasi]
    said = {"format": "candor-release/1", "quasi_identifiers": columns, "k": 10, "seconds": 0}
    save_specification.save_specification(release, person, json.dumps(said), NOW, joined=joined)
    return release


def release_upload(
    person: Person, reviewer: Person, content: bytes, *quasi: str, joined: bool = False
) -> Release:
    """Made and, where it may be, approved."""

    def make() -> Release:
        release = made_release(upload_draft(person, content, *quasi, joined=joined), person)
        if release.state == Release.State.CHECKED:
            release_decisions.approve(release, reviewer, "", NOW)
        return Release.objects.get(pk=release.pk)

    return kept_row(("released", person.pk, content, quasi, joined), make, is_computed=True)


def test_the_same_table_with_its_columns_in_another_order_is_known(owner: Person, reviewer: Person) -> None:
    """And its rows, too: by age and by town classes of fewer than ten follow."""
    assert release_upload(owner, reviewer, CSV, "age", "ill").state == Release.State.APPROVED
    again = release_upload(owner, reviewer, csv_of([2, 3, 0, 1], LINES[::-1]), "town", "ill")
    assert again.state == Release.State.REFUSED
    assert "This table was released before." in again.reason_text
    assert not any(character.isdigit() for character in again.reason_text)
    # Joined with the earlier release it may leave again.
    again = release_upload(owner, reviewer, CSV, "town", "ill", joined=True)
    assert (again.state, again.report["joined"]) == (Release.State.APPROVED, True)


def test_the_same_specification_of_the_same_table_tells_nothing_new(
    owner: Person, reviewer: Person, stranger: Person
) -> None:
    first = release_upload(owner, reviewer, CSV, "town")
    again = release_upload(owner, reviewer, csv_of([3, 2, 1, 0], LINES), "town")
    assert [first.state, again.state] == [Release.State.APPROVED] * 2
    assert again.report["told"] == [str(first)]
    # A table of another owner is not named to this one.
    assert release_upload(stranger, reviewer, CSV, "town").report["told"] == ["", ""]


def test_a_disguised_column_of_the_same_table_leaves_once(owner: Person, reviewer: Person) -> None:
    """Two disguises of the same values tell more than one, whatever the classes."""
    disguise = [{"name": "ill", "gamma": "3", "values": ["cold", "flu"]}]
    columns = [{"name": "town", "kind": "category"}]
    states = []
    for _turn in range(2):
        release = draft_of_upload(owner, CSV, quasi_identifiers=columns, sensitive=disguise)
        made_release(release, owner)
        states.append(release.state)
        if release.state == Release.State.CHECKED:
            release_decisions.approve(release, reviewer, "", NOW)
    assert states == [Release.State.CHECKED, Release.State.DRAFT]
    assert "can leave once" in release.reason_text


def test_some_same_columns_need_a_reviewers_word(owner: Person, reviewer: Person, judging: Client) -> None:
    release_upload(owner, reviewer, CSV, "town")
    changed = [[*row[:3], "new" + row[3]] for row in LINES]
    release = made_release(upload_draft(owner, csv_of([0, 1, 2, 3], changed), "town"), owner)
    assert release.report["partly"][0]["columns"] == 3
    with pytest.raises(NotAllowed, match="Confirm that both"):
        release_decisions.approve(release, reviewer, "", NOW)
    address = f"/app/releases/{release.pk}/approve"
    assert f"3 columns of this file were released on {NOW:%Y-%m-%d}" in judging.get(address).text
    assert judging.post(address, {"note": ""}).status_code == 422
    assert judging.post(address, {"note": "", "apart": "on"}).status_code == 302
    assert Release.objects.get(pk=release.pk).state == Release.State.APPROVED


def test_released_upload_keeps_no_values(owner: Person, reviewer: Person) -> None:
    release = release_upload(owner, reviewer, CSV, "town")
    kept = ReleasedUpload.objects.get(release=release)
    assert (kept.records, len(kept.columns), len(kept.file)) == (120, 4, 64)
    stored = json.dumps([kept.file, kept.columns]) + repr(bytes(kept.classes))
    assert not [value for row in LINES for value in row if len(value) > 2 and value in stored]
    assert not Upload.objects.exists()


def test_the_owner_says_whether_these_people_were_released_before(reading: Client) -> None:
    file = SimpleUploadedFile("accounts.csv", CSV)
    assert reading.post("/app/releases/new", {"file": file}).status_code == 422
    file = SimpleUploadedFile("accounts.csv", CSV)
    assert reading.post("/app/releases/new", {"file": file, "before": "yes"}).status_code == 302
    release = Release.objects.get()
    assert release.source.before == "yes"
    assert "People in a table that was released before" in reading.get(f"/app/releases/{release.pk}/").text
