"""Each page of releases: who sees it, what it says, what its form changes."""

import gzip
import json
import re
import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person
from privacy.grammar.input_error import InputError
from releases.lifecycle import making_job, release_decisions
from releases.models import Comparison, Release, Upload
from releases.pages.before_after_table_views import CsvRecords
from releases.table_reader_main import MOST_BYTES
from surveys.models import Collaborator
from surveys.signed_in_view import ROOM
from tests.cast import As, post_length
from tests.jobs.conftest import broker
from tests.releases.conftest import (
    USUAL_CRITERIA,
    draft_of_patients,
    finish_job,
    patients_release,
    patients_table,
    url,
    without_search,
)
from tests.runs import sealed

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]


def test_the_page_of_a_job_leads_to_what_it_made(checked_release: Release, reading: Client) -> None:
    making = checked_release.makings.get()
    page = reading.get(reverse("jobs:progress", args=[making.label, making.pk])).text
    assert f'href="{checked_release.get_absolute_url()}">Look at it</a>' in page


def test_empty_release_list_explains_itself(owner: Person, reading: Client) -> None:
    page = reading.get(reverse("releases:index")).text
    assert "There is no release that you can see" in page
    assert reverse("releases:new") in page
    survey = sealed.survey(owner, sealed.small_design(), [])
    page = reading.get(reverse("releases:of_survey", args=[survey.pk])).text
    assert "Nothing can be released yet" in page
    assert "Start a release" not in page


def test_upload_news_links_only_for_permitted_people(
    owner: Person, reviewer: Person, superuser: Person, signed_in_as: As
) -> None:
    release = patients_release(owner)
    for person, leads_there in ((reviewer, True), (superuser, False)):
        page = signed_in_as(person).get("/app/account/home").text
        assert "had a release made" in page
        assert (f'href="{release.get_absolute_url()}"' in page) is leads_there


def test_a_table_that_is_too_long_broken_or_from_another_site_or_no_researcher_is_refused_and_not_stored(
    owner: Person, reading: Client, judging: Client
) -> None:
    address = reverse("releases:new")
    assert post_length(reading, address, MOST_BYTES + ROOM + 1) == 413
    assert post_length(reading, address, MOST_BYTES + ROOM) == 422
    broken = SimpleUploadedFile("broken.csv", b"a,b\n1,2\n3\n")
    answer = reading.post(address, {"file": broken, "before": "no"})
    assert answer.status_code == 422
    assert "broken.csv:3" in answer.text
    other_site = Client(enforce_csrf_checks=True)
    other_site.force_login(owner)
    sent = {"file": SimpleUploadedFile("patients.csv", patients_table()), "before": "no"}
    assert other_site.post(address, sent).status_code == 403
    assert judging.get(address).status_code == 403
    assert not Release.objects.exists()


def test_an_uploaded_table_becomes_a_draft_with_proposed_roles(reading: Client) -> None:
    page = reading.get(reverse("releases:new")).text
    assert "Only you can see its rows." in page
    assert "after 7 days at the latest" in page
    file = SimpleUploadedFile("patients.csv", patients_table())
    answer = reading.post(reverse("releases:new"), {"file": file, "before": "no"})
    release = Release.objects.get()
    assert answer["Location"] == url("reading", release)
    page = reading.get(answer["Location"]).text
    assert "person 0" in page
    assert "person 8" not in page
    layout = {"separator": ",", "encoding": "utf-8", "decimal": "."}
    answer = reading.post(answer["Location"], layout | {"separator": ";"})
    assert answer["Location"] == url("reading", release)
    assert "name,age,education" in reading.get(answer["Location"]).text
    reading.post(answer["Location"], layout)
    answer = reading.post(answer["Location"], layout)
    assert answer["Location"] == url("columns", release)
    page = reading.get(answer["Location"]).text
    assert "Role of town" in page
    assert "Kiel" in page


