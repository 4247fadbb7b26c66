"""The tab of attacks: who sees it, what it says, what its form starts."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Person
from releases.models import Attack, Register, Release
from surveys.models import Survey
from tests.cast import As
from tests.releases import made, page_uploads
from tests.releases.page_uploads import url
from tests.wake_ups import broker

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
REGISTER = b"name,age,town\nAda,30,Kiel\nBob,90,Kiel\n"


def posted(client: Client, release: Release, register: bytes | None = REGISTER) -> int:
    files = {} if register is None else {"register": SimpleUploadedFile("r.csv", register)}
    return client.post(url("attacks", release), files).status_code


def test_the_owner_and_the_reviewer_of_an_upload_see_what_was_found_when_it_was_checked(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    release = page_uploads.made(owner)
    for person in (owner, reviewer):
        page = signed_in_as(person).get(url("attacks", release)).content.decode()
        assert "classes keep the criteria." in page
        assert f'href="{url("attacks", release)}" aria-current="page"' in page


def test_nobody_else_sees_the_page_its_tab_or_its_job(
    owner: Person, stranger: Person, signed_in_as: As, reading: Client
) -> None:
    release = page_uploads.made(owner)
    assert signed_in_as(None).get(url("attacks", release)).status_code == 302
    for name in ("attacks", "attacked"):
        assert signed_in_as(stranger).get(url(name, release)).status_code == 404
    assert posted(signed_in_as(stranger), release) == 404
    assert reading.put(url("attacks", release)).status_code == 405
    assert reading.post(url("attacked", release)).status_code == 405


def test_the_people_of_a_survey_see_no_attack_on_its_release(
    survey: Survey, owner: Person, reading: Client, judging: Client
) -> None:
    release = made.made(made.drafted(survey, owner, "age"), owner)
    assert reading.get(url("attacks", release)).status_code in (403, 404)
    assert url("attacks", release) not in reading.get(url("release", release)).content.decode()
    assert judging.get(url("attacks", release)).status_code == 200


def test_a_register_is_looked_for_and_the_page_says_whom_it_found(owner: Person, reading: Client) -> None:
    release, client = page_uploads.made(owner), reading
    assert posted(client, release) == 302
    assert client.get(url("attacked", release)).status_code == 204
    made.work(Attack.objects.get())
    for name in ("attacks", "attacked"):
        page = client.get(url(name, release)).content.decode()
        assert "None of the 2 people in the register is found." in page
        assert "Ada" not in page


def test_of_a_draft_the_upload_is_attacked_with_or_without_a_register(owner: Person, reading: Client) -> None:
    release, client = page_uploads.without_search(page_uploads.uploaded(owner), owner), reading
    assert "as it is?" in client.get(url("attacks", release)).content.decode()
    assert posted(client, release, None) == 302
    made.work(Attack.objects.get())
    page = client.get(url("attacks", release)).content.decode()
    assert "“Minimum class size (k)” is broken in" in page
    assert "in the register" not in page


def test_a_made_release_needs_a_register(owner: Person, reading: Client) -> None:
    release = page_uploads.made(owner)
    assert posted(reading, release, None) == 422
    assert not Attack.objects.exists()


def test_a_register_that_is_too_large_is_not_read(
    owner: Person, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    release = page_uploads.made(owner)
    monkeypatch.setattr("releases.making.attacking.MOST_TOGETHER", 100)
    assert posted(reading, release, b"age\n" + b"30\n" * 10_000) == 413
    assert not Register.objects.exists()


def test_a_form_of_another_site_starts_nothing(owner: Person) -> None:
    release, client = page_uploads.made(owner), Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert posted(client, release) == 403
    assert not Attack.objects.exists()


def test_a_second_attack_waits_for_the_first(owner: Person, reading: Client) -> None:
    release, client = page_uploads.made(owner), reading
    posted(client, release)
    posted(client, release)
    assert Attack.objects.count() == 1
    assert "under way already" in client.get(url("attacks", release)).content.decode()
