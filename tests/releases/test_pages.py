"""Each page of releases: who sees it, what it says, what its form changes."""

import gzip
import json
import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from people.models import Person
from releases import deciding, making
from releases.models import Release, Upload
from tests.cast import As
from tests.hints import broker
from tests.releases import pages

__all__ = ["broker"]
pytestmark = pytest.mark.django_db
USUAL = {"k": "10", "method": "tree", "seconds": "1", "seed": "0", "suppression": "", "max_frequency": "50"}


def url(name: str, release: Release, *more: int) -> str:
    return reverse(f"releases:{name}", args=[release.pk, *more])


def test_nobody_logged_in_is_asked_to_sign_in(owner: Person, signed_in_as: As) -> None:
    release = pages.uploaded(owner)
    client = signed_in_as(None)
    for address in (reverse("releases:index"), reverse("releases:new"), url("release", release)):
        assert client.get(address).status_code == 302


def test_the_empty_list_explains_itself(stranger: Person, signed_in_as: As) -> None:
    page = signed_in_as(stranger).get(reverse("releases:index")).content.decode()
    assert "No release yet" in page
    assert reverse("releases:new") in page


def test_an_uploaded_table_becomes_a_draft_with_proposed_roles(owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    page = client.get(reverse("releases:new")).content.decode()
    assert "Only you can see its rows." in page
    assert "after 7 days at the latest" in page
    file = SimpleUploadedFile("patients.csv", pages.table())
    answer = client.post(reverse("releases:new"), {"file": file})
    release = Release.objects.get()
    assert answer["Location"] == url("columns", release)
    page = client.get(answer["Location"]).content.decode()
    assert "Role of town" in page
    assert "Kiel" in page


def test_a_broken_table_is_refused_with_its_line_and_nothing_is_stored(
    owner: Person, signed_in_as: As
) -> None:
    broken = SimpleUploadedFile("broken.csv", b"a,b\n1,2\n3\n")
    answer = signed_in_as(owner).post(reverse("releases:new"), {"file": broken})
    assert answer.status_code == 422
    assert "broken.csv:3" in answer.content.decode()
    assert not Release.objects.exists()


def test_who_is_no_researcher_uploads_nothing(reviewer: Person, signed_in_as: As) -> None:
    assert signed_in_as(reviewer).get(reverse("releases:new")).status_code == 403


def test_an_upload_is_never_a_file(owner: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three megabytes, more than Django keeps in memory unless told."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("an upload became a file")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", refuse)
    monkeypatch.setattr("django.core.files.uploadedfile.tempfile.NamedTemporaryFile", refuse)
    large = pages.table() + b"x" * 100 + b",20,school,Kiel,flu\n" * 150_000
    client = signed_in_as(owner)
    client.post(reverse("releases:new"), {"file": SimpleUploadedFile("large.csv", large)})
    assert len(Upload.objects.get().content) == len(large) > 2_500_000


def test_a_stranger_finds_no_release_and_a_reviewer_only_what_is_made(
    owner: Person, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    release = pages.uploaded(owner)
    for person in (stranger, reviewer):
        for name in ("release", "columns", "criteria", "compare", "table", "report", "approve", "discard"):
            assert signed_in_as(person).get(url(name, release)).status_code == 404, name
    waiting = pages.made(owner)
    assert signed_in_as(stranger).get(url("release", waiting)).status_code == 404
    assert signed_in_as(reviewer).get(url("release", waiting)).status_code == 200


@pytest.mark.parametrize("name", ["start", "stop", "download"])
def test_what_changes_something_takes_only_a_post(name: str, owner: Person, signed_in_as: As) -> None:
    assert signed_in_as(owner).get(url(name, pages.uploaded(owner))).status_code == 405


def test_roles_are_saved_and_bring_what_they_need(owner: Person, signed_in_as: As) -> None:
    release, client = pages.uploaded(owner), signed_in_as(owner)
    wanted = pages.roles(
        name="identifier", age="number", education="ordered", town="category", illness="sensitive"
    )
    answer = client.post(url("columns", release), {**wanted, "on": "yes"})
    assert answer["Location"] == url("criteria", release)
    release.refresh_from_db()
    said = json.loads(release.specification)
    assert [column["name"] for column in said["quasi_identifiers"]] == ["age", "education", "town"]
    assert said["quasi_identifiers"][1]["order"] == ["degree", "school"]
    assert (said["sensitive"], said["identifiers"]) == (["illness"], ["name"])
    assert said["l"] == {"kind": "distinct", "value": 2}


def test_roles_without_a_quasi_identifier_are_refused(owner: Person, signed_in_as: As) -> None:
    release = pages.uploaded(owner)
    answer = signed_in_as(owner).post(url("columns", release), pages.roles(illness="sensitive"))
    assert answer.status_code == 422
    assert "Choose at least one column that others may know." in answer.content.decode()


def ordered(owner: Person, client: Client) -> Release:
    release = pages.uploaded(owner)
    client.post(
        url("columns", release), pages.roles(education="ordered", town="category", illness="sensitive")
    )
    release.refresh_from_db()
    return release


def test_an_order_is_changed_by_moving_and_as_a_list(owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    release = ordered(owner, client)
    assert client.get(url("column", release, 2)).status_code == 200

    def order() -> list[str]:
        release.refresh_from_db()
        found: list[str] = json.loads(release.specification)["quasi_identifiers"][0]["order"]
        return found

    assert order() == ["degree", "school"]
    client.post(url("move", release, 2), {"up": "school"})
    assert order() == ["school", "degree"]
    client.post(url("move", release, 2), {"down": "school"})
    assert order() == ["degree", "school"]
    client.post(url("column", release, 2), {"order": "school\ndegree\ndoctorate\n"})
    assert order() == ["school", "degree", "doctorate"]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("school\nschool", "is there twice"),
        ("school", "at least two values"),
        ("school\nnone", "These values of the column are missing: degree."),
        ("school\ndegree\na..b", "A value with “..”"),
    ],
)
def test_a_wrong_order_is_said_at_its_field(order: str, words: str, owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    answer = client.post(url("column", ordered(owner, client), 2), {"order": order})
    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_groups_are_written_as_indented_text(owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    release = ordered(owner, client)
    groups = "North\n  Kiel\n  Rostock\nSouth\n  Munich\n  Augsburg\n"
    answer = client.post(url("column", release, 3), {"hierarchy": "given", "groups": groups})
    assert answer["Location"] == url("columns", release)
    release.refresh_from_db()
    town = json.loads(release.specification)["quasi_identifiers"][1]
    assert town["hierarchy"] == {"North": ["Kiel", "Rostock"], "South": ["Munich", "Augsburg"]}
    assert "  Kiel" in client.get(url("column", release, 3)).content.decode()
    answer = client.post(
        url("column", release, 3), {"hierarchy": "given", "groups": "North\n   Kiel\n Rostock"}
    )
    assert answer.status_code == 422
    assert "Line 3" in answer.content.decode()
    answer = client.post(url("column", release, 3), {"hierarchy": "given", "groups": "North\n  Kiel"})
    assert "These values of the column are missing: Augsburg, Munich, Rostock." in answer.content.decode()


def test_only_columns_whose_values_can_be_changed_have_a_page_of_values(
    owner: Person, signed_in_as: As
) -> None:
    release, client = pages.uploaded(owner), signed_in_as(owner)
    assert client.get(url("column", release, 1)).status_code == 404
    assert client.get(url("column", release, 99)).status_code == 404


def test_criteria_are_saved_as_the_specification_says_them(owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    release = ordered(owner, client)
    more = {"l_kind": "recursive", "l_value": "3", "l_c": "2.5", "t": "30", "rho1": "5", "rho2": "50"}
    answer = client.post(url("criteria", release), {**USUAL, **more, "k": "7", "weights": "data"})
    assert answer["Location"] == url("release", release)
    release.refresh_from_db()
    said = json.loads(release.specification)
    assert said["k"] == 7
    assert said["l"] == {"kind": "recursive", "value": 3, "c": "2.5"}
    assert (said["t"], said["rho"], said["max_frequency"]) == ("0.3000", ["0.0500", "0.5000"], "0.5000")
    assert said["weights"] == "data"
    page = client.get(url("release", release)).content.decode()
    assert "Nobody can be told from at least 6 others" in page
    assert "No class gives a sensitive value away with more than 50 %." in page


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"k": "1"}, "k"),
        ({"l_kind": "distinct"}, "Give the number of values"),
        ({"l_kind": "recursive", "l_value": "3"}, "Give c"),
        ({"rho1": "5"}, "Give both shares"),
        ({"rho1": "50", "rho2": "5"}, "It must be larger"),
        ({"max_frequency": "150"}, "max_frequency"),
    ],
)
def test_a_wrong_criterion_is_said_at_its_field(
    wrong: dict[str, str], words: str, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    release = ordered(owner, client)
    answer = client.post(url("criteria", release), USUAL | wrong)
    assert answer.status_code == 422
    assert words in answer.content.decode()


def test_no_limit_on_the_most_frequent_value_is_said_as_none(owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    release = ordered(owner, client)
    client.post(url("criteria", release), USUAL | {"max_frequency": ""})
    release.refresh_from_db()
    assert json.loads(release.specification)["max_frequency"] is None


@pytest.mark.slow
def test_from_the_draft_to_the_download(owner: Person, reviewer: Person, signed_in_as: As) -> None:
    client, reviewing = signed_in_as(owner), signed_in_as(reviewer)
    release = pages.uploaded(owner)
    assert client.post(url("start", release))["Location"] == url("release", release)
    assert "The table is being made" in client.get(url("release", release)).content.decode()
    assert client.get(url("outcome", release)).status_code == 204
    making_of = release.making
    assert making_of
    pages.perform(making_of)
    assert "A reviewer decides next" in client.get(url("outcome", release)).content.decode()
    assert "Waits for you" not in client.get(reverse("releases:index")).content.decode()
    assert "Waits for you" in reviewing.get(reverse("releases:index")).content.decode()
    assert "Is it anonymous?" in reviewing.get(url("report", release)).content.decode()
    assert client.post(url("download", release), {"kind": "csv"}).status_code == 403
    assert client.post(url("approve", release)).status_code == 403
    assert reviewing.post(url("approve", release), {"note": "Fine."})["Location"] == url("release", release)
    answer = client.post(url("download", release), {"kind": "csv"})
    with zipfile.ZipFile(BytesIO(answer.getvalue())) as file:
        assert set(file.namelist()) == {"README.txt", "report.json", "mapping.json", "release.csv"}
        assert b"person 1" not in file.read("release.csv")
    assert client.post(url("download", release), {"kind": "exe"}).status_code == 400
    assert reviewing.post(url("withdraw", release), {"reason": "A mistake."}).status_code == 302
    assert "A mistake." in client.get(url("release", release)).content.decode()
    assert client.post(url("download", release), {"kind": "csv"}).status_code == 403


def test_a_reviewer_never_sees_a_row_of_the_upload(owner: Person, reviewer: Person, signed_in_as: As) -> None:
    release = pages.made(owner)
    own, theirs = (
        signed_in_as(person).get(url("table", release)).content.decode() for person in (owner, reviewer)
    )
    assert "person 1<" in own
    assert "person 1<" not in theirs
    assert "After: the release" in theirs


def test_after_seven_days_the_pages_show_no_row_and_say_why(owner: Person, signed_in_as: As) -> None:
    release, client = pages.uploaded(owner, timezone.now() - timedelta(days=8)), signed_in_as(owner)
    answer = client.get(url("columns", release), follow=True)
    assert "The uploaded file has been deleted." in answer.content.decode()
    page = client.get(url("table", release)).content.decode()
    assert "The uploaded file has been deleted." in page
    assert "person 1<" not in page


def test_a_refused_release_says_the_reason_and_the_way_out(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    release = pages.made(owner)
    client = signed_in_as(reviewer)
    assert client.post(url("refuse", release), {"reason": ""}).status_code == 422
    client.post(url("refuse", release), {"reason": "The ages are too fine."})
    page = signed_in_as(owner).get(url("release", release)).content.decode()
    assert "The ages are too fine." in page
    assert "larger k" in page


def test_a_making_that_failed_leaves_a_draft_that_says_why(owner: Person, signed_in_as: As) -> None:
    release, client = pages.uploaded(owner), signed_in_as(owner)
    client.post(url("criteria", release), USUAL | {"k": "5000"})
    release.refresh_from_db()
    pages.perform(making.start(release, owner, timezone.now()))
    page = client.get(url("release", release)).content.decode()
    assert "The table was not made" in page
    assert "there are 200 records" in page


def test_a_discarded_release_is_gone(owner: Person, signed_in_as: As) -> None:
    release, client = pages.uploaded(owner), signed_in_as(owner)
    assert "cannot be undone" in client.get(url("discard", release)).content.decode()
    assert client.post(url("discard", release))["Location"] == reverse("releases:index")
    assert client.get(url("release", release)).status_code == 404


def test_choices_are_compared_as_a_picture_and_as_a_table(owner: Person, signed_in_as: As) -> None:
    release, client = pages.uploaded(owner), signed_in_as(owner)
    assert "Compare choices" in client.get(url("compare", release)).content.decode()
    client.post(url("compare", release))
    comparison = release.comparisons.get()
    assert client.get(url("compared", release)).status_code == 204
    pages.perform(comparison)
    page = client.get(url("compared", release)).content.decode()
    assert "<svg" in page
    assert "Tree" in page


def test_the_published_table_is_shown_in_pages_of_fifty(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    release = pages.made(owner)
    page = signed_in_as(reviewer).get(url("table", release) + "?page=4").content.decode()
    assert page.count("<tr>") == 51
    assert "Page 4 of 4" in page
    table = gzip.decompress(release.making.table.file).decode()  # type: ignore[union-attr]
    assert table.splitlines()[151].split(",")[0] in page


def test_who_may_not_decide_is_refused(owner: Person, reviewer: Person, signed_in_as: As) -> None:
    release = pages.made(owner)
    for name in ("approve", "refuse"):
        assert signed_in_as(owner).get(url(name, release)).status_code == 403
    deciding.approve(release, reviewer, "", timezone.now())
    assert signed_in_as(owner).get(url("withdraw", release)).status_code == 403
    assert signed_in_as(owner).get(url("columns", release)).status_code == 403