def test_an_upload_is_never_a_file(monkeypatch: pytest.MonkeyPatch, reading: Client) -> None:
    """Three megabytes, more than Django keeps in memory unless told."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("an upload became a file")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", refuse)
    monkeypatch.setattr("django.core.files.uploadedfile.tempfile.NamedTemporaryFile", refuse)
    large = patients_table() + b"x" * 100 + (b",20,school,Kiel," + b"flu " * 100 + b"\n") * 7_000
    reading.post(reverse("releases:new"), {"file": SimpleUploadedFile("large.csv", large), "before": "no"})
    assert len(Upload.objects.get().content) == len(large) > 2_500_000


POSTED = ["start", "stop", "download"]
READ = ["release", "outcome", "compared", "table", "report"]
FORMS = ["columns", "criteria", "compare", "discard", "approve", "refuse", "withdraw"]


def test_release_is_hidden_from_and_locked_for_others(
    owner: Person, stranger: Person, reviewer: Person, signed_in_as: As, reading: Client
) -> None:
    release = draft_of_patients(owner)
    nobody, other, reviewing = (signed_in_as(person) for person in (None, stranger, reviewer))
    for address in (reverse("releases:index"), reverse("releases:new"), url("release", release)):
        assert nobody.get(address).status_code == 302
    assert nobody.get(url("reading", release)).status_code == 302
    for name in ("release", "columns", "criteria", "compare", "table", "report", "approve", "reading"):
        assert other.get(url(name, release)).status_code == 404, name
    # A reviewer only sees what is made.
    for name in ("release", "table", "approve", "reading"):
        assert reviewing.get(url(name, release)).status_code == 404, name
    for name in (*POSTED, *FORMS, "reading"):
        assert other.post(url(name, release)).status_code == 404, name
        assert nobody.post(url(name, release)).status_code == 302, name
    assert reviewing.post(url("reading", release), {"separator": ";"}).status_code == 404
    # What changes something takes only a POST, and what is read only a GET.
    assert {reading.get(url(name, release)).status_code for name in POSTED} == {405}
    assert {reading.post(url(name, release)).status_code for name in READ} == {405}
    assert reading.get(url("move", release, 1)).status_code == 405
    assert reading.put(url("reading", release)).status_code == 405
    assert reading.post(url("reading", release), {"separator": "x"}).status_code == 422
    release.refresh_from_db()
    assert release.state == Release.State.DRAFT
    Upload.objects.all().delete()
    assert reading.get(url("reading", release)).status_code == 404


def test_a_viewer_of_a_survey_reads_its_list_and_starts_nothing(
    owner: Person, stranger: Person, signed_in_as: As, reading: Client
) -> None:
    survey = sealed.survey(owner, sealed.small_design(), [300])
    Collaborator.objects.create(survey=survey, person=stranger, may_edit=False)
    address = reverse("releases:of_survey", args=[survey.pk])
    viewing = signed_in_as(stranger)
    assert "The owner and the editors of this survey can start one." in viewing.get(address).text
    assert viewing.post(address, {"which": "plain"}).status_code == 403
    answer = reading.post(address, {"which": "plain"})
    release = Release.objects.get()
    assert answer["Location"] == url("columns", release)
    assert viewing.get(url("release", release)).status_code == 200
    # Of a survey no file is read.
    assert reading.get(url("reading", release)).status_code == 404
    for name in ("columns", "criteria", "compare", "table", "discard"):
        assert viewing.get(url(name, release)).status_code == 403, name


def test_survey_release_numbers_are_for_reviewers_until_approval(
    owner: Person, reviewer: Person, reading: Client, judging: Client
) -> None:
    survey = sealed.survey(owner, sealed.small_design(), [300])
    reading.post(reverse("releases:of_survey", args=[survey.pk]), {"which": "plain"})
    release = Release.objects.get()
    columns = reading.get(url("columns", release)).text
    assert "young" in columns
    assert "(1" not in columns
    without_search(release, owner)
    finish_job(making_job.start_release_making(release, owner, timezone.now()))
    for name in ("table", "report"):
        assert reading.get(url(name, release)).status_code == 403
        assert judging.get(url(name, release)).status_code == 200
    page = judging.get(url("table", release)).text
    assert "Numbers by column" in page
    regions = re.findall(r'role="region" aria-label="([^"]+)"', page)
    assert len(regions) == len(set(regions)), regions
    release.refresh_from_db()
    release_decisions.approve(release, reviewer, "", timezone.now())
    page = reading.get(url("table", release)).text
    assert "After: the release" in page
    assert "Numbers by column" not in page


def test_release_goes_from_draft_to_download(owner: Person, reading: Client, judging: Client) -> None:
    client, reviewing = reading, judging
    release = without_search(draft_of_patients(owner), owner)
    assert client.post(url("start", release))["Location"] == url("release", release)
    assert "The table is being made" in client.get(url("release", release)).text
    assert client.get(url("outcome", release)).status_code == 204
    making_of = release.making
    assert making_of
    finish_job(making_of)
    assert "A reviewer decides next" in client.get(url("outcome", release)).text
    assert "Waits for you" not in client.get(reverse("releases:index")).text
    assert "Waits for you" in reviewing.get(reverse("releases:index")).text
    assert "A release to approve" in reviewing.get(reverse("ui:signed-in-home")).text
    assert "Is it anonymous?" in reviewing.get(url("report", release)).text
    only_reviewers = "Before the approval only reviewers can download it."
    assert only_reviewers in reviewing.get(url("release", release)).text
    assert client.post(url("download", release), {"kind": "csv"}).status_code == 403
    assert client.post(url("approve", release)).status_code == 403
    assert reviewing.post(url("approve", release), {"note": "Fine."})["Location"] == url("release", release)
    assert only_reviewers not in client.get(url("release", release)).text
    answer = client.post(url("download", release), {"kind": "csv"})
    with zipfile.ZipFile(BytesIO(answer.getvalue())) as file:
        assert set(file.namelist()) == {"README.txt", "report.json", "mapping.json", "release.csv"}
        assert b"person 1" not in file.read("release.csv")
    assert client.post(url("download", release), {"kind": "exe"}).status_code == 400
    assert reviewing.post(url("withdraw", release), {"reason": "A mistake."}).status_code == 302
    assert "A mistake." in client.get(url("release", release)).text
    assert client.post(url("download", release), {"kind": "csv"}).status_code == 403


def test_a_reviewer_reads_the_published_table_and_never_a_row_of_the_upload(
    owner: Person, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    release = patients_release(owner)
    client = signed_in_as(reviewer)
    assert signed_in_as(stranger).get(url("release", release)).status_code == 404
    assert client.get(url("release", release)).status_code == 200
    own, theirs = (signed_in_as(person).get(url("table", release)).text for person in (owner, reviewer))
    assert "person 1<" in own
    assert "person 1<" not in theirs
    assert "After: the release" in theirs
    # In pages of fifty rows.
    page = client.get(url("table", release) + "?page=4").text
    assert page.count("<tr>") == 51
    assert "Page 4 of 4" in page
    table = gzip.decompress(release.making.table.file).decode()  # type: ignore[union-attr]
    assert table.splitlines()[151].split(",")[0] in page
    page = client.get(url("approve", release)).text
    assert "(special uniques)" in page
    assert "the value of one person" in page


def test_pages_after_seven_days_show_no_row_and_say_why(owner: Person, reading: Client) -> None:
    release, client = draft_of_patients(owner, timezone.now() - timedelta(days=8)), reading
    assert "The uploaded file has been deleted." in client.get(url("columns", release), follow=True).text
    page = client.get(url("table", release)).text
    assert "The uploaded file has been deleted." in page
    assert "person 1<" not in page


def test_a_refused_release_says_why_and_the_way_out(owner: Person, reading: Client, judging: Client) -> None:
    release = patients_release(owner)
    assert judging.post(url("refuse", release), {"reason": ""}).status_code == 422
    judging.post(url("refuse", release), {"reason": "The ages are too fine."})
    page = reading.get(url("release", release)).text
    assert "The ages are too fine." in page
    assert "larger k" in page


def test_a_making_that_failed_leaves_a_draft_that_says_why(owner: Person, reading: Client) -> None:
    release, client = draft_of_patients(owner), reading
    client.post(url("criteria", release), USUAL_CRITERIA | {"k": "5000"})
    release.refresh_from_db()
    finish_job(making_job.start_release_making(release, owner, timezone.now()))
    page = client.get(url("release", release)).text
    assert "The table was not made" in page
    assert "and there are fewer records" in page


def test_comparison_row_is_applied_by_its_button(owner: Person, reading: Client) -> None:
    release, client = draft_of_patients(owner), reading
    row = {"method": "datafly", "k": 20, "smallest": 21, "ncp": 0.25, "max_frequency": 0.5}
    refused = {"method": "tree", "k": 50, "refusal": "it cannot"}
    now = timezone.now()
    done = {"state": "done", "created": now, "queued": now, "finished": now}
    Comparison.objects.create(release=release, rows=[row, refused], **done)
    page = client.get(url("compare", release)).text
    assert 'value="datafly 20"' in page
    assert "tree 50" not in page
    for missing in ("tree 50", "datafly 21", ""):
        assert client.post(url("compare", release), {"use": missing})["Location"] == url("compare", release)
    assert client.post(url("compare", release), {"use": "datafly 20"})["Location"] == url("release", release)
    release.refresh_from_db()
    said = json.loads(release.specification)
    assert (said["method"], said["k"]) == ("datafly", 20)


def test_a_discarded_release_is_gone(owner: Person, reading: Client) -> None:
    release, client = draft_of_patients(owner), reading
    assert "cannot be undone" in client.get(url("discard", release)).text
    assert client.post(url("discard", release))["Location"] == reverse("releases:index")
    assert client.get(url("release", release)).status_code == 404


def test_release_decision_without_permission_is_refused(
    owner: Person, reviewer: Person, reading: Client
) -> None:
    release = patients_release(owner)
    for name in ("approve", "refuse"):
        assert reading.get(url(name, release)).status_code == 403
    release_decisions.approve(release, reviewer, "", timezone.now())
    assert reading.get(url("withdraw", release)).status_code == 403
    assert reading.get(url("columns", release)).status_code == 403


def test_a_page_of_rows_reads_no_further_than_its_last_row() -> None:
    content = b"a,b\n" + b"1,2\n" * 200 + b"broken\n"
    records = CsvRecords(content, "t.csv", count=201)
    assert (len(records), records[100:150]) == (201, [["1", "2"]] * 50)
    with pytest.raises(InputError):
        records[150:201]
